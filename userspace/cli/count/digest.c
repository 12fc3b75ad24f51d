// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "run/recording.h"
#include "count/digest.h"

const char *const digest_events[NPARTS] = {
	[OF_CALLS] = "calls", [OF_RUN] = "sched_run", [OF_WAIT] = "sched_wait", [OF_BLOCK] = "sched_block",
	[OF_THROTTLED] = "cpu_throttled", [OF_DISK] = "block_io", [OF_TCP] = "tcp_life",
};
static const char *const aggregates[NPARTS] = {
	[OF_CALLS] = "count(), sum(duration), max(duration), hist(duration) by syscall, errno",
	[OF_RUN] = "count(), sum(duration) by comm",
	[OF_WAIT] = "count(), sum(duration), max(duration), hist(duration)",
	[OF_BLOCK] = "count(), sum(duration)",
	[OF_THROTTLED] = "count(), sum(duration), max(duration)",
	[OF_DISK] = "count(), sum(bytes), max(duration), hist(duration)",
	[OF_TCP] = "count(), sum(tx_bytes), sum(rx_bytes)",
};

int digest_groups(struct view *v, struct digest *d)
{
	for (size_t i = 0; i < NPARTS; i++) {
		d->has[i] = view_input_has(v, digest_events[i]);
		d->group[i] = v->ngroups;
		if (d->has[i])
			view_add_group(v, digest_events[i], xstrdup(aggregates[i]));
	}
	d->has_blame = d->blames && view_input_has(v, "sched_blame");
	d->blame_group = v->ngroups;
	if (d->has_blame)
		view_add_group(v, "sched_blame", xstrdup("count(), sum(duration) by " BLAME_KEYS));
	return CLI_OK;
}

/* --- adding up --------------------------------------------------------------------- */

static struct digest_box *box_of(struct digest *own, uint32_t cid)
{
	for (size_t i = 0; i < own->n; i++)
		if (own->v[i].cid == cid)
			return &own->v[i];
	own->v = xrealloc(own->v, (own->n + 1) * sizeof(own->v[0]));
	memset(&own->v[own->n], 0, sizeof(own->v[0]));
	own->v[own->n].cid = cid;
	return &own->v[own->n++];
}

static void add_line(struct digest_line *to, const struct digest_line *l)
{
	to->n += l->n;
	to->errors += l->errors;
	to->total += l->total;
	to->max = l->max > to->max ? l->max : to->max;
	for (uint32_t i = 0; i < CTRACE_TABLE_BUCKETS; i++)
		to->hist[i] += l->hist[i];
}

static void add_to_part(struct digest_part *p, const struct digest_line *l)
{
	size_t i = 0;

	add_line(&p->all, l);
	if (!l->id && !*l->name)
		return;
	while (i < p->n && (p->v[i].id != l->id || strcmp(p->v[i].name, l->name)))
		i++;
	if (i == p->n) {
		p->v = xrealloc(p->v, (p->n + 1) * sizeof(p->v[0]));
		memset(&p->v[p->n], 0, sizeof(p->v[0]));
		p->v[p->n].id = l->id;
		memcpy(p->v[p->n++].name, l->name, sizeof(l->name));
	}
	add_line(&p->v[i], l);
}

static void add_row(struct digest_box *box, size_t which, const struct view_table *t,
		    const struct ctrace_look_row *r)
{
	struct digest_part *p = &box->part[which];
	struct digest_line l = { .n = view_events(t->t, r->values) };
	bool told = !r->other && r->cid != CTRACE_CID_ALL, first = true;
	const char *text;
	size_t len;

	for (uint32_t k = 0; told && k < t->t->nkeys; k++) {
		const struct ctrace_table_column *c = &t->t->keys[k];

		if (c->kind == CTRACE_TABLE_KEY_SYSCALL) {
			l.id = r->key[c->at];
		} else if (c->kind == CTRACE_TABLE_KEY_ERRNO) {
			l.errors = r->key[c->at] ? l.n : 0;
		} else if (c->kind == CTRACE_TABLE_KEY_TEXT) {
			text = ctrace_row_text(t->gain, r, k, &len);
			snprintf(l.name, sizeof(l.name), "%.*s", (int)len, text);
		}
	}
	for (uint32_t k = 0; k < t->t->nvalues; k++) {
		const struct ctrace_table_column *c = &t->t->values[k];
		const uint64_t *w = &r->values[c->at];

		if (c->kind == CTRACE_TABLE_SUM && !first)
			p->second += *w;
		else if (c->kind == CTRACE_TABLE_SUM)
			l.total = *w;
		else if (c->kind == CTRACE_TABLE_MAX)
			l.max = *w;
		else if (c->kind == CTRACE_TABLE_HIST)
			memcpy(l.hist, w, sizeof(l.hist));
		first &= c->kind != CTRACE_TABLE_SUM;
	}
	add_to_part(p, &l);
}

static int by_total(const void *a, const void *b)
{
	const struct digest_line *x = a, *y = b;

	return x->total > y->total ? -1 : x->total < y->total ? 1 : strcmp(x->name, y->name);
}

static int by_events(const void *a, const void *b)
{
	const struct digest_box *x = a, *y = b;

	return x->events > y->events ? -1 : x->events < y->events ? 1 : x->cid < y->cid ? -1 :
		x->cid > y->cid;
}

/* What of the container's own streams was lost in this period. */
static uint64_t lost_of(struct digest *d, uint32_t cid, uint64_t now)
{
	uint64_t then;
	size_t i = 0;

	while (i < d->nlost && d->lost_before[i].cid != cid)
		i++;
	if (i == d->nlost) {
		d->lost_before = xrealloc(d->lost_before, (d->nlost + 1) * sizeof(d->lost_before[0]));
		d->lost_before[d->nlost++] = (struct digest_lost){ .cid = cid };
	}
	then = d->lost_before[i].n;
	d->lost_before[i].n = now;
	return now - then;
}

void digest_add_up(struct view *v, struct digest *own)
{
	const struct recording *r = view_input_recording(v);
	const struct ctrace_look_row *row;
	struct centry *e;

	for (size_t i = 0; (e = ctable_next(r->table, &i));)
		if (recording_shows(r, e->c.cid) && view_input_events(v, e->c.cid))
			box_of(own, e->c.cid);
	for (size_t which = 0; which < NPARTS; which++) {
		for (size_t i = 0; own->has[which] && i < v->ntables; i++) {
			const struct view_table *t = &v->tables[i];

			for (size_t k = 0; t->group == own->group[which] &&
			     (row = ctrace_look_row(t->gain, k)); k++)
				if (view_events(t->t, row->values))
					add_row(box_of(own, row->cid), which, t, row);
		}
	}
	/* nothing says whether it was asked for */
	for (size_t which = 0; !r->asked && which < NPARTS; which++) {
		bool any = false;

		for (size_t i = 0; i < own->n; i++)
			any |= own->v[i].part[which].all.n > 0;
		own->has[which] &= any;
	}
	for (size_t i = 0; i < own->n; i++) {
		struct digest_box *box = &own->v[i];

		box->events = view_input_events(v, box->cid);
		box->lost = lost_of(own, box->cid, ctf_reader_lost(r->reader, box->cid));
		for (size_t k = 0; k < NPARTS; k++)
			if (box->part[k].n)
				qsort(box->part[k].v, box->part[k].n, sizeof(struct digest_line), by_total);
	}
	if (own->n)
		qsort(own->v, own->n, sizeof(own->v[0]), by_events);
	own->events = view_input_all_events(v);
	own->lost = view_input_lost(v) - own->lost_of_all;
	own->lost_of_all = view_input_lost(v);
	own->began = v->since;
	own->ended = v->until;
	if (own->has_blame)
		blame_make(v, own->blame_group, NULL, 0, &own->blame);
}

void digest_next(struct view *v, struct digest *own)
{
	for (size_t i = 0; i < own->n; i++)
		for (size_t k = 0; k < NPARTS; k++)
			free(own->v[i].part[k].v);
	own->n = 0;
	blame_free(&own->blame);
	memset(&own->blame, 0, sizeof(own->blame));
	if (v)
		view_input_forget(v);
}

void digest_free(struct digest *own)
{
	digest_next(NULL, own);
	free(own->v);
	free(own->lost_before);
}
