// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "base/util.h"
#include "vmcore/last.h"

/* By time; records of one time in the order of their rings. */
static int older(const void *x, const void *y)
{
	const struct kept *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	return a->pos < b->pos ? -1 : a->pos > b->pos;
}

static void up(struct kept *v, size_t i)
{
	struct kept k = v[i];

	for (; i && older(&k, &v[(i - 1) / 2]) < 0; i = (i - 1) / 2)
		v[i] = v[(i - 1) / 2];
	v[i] = k;
}

static void down(struct kept *v, size_t n)
{
	struct kept k = v[0];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && older(&v[child + 1], &v[child]) < 0)
			child++;
		if (older(&k, &v[child]) <= 0)
			break;
		v[i] = v[child];
		i = child;
	}
	v[i] = k;
}

void last_offer(struct last *l, const struct ctrace_record *rec, uint32_t slot, uint64_t pos, size_t max)
{
	struct kept k = { .time = rec->time, .pos = pos, .slot = slot };
	bool full = l->n == max;

	l->offered++;
	if (!max || (full && older(&k, &l->v[0]) <= 0))
		return;
	k.rec = xcalloc(1, rec->len);
	memcpy(k.rec, rec, rec->len);
	if (full) {
		free(l->v[0].rec);
		l->v[0] = k;
		down(l->v, l->n);
		return;
	}
	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 16;
		l->v = xrealloc(l->v, l->room * sizeof(l->v[0]));
	}
	l->v[l->n++] = k;
	up(l->v, l->n - 1);
}

void last_sort(struct last *l)
{
	if (l->n)
		qsort(l->v, l->n, sizeof(l->v[0]), older);
}

void last_free(struct last *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].rec);
	free(l->v);
	*l = (struct last){ 0 };
}
