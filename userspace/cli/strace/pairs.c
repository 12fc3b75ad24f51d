// SPDX-License-Identifier: GPL-2.0-only
/* Entries of calls that wait for their exits. */
#include <stdlib.h>
#include <string.h>
#include "strace/syscall.h"

/*
 * Keyed by tid, open addressing. A slot stays when its call is done, since the task will make another.
 * So the table grows with the number of tids seen; the kernel has four million at most.
 */
struct pairs {
	struct pending *v;
	size_t n, size;
	uint32_t losses;	/* of records, seen so far, plus 1 */
};

struct pairs *pairs_new(void)
{
	struct pairs *p = xcalloc(1, sizeof(*p));

	p->size = 256;
	p->losses = 1;
	p->v = xcalloc(p->size, sizeof(p->v[0]));
	return p;
}

void pairs_free(struct pairs *p)
{
	if (p)
		free(p->v);
	free(p);
}

static struct pending *pairs_slot(struct pairs *p, int32_t tid)
{
	size_t i = ((uint32_t)tid * 0x9e3779b1u) & (p->size - 1);

	/* tid 0 marks an empty slot: it is the idle task, which makes no calls */
	while (p->v[i].tid && p->v[i].tid != tid)
		i = (i + 1) & (p->size - 1);
	return &p->v[i];
}

struct pending *pairs_get(struct pairs *p, int32_t tid)
{
	struct pending *s = pairs_slot(p, tid);

	if (s->tid || !tid)
		return s;
	if (2 * (p->n + 1) > p->size) {
		struct pending *old = p->v;
		size_t n = p->size;

		p->size *= 2;
		p->v = xcalloc(p->size, sizeof(p->v[0]));
		/* move only the tasks of which something is known */
		p->n = 0;
		for (size_t i = 0; i < n; i++) {
			if (!old[i].id && old[i].left != p->losses)
				continue;
			*pairs_slot(p, old[i].tid) = old[i];
			p->n++;
		}
		free(old);
		s = pairs_slot(p, tid);
	}
	s->tid = tid;
	p->n++;
	return s;
}

bool pairs_match(const struct pending *p, uint16_t exit_id)
{
	struct ctrace_id_call entry, exit;

	/*
	 * A call may lose its number on the way, if the module did not see it begin: rt_sigreturn returns
	 * with number -1. A task is in one call at a time, so an exit without a number belongs to that call.
	 */
	if (exit_id == CTRACE_ID_SYS_EXIT_UNKNOWN)
		return p->id;
	entry = ctrace_id_call(p->id);
	exit = ctrace_id_call(exit_id);
	return entry.phase == CTRACE_CALL_ENTRY && exit.phase == CTRACE_CALL_EXIT &&
	       entry.is32 == exit.is32 && entry.nr == exit.nr;
}

void pairs_exec(struct pairs *p, int32_t old, int32_t tid)
{
	struct pending call;

	if (old <= 0 || old == tid)
		return;
	call = *pairs_get(p, old);
	pairs_get(p, old)->id = 0;
	pairs_get(p, old)->left = 0;
	call.tid = tid;
	*pairs_get(p, tid) = call;
}

int32_t record_number(const struct ctrace_event_type *t, const struct ctrace_record *rec, const char *name)
{
	struct ctrace_value v[FIELDS_MAX];
	int n = t ? ctrace_decode(t, rec, v, FIELDS_MAX) : -1;

	for (int i = 0; i < n; i++)
		if (!strcmp(v[i].field->name, name) && v[i].field->kind == CTRACE_FK_INT)
			return (int32_t)v[i].i;
	return 0;
}

void pairs_left(struct pairs *p, int32_t tid)
{
	struct pending *task = pairs_get(p, tid);

	task->id = 0;
	task->left = p->losses;
}

bool pairs_no_entry(const struct pairs *p, const struct pending *task)
{
	return !task->id && task->left == p->losses;
}

void pairs_lost(struct pairs *p)
{
	p->losses++;
}

void pairs_learn(struct pairs *p, const struct ctrace_event_type *t, const struct ctrace_record *rec)
{
	struct pending *task;
	int32_t child;

	switch (rec->id) {
	case CTRACE_ID_SCHED_PROCESS_FORK:
		child = record_number(t, rec, "child_tid");
		if (child > 0)
			pairs_left(p, child);
		break;
	case CTRACE_ID_SCHED_PROCESS_EXEC:
		pairs_exec(p, record_number(t, rec, "old_tid"), rec->tid);
		break;
	case CTRACE_ID_SCHED_PROCESS_EXIT:
		task = pairs_get(p, rec->tid);
		task->id = 0;
		task->left = 0;
		break;
	default:
		break;
	}
}
