// SPDX-License-Identifier: GPL-2.0-only
/* Names of tasks from records: the present ones, and the ones when something began. */
#include <stdlib.h>
#include "base/util.h"
#include "ktap.h"
#include "make_record.h"
#include "show/comms.h"

static struct ctrace_schema *types(void)
{
	static const struct ctrace_field sw[] = {
		{ "prev_comm", CTRACE_FK_TEXT, 0, 16 }, { "prev_tid", CTRACE_FK_INT, 0, 4 },
		{ "next_comm", CTRACE_FK_TEXT, 0, 16 }, { "next_tid", CTRACE_FK_INT, 0, 4 },
	};
	static const struct ctrace_field exec[] = { { "filename", CTRACE_FK_STRING, 0, 0 } };
	static const struct ctrace_field block[] = {
		{ "duration", CTRACE_FK_UINT, 0, 8 }, { "comm", CTRACE_FK_TEXT, 0, 16 },
		{ "waker_comm", CTRACE_FK_TEXT, 0, 16 }, { "waker_tid", CTRACE_FK_INT, 0, 4 },
	};
	struct ctrace_schema *s = make_schema();

	add_type(s, CTRACE_ID_SCHED_SWITCH, "sched", "sched_switch", sw, ARRAY_SIZE(sw));
	add_type(s, CTRACE_ID_SCHED_PROCESS_EXEC, "sched", "sched_process_exec", exec, ARRAY_SIZE(exec));
	add_type(s, CTRACE_ID_SCHED_BLOCK, "sched", "sched_block", block, ARRAY_SIZE(block));
	return s;
}

static void learn(struct comms *c, const struct ctrace_schema *s, const struct made *m)
{
	comms_learn(c, ctrace_schema_by_id(s, m->rec.id), &m->rec);
}

static void switched(struct comms *c, const struct ctrace_schema *s, const char *next, int32_t tid)
{
	struct made m;

	make(&m, 1, CTRACE_ID_SCHED_SWITCH, 1, 7, 7);
	put_text(&m, "sh", 16);
	put_int(&m, 7, 4);
	put_text(&m, next, 16);
	put_int(&m, (uint32_t)tid, 4);
	learn(c, s, &m);
}

static void blocked(struct comms *c, const struct ctrace_schema *s, const char *waker, int32_t tid)
{
	struct made m;

	make(&m, 3, CTRACE_ID_SCHED_BLOCK, 1, 7, 7);
	put_int(&m, 1000, 8);
	put_text(&m, "sh", 16);
	put_text(&m, waker, 16);
	put_int(&m, (uint32_t)tid, 4);
	learn(c, s, &m);
}

static const char *name_of(struct comms *c, int32_t tid)
{
	const char *s;
	int32_t pid;

	s = comms_known(c, tid, &pid);
	return s ? s : "";
}

/* A child of vfork() wakes its parent, and is another program before the parent's wait is recorded. */
static void name_of_the_past(void)
{
	struct ctrace_schema *s = types();
	struct comms *c = comms_new(false);
	struct made m;

	switched(c, s, "sh", 8);
	check_str(name_of(c, 7), "sh");
	check_str(name_of(c, 8), "sh");
	make(&m, 2, CTRACE_ID_SCHED_PROCESS_EXEC, 1, 8, 8);
	put_string(&m, "/bin/cat");
	learn(c, s, &m);
	blocked(c, s, "sh", 8);
	check_str(name_of(c, 8), "cat");
	/* but it is a name where there is none */
	blocked(c, s, "dd", 9);
	check_str(name_of(c, 9), "dd");
	switched(c, s, "head", 9);
	check_str(name_of(c, 9), "head");
	comms_free(c);
	ctrace_schema_free(s);
}

static const struct ktap_case cases[] = {
	{ "what a span says of another task was so before", name_of_the_past },
};

int main(void)
{
	return ktap_run(cases, ARRAY_SIZE(cases));
}
