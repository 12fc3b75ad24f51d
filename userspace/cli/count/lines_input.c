// SPDX-License-Identifier: GPL-2.0-only
/* Lines for the events of a recording. */
#include <stdlib.h>
#include <unistd.h>
#include "run/recording.h"
#include "count/lines.h"

struct reading {
	const struct lines_opts *lo;
	struct sink *sink;	/* NULL until the first record */
};

/*
 * Makes tables that only count: they show which records pass the conditions, and give the account its
 * numbers.
 */
static int groups(struct view *v)
{
	const struct reading *x = v->own;

	v->io_uring.unseen = x->lo->form->io_uring && !view_input_has(v, "io_uring_op");
	view_add_group(v, NULL, xstrdup("count()"));
	return CLI_OK;
}

static struct sink *sink_of(const struct view *v)
{
	const struct recording *r = view_input_recording(v);
	struct reading *x = v->own;

	if (!x->sink) {
		const struct sink_opts so = {
			.schema = r->schema, .ctable = r->table, .out = stdout, .clock_offset = r->info.clock_offset,
		};

		x->sink = sink_lines_new(&so, x->lo);
	}
	return x->sink;
}

static void each(struct view *v, const struct ctrace_record *rec, const struct stacks *k, bool counted)
{
	struct sink *s = sink_of(v);

	(void)k;
	if (sink_lines_takes(s, rec) && counted)
		sink_record(s, rec);
}

/* It learns the names of tasks. */
static void learn(struct view *v, const struct ctrace_record *rec)
{
	sink_lines_takes(sink_of(v), rec);
}

int lines_of_recording(struct view *v, const struct lines_opts *lo)
{
	static const struct view_kind kind = { .groups = groups, .each = each, .learn = learn };
	struct reading x = { .lo = lo };
	int status;

	v->kind = &kind;
	v->own = &x;
	status = view_input_run(v);
	sink_free(x.sink);
	v->own = NULL;
	return status;
}
