// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the entries that may match a container without a look at all others: there may be as many entries as
 * containers, and each birth asks. An entry is on one list for each key by which it may be found. A list has
 * its entries in the order in which they were added, because the first of two with one rank wins.
 */
#include <stdlib.h>
#include <string.h>
#include "names/names.h"

#define NONE	UINT32_MAX

static uint32_t hash(const char *s, size_t len)
{
	uint32_t h = 2166136261u;	/* FNV-1a */

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	return h;
}

static uint32_t hash_word(const char *s)
{
	return s ? hash(s, strlen(s)) : 0;
}

/* Hashes path's last component; without "/payload", which systemd-nspawn adds (names_match()). */
static uint32_t hash_last(const char *path)
{
	size_t n = strlen(path), p = sizeof(NAMES_PAYLOAD) - 1, from;

	if (n > p && !strcmp(path + n - p, NAMES_PAYLOAD))
		n -= p;
	for (from = n; from && path[from - 1] != '/';)
		from--;
	return hash(path + from, n - from);
}

static struct names_list *list(const struct names *n, enum names_by by, uint32_t h)
{
	return &n->lists[by * n->cap + (h & (n->cap - 1))];
}

static void append(struct names *n, enum names_by by, uint32_t h, uint32_t i)
{
	struct names_list *l = list(n, by, h);

	n->v[i].next[by] = NONE;
	if (l->first == NONE)
		l->first = i;
	else
		n->v[l->last].next[by] = i;
	l->last = i;
}

static void append_all(struct names *n, uint32_t i)
{
	const struct name_entry *e = &n->v[i];

	if (*e->id)
		append(n, NAMES_BY_ID, hash_word(e->id), i);
	if (e->unit)
		append(n, NAMES_BY_UNIT, hash_last(e->unit), i);
	if (e->cgroup)
		append(n, NAMES_BY_CGROUP, hash_word(e->cgroup), i);
	else if (e->pid)
		append(n, NAMES_BY_PID, e->pid, i);
	if (e->rank == NAME_POD && e->r.pod)
		append(n, NAMES_BY_POD, hash_word(e->r.pod_uid), i);
}

/* The lists are as many as there is room for entries. */
void names_index(struct names *n)
{
	size_t all = NAMES_BYS * n->cap;

	if (!all)
		return;
	n->lists = xrealloc(n->lists, all * sizeof(n->lists[0]));
	for (size_t i = 0; i < all; i++)
		n->lists[i].first = NONE;
	for (size_t i = 0; i < n->n; i++)
		append_all(n, (uint32_t)i);
}

void names_index_last(struct names *n)
{
	append_all(n, (uint32_t)n->n - 1);
}

static void begin(struct names_walk *w, const struct names *n, enum names_by by, uint32_t h)
{
	w->at[by] = n->cap ? list(n, by, h)->first : NONE;
}

struct names_walk names_walk(const struct names *n, const struct ctrace_container *c)
{
	struct names_walk w;

	for (int by = 0; by < NAMES_BYS; by++)
		w.at[by] = NONE;
	if (c->runtime_id[0]) {
		begin(&w, n, NAMES_BY_ID, hash_word(c->runtime_id));
	} else {
		begin(&w, n, NAMES_BY_UNIT, hash_last(c->path));
		begin(&w, n, NAMES_BY_CGROUP, hash_word(c->path));
		begin(&w, n, NAMES_BY_PID, c->init_pid);
	}
	return w;
}

struct names_walk names_walk_id(const struct names *n, const char *id)
{
	struct names_walk w;

	for (int by = 0; by < NAMES_BYS; by++)
		w.at[by] = NONE;
	begin(&w, n, NAMES_BY_ID, hash_word(id));
	return w;
}

struct names_walk names_walk_pod(const struct names *n, const char *uid)
{
	struct names_walk w;

	for (int by = 0; by < NAMES_BYS; by++)
		w.at[by] = NONE;
	begin(&w, n, NAMES_BY_POD, hash_word(uid));
	return w;
}

const struct name_entry *names_next(const struct names *n, struct names_walk *w)
{
	uint32_t i = NONE;

	for (int by = 0; by < NAMES_BYS; by++)
		if (w->at[by] < i)
			i = w->at[by];
	if (i == NONE)
		return NULL;
	for (int by = 0; by < NAMES_BYS; by++)
		if (w->at[by] == i)
			w->at[by] = n->v[i].next[by];
	return &n->v[i];
}

const struct name_entry *names_next_match(const struct names *n, struct names_walk *w, const struct ctrace_container *c)
{
	const struct name_entry *e;

	do
		e = names_next(n, w);
	while (e && !names_match(e, c));
	return e;
}
