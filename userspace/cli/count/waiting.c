// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that still wait for a CPU when a look ends. A wait is counted when it ends, so the worst one, which
 * does not end, would be in no row.
 */
#include <stdio.h>
#include <string.h>
#include "count/view.h"

#define NOTABLE		(NSEC_PER_SEC / 10)	/* a shorter wait is an ordinary one, which has just begun */

static int add(const struct ctrace_task_info *i, void *arg)
{
	struct view_waiting *w = arg;
	uint64_t ns = i->span == CTRACE_ID_SCHED_WAIT ? i->span_ns : i->queued_ns;

	if (i->state || !ns)
		return 0;
	w->threads++;
	w->total += ns;
	if (ns > w->longest) {
		w->longest = ns;
		w->cid = i->cid;
		w->tid = i->tid;
		snprintf(w->comm, sizeof(w->comm), "%s", i->comm);
	}
	return 0;
}

bool view_waiting(struct view *v, struct view_waiting *w)
{
	*w = (struct view_waiting){ 0 };
	/* a filter may want others than these, and only events have what it asks for */
	if (!v->kind->waits || v->recording || v->o.filter || v->o.comms || v->o.uids)
		return false;
	return !ctrace_task_each(v->run.ct, ctrace_session_id(v->run.session), add, w);
}

void view_waiting_json(struct view *v, struct json *j)
{
	struct view_waiting w;

	if (!view_waiting(v, &w))
		return;
	json_open(j, "waiting", '{');
	json_uint(j, "threads", w.threads);
	json_uint(j, "total", w.total);
	json_uint(j, "longest", w.longest);
	if (w.threads) {
		json_str(j, "container", ctable_label(v->run.ctable, w.cid));
		json_uint(j, "tid", w.tid);
		json_str(j, "comm", w.comm);
	}
	json_close(j, '}');
}

void view_waiting_print(struct view *v)
{
	struct view_waiting w;
	struct sbuf b = { 0 };

	if (!view_waiting(v, &w) || w.longest < NOTABLE)
		return;
	sbuf_printf(&b, "%zu %s for a CPU, which is not counted yet; the longest, ", w.threads,
		    w.threads == 1 ? "thread still waits" : "threads still wait");
	sbuf_clean(&b, w.comm);
	sbuf_printf(&b, "/%u of %s, for ", w.tid, ctable_shown(v->run.ctable, w.cid));
	put_ns(&b, w.longest);
	fprintf(stderr, "ctrace: %s\n", b.s);
	sbuf_free(&b);
}
