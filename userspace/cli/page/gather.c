// SPDX-License-Identifier: GPL-2.0-only
/*
 * What other commands say of the recording: the numbers of report --summary, the verdicts of why, what diff
 * compares.
 */
#include <stdlib.h>
#include <string.h>
#include "count/summary.h"
#include "page/page.h"
#include "run/recording.h"
#include "tools/diff.h"
#include "tools/why.h"

/* Of a table on each CPU: for the threads of PAGE_BOXES containers. Why has 2048 for one container. */
#define WHY_ROWS	8192

/* --- numbers --- */

/* ns that it ran, waited, and had no quota: the containers that matter are shown. */
static double weigh(const struct digest_box *x)
{
	const struct digest_part *p = x->part;

	return (double)p[OF_RUN].all.total + 2 * (double)(p[OF_WAIT].all.total + p[OF_THROTTLED].all.total) +
	       (double)p[OF_CALLS].all.total / 100 + (double)x->events;
}

static int by_weight(const void *a, const void *b)
{
	const struct page_box *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->cid < y->cid ? -1 : x->cid > y->cid;
}

static int groups(struct view *v)
{
	struct page *p = v->own;

	return digest_groups(v, &p->digest);
}

static void take(struct view *v)
{
	struct page *p = v->own;
	struct digest *d = &p->digest;
	struct json head = { .out = &p->head };
	struct page_box *list;

	digest_add_up(v, d);
	json_open(&head, NULL, '{');
	summary_json_head(v, d, &head);
	json_close(&head, '}');
	p->whys = true;
	for (size_t i = 0; threads_events[i]; i++)
		p->whys &= view_input_has(v, threads_events[i]);
	list = xcalloc(d->n + 1, sizeof(list[0]));
	for (size_t i = 0; i < d->n; i++)
		list[i] = (struct page_box){ .cid = d->v[i].cid, .weight = weigh(&d->v[i]) };
	if (d->n)
		qsort(list, d->n, sizeof(list[0]), by_weight);
	p->n = d->n < PAGE_BOXES ? d->n : PAGE_BOXES;
	p->others = d->n - p->n;
	memcpy(p->v, list, p->n * sizeof(list[0]));
	free(list);
	for (size_t i = 0; i < p->n; i++) {
		struct json j = { .out = &p->v[i].row };
		size_t k = 0;

		while (d->v[k].cid != p->v[i].cid)
			k++;
		summary_json_box(v, d, &d->v[k], PAGE_ROWS, &j);
	}
}

/* --- verdicts --- */

struct verdicts {
	struct page *page;
	struct why of[PAGE_BOXES];
};

static int begin_whys(struct view *v)
{
	struct verdicts *o = v->own;

	for (size_t i = 0; i < o->page->n; i++) {
		o->of[i].cid = o->page->v[i].cid;
		o->of[i].most = PAGE_CULPRITS;
		/* if it cannot be read, that is said once */
		if (!i || o->of[0].threads.looked)
			why_load(v, &o->of[i]);
	}
	return CLI_OK;
}

static int group_whys(struct view *v)
{
	v->rows = WHY_ROWS;
	return why_groups(v);
}

static void span(struct view *v, const struct ctrace_record *rec, uint64_t from, uint64_t to)
{
	struct verdicts *o = v->own;

	for (size_t i = 0; i < o->page->n; i++)
		if (o->of[i].cid == rec->cid)
			why_span(v, &o->of[i], rec, from, to);
}

static void take_whys(struct view *v)
{
	struct verdicts *o = v->own;

	for (size_t i = 0; i < o->page->n; i++) {
		struct page_box *b = &o->page->v[i];
		struct json j = { .out = &b->why };
		struct why *w = &o->of[i];

		why_print(v, w, &j);
		if (w->verdict.first >= CAUSE_NEIGHBOUR && w->all)
			b->held = (double)w->verdict.ns[w->verdict.first] / (double)w->all;
	}
}

/* The most troubled first; the host behind its containers. */
static int by_trouble(const void *a, const void *b)
{
	const struct page_box *x = a, *y = b;
	bool host = x->cid == CTRACE_CID_HOST, other = y->cid == CTRACE_CID_HOST;

	if (host != other)
		return host ? 1 : -1;
	return x->held > y->held ? -1 : x->held < y->held ? 1 : by_weight(a, b);
}

int page_gather(struct page *p)
{
	static const struct view_kind numbers = { .groups = groups, .take = take, .quiet = true };
	static const struct view_kind whys = {
		.groups = group_whys, .begin = begin_whys, .span = span, .take = take_whys, .quiet = true,
	};
	const struct export_opts *o = p->o;
	struct json j = { .out = &p->diff };
	int status = view_run_recording(&numbers, p, o->dir, o->targets, o->ntargets, &o->window, 0);

	if (status == CLI_OK && p->whys) {
		struct verdicts *v = xcalloc(1, sizeof(*v));

		v->page = p;
		status = view_run_recording(&whys, v, o->dir, o->targets, o->ntargets, &o->window, 0);
		for (size_t i = 0; i < PAGE_BOXES; i++)
			why_free(&v->of[i]);
		free(v);
	}
	if (p->n)
		qsort(p->v, p->n, sizeof(p->v[0]), by_trouble);
	return status == CLI_OK && p->old ? diff_json(p->old, o, PAGE_CULPRITS, &j) : status;
}
