// SPDX-License-Identifier: LGPL-2.1-only
/* Makes one row for each key of all parts' rows. Stacks are told apart by their content. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate.h"

#define TRIES	64	/* to read a stack */

/* --- values -------------------------------------------------------------------- */

static bool is_extreme(const struct ctrace_table_column *c)
{
	return c->kind == CTRACE_TABLE_MIN || c->kind == CTRACE_TABLE_MAX;
}

static bool is_less(const struct ctrace_table_column *c, uint64_t x, uint64_t y)
{
	return c->is_signed ? (int64_t)x < (int64_t)y : x < y;
}

/* What no event makes of an extreme. */
static uint64_t none_of(const struct ctrace_table_column *c)
{
	if (c->kind == CTRACE_TABLE_MIN)
		return c->is_signed ? INT64_MAX : UINT64_MAX;
	return c->is_signed ? (uint64_t)INT64_MIN : 0;
}

void ctrace_values_none(const struct ctrace_table *t, uint64_t *v)
{
	uint32_t i;

	memset(v, 0, 8 * (size_t)t->value_words);
	for (i = 0; i < t->nvalues; i++)
		if (is_extreme(&t->values[i]))
			v[t->values[i].at] = none_of(&t->values[i]);
}

void ctrace_values_add(const struct ctrace_table *t, uint64_t *to, const uint64_t *v)
{
	uint32_t i, w;

	for (i = 0; i < t->nvalues; i++) {
		const struct ctrace_table_column *c = &t->values[i];

		if (c->kind == CTRACE_TABLE_MIN) {
			if (is_less(c, v[c->at], to[c->at]))
				to[c->at] = v[c->at];
		} else if (c->kind == CTRACE_TABLE_MAX) {
			if (is_less(c, to[c->at], v[c->at]))
				to[c->at] = v[c->at];
		} else {
			for (w = c->at; w < (uint32_t)c->at + c->words; w++)
				to[w] += v[w];
		}
	}
}

void ctrace_values_subtract(const struct ctrace_table *t, uint64_t *v, const uint64_t *before, bool cut)
{
	uint32_t i, w;

	for (i = 0; i < t->nvalues; i++) {
		const struct ctrace_table_column *c = &t->values[i];
		/* a sum of negative numbers does shrink */
		bool sum = c->kind == CTRACE_TABLE_SUM || c->kind == CTRACE_TABLE_AVG;

		for (w = c->at; !is_extreme(c) && w < (uint32_t)c->at + c->words; w++) {
			v[w] -= before[w];
			if (cut && (int64_t)v[w] < 0 && !(sum && c->is_signed && w == c->at))
				v[w] = 0;
		}
	}
}

bool ctrace_values_any(const struct ctrace_table *t, const uint64_t *v, const uint64_t *now,
		       const uint64_t *before)
{
	uint32_t i, w;

	for (i = 0; i < t->nvalues; i++) {
		const struct ctrace_table_column *c = &t->values[i];

		for (w = c->at; w < (uint32_t)c->at + c->words; w++)
			if (is_extreme(c) ? now[w] != (before ? before[w] : none_of(c)) : v[w] != 0)
				return true;
	}
	return false;
}

/* --- stacks -------------------------------------------------------------------- */

static uint32_t hash_of(const uint64_t *frames, uint32_t n)
{
	uint64_t h = n;
	uint32_t i;

	for (i = 0; i < n; i++)
		h = (h ^ frames[i]) * 0x9e3779b97f4a7c15ull;
	return (uint32_t)(h >> 32);
}

static uint32_t *place_of(const struct ctrace_aggregate *a, const uint64_t *frames, uint32_t n)
{
	uint32_t size = 2 * a->room, i = hash_of(frames, n) & (size - 1);
	const struct ctrace_kept_stack *k;

	for (;; i = (i + 1) & (size - 1)) {
		if (!a->by_content[i])
			return &a->by_content[i];
		k = a->stacks[a->by_content[i] - 1];
		if (k->n == n && !memcmp(k->frames, frames, 8 * (size_t)n))
			return &a->by_content[i];
	}
}

/*
 * There are never more stacks than all parts have places: less than 2^37 bytes of them, so this does not
 * overflow.
 */
static int make_room(struct ctrace_aggregate *a)
{
	uint32_t room = a->room ? 2 * a->room : 64, *by_content, i;
	struct ctrace_kept_stack **stacks;

	if (room > UINT32_MAX / 2)
		return -ENOMEM;
	stacks = realloc(a->stacks, room * sizeof(stacks[0]));
	if (!stacks)
		return -ENOMEM;
	a->stacks = stacks;
	by_content = calloc(2 * (size_t)room, sizeof(by_content[0]));
	if (!by_content)
		return -ENOMEM;
	free(a->by_content);
	a->by_content = by_content;
	a->room = room;
	for (i = 0; i < a->nkept; i++)
		*place_of(a, stacks[i]->frames, stacks[i]->n) = i + 1;
	return 0;
}

static int64_t keep(struct ctrace_aggregate *a, const uint64_t *frames, uint32_t n)
{
	struct ctrace_kept_stack *k;
	uint32_t *place;

	if (a->nkept == a->room && make_room(a))
		return -ENOMEM;
	place = place_of(a, frames, n);
	if (*place)
		return *place;
	k = malloc(sizeof(*k) + 8 * (size_t)n);
	if (!k)
		return -ENOMEM;
	k->n = n;
	memcpy(k->frames, frames, 8 * (size_t)n);
	a->stacks[a->nkept++] = k;
	return *place = a->nkept;
}

int64_t ctrace_stack_number(struct ctrace_aggregate *a, uint32_t cpu, uint64_t word)
{
	const struct ctrace_table *t = &a->t;
	const struct ctrace_table_stack *s;
	uint64_t frames[CTRACE_TABLE_FRAMES];
	uint32_t *known, gen, n, i, tries;
	int64_t number;

	if (!word || word > t->nstacks)
		return 0;
	known = &a->known[(size_t)cpu * t->nstacks + word - 1];
	if (*known)
		return *known;
	s = (const void *)(a->at + t->parts_off + cpu * t->part_stride + t->stacks_off);
	s += word - 1;
	for (tries = 0; tries < TRIES; tries++) {
		gen = ctrace_load_acquire(&s->gen);
		if (!gen || gen & 1)
			continue;
		n = ctrace_load(&s->n);
		if (n > CTRACE_TABLE_FRAMES)
			return 0;
		for (i = 0; i < n; i++)
			frames[i] = ctrace_load(&s->frames[i]);
		ctrace_rmb();
		if (ctrace_load(&s->gen) != gen)
			continue;
		number = n ? keep(a, frames, n) : 0;
		if (number > 0)
			*known = (uint32_t)number;
		return number;
	}
	return 0;
}

/* --- one row for each key --------------------------------------------------------- */

static int compare(const uint64_t *x, const uint64_t *y, uint32_t key_words)
{
	uint32_t i;

	if ((uint32_t)x[0] != (uint32_t)y[0])
		return (uint32_t)x[0] < (uint32_t)y[0] ? -1 : 1;
	for (i = 0; i < key_words; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static int by_key(const void *a, const void *b, void *arg)
{
	const struct ctrace_raw_row *const *x = a, *const *y = b;

	return compare((*x)->words, (*y)->words, *(const uint32_t *)arg);
}

int ctrace_look_merge(struct ctrace_look *l)
{
	const struct ctrace_table *t = &l->a->t;
	struct ctrace_raw_row *raw = l->raw.items, **sorted;
	uint64_t *words = l->words.items, *sum;
	uint32_t key_words = t->key_words;
	struct ctrace_look_row *row = NULL;
	size_t i, n = l->raw.n;

	/* a row or none: the sizes are never 0 */
	sorted = malloc((n + 1) * sizeof(sorted[0]));
	l->rows = calloc(n + 1, sizeof(l->rows[0]));
	l->values = calloc(n + 1, 8 * (size_t)t->value_words + 8);
	if (!sorted || !l->rows || !l->values) {
		free(sorted);
		return -ENOMEM;
	}
	for (i = 0; i < n; i++) {
		raw[i].words = words + i * ctrace_row_words(t);
		sorted[i] = &raw[i];
	}
	qsort_r(sorted, n, sizeof(sorted[0]), by_key, &key_words);
	for (i = 0; i < n; i++) {
		const uint64_t *key = sorted[i]->words;

		if (!row || compare(row->key, key, key_words)) {
			sum = l->values + l->n * t->value_words;
			row = &l->rows[l->n++];
			*row = (struct ctrace_look_row){
				.cid = (uint32_t)key[0], .other = key[0] >> 32, .key = key, .values = sum,
			};
			ctrace_values_none(t, sum);
		}
		ctrace_values_add(t, sum, key + key_words);
	}
	free(sorted);
	return 0;
}
