// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "top/top.h"

/* --- lines by their key ------------------------------------------------------------ */

static uint32_t hash(const struct top_key *k)
{
	uint32_t h = k->cid * 0x9e3779b1u ^ (uint32_t)k->pid * 0x85ebca6bu ^ (uint32_t)k->tid * 0xc2b2ae35u;

	for (const char *p = k->by; *p; p++)
		h = (h ^ (unsigned char)*p) * 0x01000193u;
	return h ^ h >> 15;
}

static bool equal(const struct top_key *a, const struct top_key *b)
{
	return a->cid == b->cid && a->pid == b->pid && a->tid == b->tid && !strcmp(a->by, b->by);
}

static void put(struct top_lines *l, size_t index)
{
	size_t i = hash(&l->v[index]->key) & (l->size - 1);

	while (l->slots[i])
		i = (i + 1) & (l->size - 1);
	l->slots[i] = (uint32_t)index + 1;
}

/* The order of lines or their number has changed. */
static void put_all(struct top_lines *l)
{
	while (2 * (l->n + 1) > l->size)
		l->size = l->size ? 2 * l->size : 64;
	free(l->slots);
	l->slots = xcalloc(l->size, sizeof(l->slots[0]));
	for (size_t i = 0; i < l->n; i++)
		put(l, i);
}

struct top_line *top_line_get(struct top_lines *l, const struct top_key *key)
{
	struct top_line *line;
	size_t i;

	if (2 * (l->n + 1) > l->size)
		put_all(l);
	for (i = hash(key) & (l->size - 1); l->slots[i]; i = (i + 1) & (l->size - 1))
		if (equal(&l->v[l->slots[i] - 1]->key, key))
			return l->v[l->slots[i] - 1];
	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 64;
		l->v = xrealloc(l->v, l->room * sizeof(l->v[0]));
	}
	line = xcalloc(1, sizeof(*line));
	line->key = *key;
	line->key.by = xstrdup(key->by);
	line->memory = line->limit = line->procs = line->threads = -1;
	l->v[l->n++] = line;
	l->slots[i] = (uint32_t)l->n;
	return line;
}

void top_call_hist(struct top_line *line, const uint64_t *hist)
{
	if (!line->hist)
		line->hist = xcalloc(CTRACE_TABLE_BUCKETS, sizeof(line->hist[0]));
	for (uint32_t i = 0; i < CTRACE_TABLE_BUCKETS; i++)
		line->hist[i] += hist[i];
}

static void free_line(struct top_line *line)
{
	free(line->hist);
	free((char *)line->key.by);
	free(line);
}

void top_lines_begin(struct top_lines *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct top_line *line = l->v[i];

		memset(line->sums, 0, sizeof(line->sums));
		memset(&line->call, 0, sizeof(line->call));
		free(line->hist);
		line->hist = NULL;
		line->there = line->busy = line->gone = false;
	}
	/* they may have been sorted */
	put_all(l);
}

void top_lines_end(struct top_lines *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (l->v[i]->there)
			l->v[n++] = l->v[i];
		else
			free_line(l->v[i]);
	}
	l->n = n;
}

void top_lines_free(struct top_lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		free_line(l->v[i]);
	free(l->v);
	free(l->slots);
	memset(l, 0, sizeof(*l));
}

/* --- of an interval ----------------------------------------------------------------- */

/* The keys of --by as text: those behind the source's own. */
static void put_by(const struct view *v, struct sbuf *b, const struct view_row *row, uint32_t from)
{
	sbuf_reset(b);
	for (uint32_t k = from; k < row->t->t->nkeys; k++) {
		if (k > from)
			sbuf_putc(b, ',');
		view_put_key(v, b, row, k);
	}
}

static void take_table(struct top *t, const struct view_table *table, struct sbuf *by)
{
	struct view *v = t->view;
	bool has_by = v->by && *v->by;
	/* what view_aggregate() put before the user's keys */
	uint32_t own = !has_by ? table->t->nkeys : top_source_keys(table);
	const struct ctrace_look_row *r;

	for (size_t i = 0; (r = ctrace_look_row(table->gain, i)); i++) {
		const struct view_row row = { table, r };
		struct top_key key = { .cid = r->cid, .by = "" };
		struct top_line *line;

		if (!view_shows(v, r))
			continue;
		if (has_by && r->cid != CTRACE_CID_ALL) {
			put_by(v, by, &row, own);
			key.by = r->other ? "(other)" : by->s;
		}
		line = top_line_get(&t->lines, &key);
		line->there = line->busy = true;
		line->gone = view_is_gone(v, r->cid);
		top_source_add(t, table, r, line->sums);
	}
}

static void put_living(struct top *t, uint32_t cid, bool gone)
{
	const struct top_key key = { .cid = cid, .by = "" };
	struct top_line *line = top_line_get(&t->lines, &key);

	line->there = true;
	line->gone = gone;
}

/*
 * A line for each container that is a target and lives, or did in this interval, whether or not it does
 * anything.
 */
static void take_living(struct top *t)
{
	struct ctable *table = t->view->run.ctable;
	struct centry *e;

	/* in a recording, those that did nothing are not told apart from those that were not there */
	if (t->view->recording)
		return;
	for (size_t i = 0; (e = ctable_next(table, &i));) {
		if (!e->known || !targets_want(&t->view->run.targets, e->c.cid))
			continue;
		if (ctable_alive(e)) {
			put_living(t, e->c.cid, false);
		} else if (!t->view->o.follow && e->told == TOLD_NOTHING) {
			/* not before we began; the table may then forget it */
			if (e->c.gone >= t->view->began)
				put_living(t, e->c.cid, true);
			e->told = TOLD_DEATH;
		}
	}
	if (!t->view->o.follow)
		ctable_tidy(table);
}

void top_lines_take(struct top *t)
{
	struct view *v = t->view;
	struct sbuf by = { 0 };

	/* those that have been shown as gone */
	for (size_t i = 0; i < t->lines.n; i++)
		if (t->lines.v[i]->gone)
			t->lines.v[i]->there = false;
	top_lines_end(&t->lines);
	top_lines_begin(&t->lines);
	for (size_t i = 0; i < t->lines.n; i++)
		if (!(v->by && *v->by) && view_is_gone(v, t->lines.v[i]->key.cid))
			t->lines.v[i]->there = t->lines.v[i]->gone = true;
	if (!(v->by && *v->by))
		take_living(t);
	for (size_t i = 0; i < v->ntables; i++)
		take_table(t, &v->tables[i], &by);
	top_lines_end(&t->lines);
	sbuf_free(&by);
}
