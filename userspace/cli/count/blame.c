// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "count/blame.h"
#include "show/comms.h"

/* By enum ctrace_culprit. */
static const struct {
	const char *json, *text;
} kinds[] = {
	{ "other", "(other)" }, { "self", "(self)" }, { "neighbour", NULL }, { "host", NULL },
	{ "idle", "(idle)" }, { "throttled", "(throttled)" }, { "earlier", "(earlier)" }, { "hypervisor", "(hypervisor)" },
	{ "interrupts", "(interrupts)" }, { "rt_limit", "(rt limit)" },
};

/* One row: of one victim, culprit and task name. */
struct piece {
	uint32_t cid, kind, culprit;
	char *by, *comm;
	uint64_t ns;
};

static char *key_text(const struct view *v, const struct view_row *row, uint32_t key)
{
	struct sbuf b = { 0 };

	sbuf_reset(&b);
	view_put_key(v, &b, row, key);
	return b.s;
}

static struct piece take(const struct view *v, const struct view_row *row, const char *drop)
{
	const struct ctrace_table *t = row->t->t;
	bool other = row->r->other || row->r->cid == CTRACE_CID_ALL;
	struct piece p = { .cid = row->r->cid, .ns = row->r->values[t->values[view_column(t, CTRACE_TABLE_SUM)].at] };
	struct sbuf by = { 0 };

	sbuf_reset(&by);
	for (uint32_t k = 0; k < t->nkeys && !other; k++) {
		const char *name = t->keys[k].name + (*t->keys[k].name == '$');
		uint64_t n = row->r->key[t->keys[k].at];

		if (!strcmp(name, "culprit")) {
			p.kind = n < ARRAY_SIZE(kinds) ? (uint32_t)n : 0;
		} else if (!strcmp(name, "culprit_cid")) {
			p.culprit = (uint32_t)n;
		} else if (!strcmp(name, "culprit_comm")) {
			p.comm = key_text(v, row, k);
		} else if (!view_list_has(drop, name)) {
			sbuf_puts(&by, by.len ? ", " : "");
			view_put_key(v, &by, row, k);
		}
	}
	if (p.kind != CTRACE_CULPRIT_NEIGHBOUR)
		p.culprit = 0;
	p.by = by.s;
	p.comm = p.comm ? p.comm : xstrdup("");
	return p;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_place(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;
	int r = compare(x->cid, y->cid);

	r = r ? r : strcmp(x->by, y->by);
	r = r ? r : compare(x->kind, y->kind);
	r = r ? r : compare(x->culprit, y->culprit);
	return r ? r : strcmp(x->comm, y->comm);
}

static int by_culprit(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;
	int r = compare(x->kind, y->kind);

	r = r ? r : compare(x->culprit, y->culprit);
	return r ? r : strcmp(x->comm, y->comm);
}

static int culprit_by_time(const void *a, const void *b)
{
	const struct blame_culprit *x = a, *y = b;

	return compare(y->ns, x->ns);
}

static int victim_by_time(const void *a, const void *b)
{
	const struct blame_victim *x = a, *y = b;

	return compare(y->ns, x->ns);
}

/* Pieces of one victim, ordered by culprit and name. */
static void add_up(struct blame_victim *x, const struct piece *p, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		struct blame_culprit *c = x->n ? &x->v[x->n - 1] : NULL;
		uint64_t ns = 0;

		for (end = i; end < n && !by_culprit(&p[i], &p[end]); end++)
			ns += p[end].ns;
		if (!c || c->kind != p[i].kind || c->cid != p[i].culprit) {
			x->v = xrealloc(x->v, (x->n + 1) * sizeof(x->v[0]));
			c = &x->v[x->n++];
			*c = (struct blame_culprit){ .kind = p[i].kind, .cid = p[i].culprit, .comm = xstrdup("") };
		}
		c->ns += ns;
		x->ns += ns;
		if (ns > c->comm_ns) {
			free(c->comm);
			c->comm = xstrdup(p[i].comm);
			c->comm_ns = ns;
		}
	}
	if (x->n)
		qsort(x->v, x->n, sizeof(x->v[0]), culprit_by_time);
}

static bool began_by(const struct view_row *row, uint32_t reason)
{
	int k = view_key(row->t->t, "reason");

	return k >= 0 && !row->r->other && row->r->key[row->t->t->keys[k].at] == reason;
}

void blame_make(struct view *v, size_t group, const char *drop, uint32_t but, struct blame *b)
{
	const struct ctrace_look_row *r;
	struct piece *p = NULL;
	size_t n = 0, end;

	memset(b, 0, sizeof(*b));
	for (size_t i = 0; i < v->ntables; i++) {
		const struct view_table *t = &v->tables[i];

		if (t->group != group)
			continue;
		p = xrealloc(p, (n + ctrace_look_rows(t->gain) + 1) * sizeof(p[0]));
		for (size_t k = 0; (r = ctrace_look_row(t->gain, k)); k++) {
			const struct view_row row = { t, r };

			if (view_shows(v, r) && !(but && began_by(&row, but)))
				p[n++] = take(v, &row, drop);
		}
	}
	if (n)
		qsort(p, n, sizeof(p[0]), by_place);
	for (size_t i = 0; i < n; i = end) {
		for (end = i; end < n && p[end].cid == p[i].cid && !strcmp(p[end].by, p[i].by); end++)
			;
		b->v = xrealloc(b->v, (b->n + 1) * sizeof(b->v[0]));
		b->v[b->n] = (struct blame_victim){ .cid = p[i].cid, .by = xstrdup(p[i].by) };
		add_up(&b->v[b->n++], p + i, end - i);
	}
	if (b->n)
		qsort(b->v, b->n, sizeof(b->v[0]), victim_by_time);
	if (n)
		qsort(p, n, sizeof(p[0]), by_culprit);
	b->all = (struct blame_victim){ .cid = CTRACE_CID_ALL, .by = xstrdup("") };
	add_up(&b->all, p, n);
	for (size_t i = 0; i < n; i++) {
		free(p[i].by);
		free(p[i].comm);
	}
	free(p);
}

static void free_victim(struct blame_victim *x)
{
	for (size_t i = 0; i < x->n; i++)
		free(x->v[i].comm);
	free(x->v);
	free(x->by);
}

void blame_free(struct blame *b)
{
	for (size_t i = 0; i < b->n; i++)
		free_victim(&b->v[i]);
	free_victim(&b->all);
	free(b->v);
}

const char *blame_kind(const struct blame_culprit *c)
{
	return kinds[c->kind].json;
}

bool blame_is_observer(const struct blame_culprit *c)
{
	return c->kind == CTRACE_CULPRIT_HOST && comms_ours(c->comm, strlen(c->comm));
}

void blame_put_culprit(const struct view *v, struct sbuf *b, const struct blame_culprit *c)
{
	if (c->kind == CTRACE_CULPRIT_NEIGHBOUR || c->kind == CTRACE_CULPRIT_HOST)
		view_put_other_container(v, b, c->cid);
	else
		sbuf_puts(b, kinds[c->kind].text);
}

void blame_json_culprits(const struct view *v, struct json *j, const struct blame_victim *x)
{
	json_open(j, "culprits", '[');
	for (size_t i = 0; i < x->n; i++) {
		const struct blame_culprit *c = &x->v[i];

		json_open(j, NULL, '{');
		json_str(j, "culprit", blame_kind(c));
		if (c->kind == CTRACE_CULPRIT_NEIGHBOUR || c->kind == CTRACE_CULPRIT_HOST)
			view_json_other_container(v, j, c->cid);
		json_uint(j, "waited", c->ns);
		if (*c->comm) {
			json_str(j, "comm", c->comm);
			json_uint(j, "comm_waited", c->comm_ns);
		}
		json_close(j, '}');
	}
	json_close(j, ']');
}
