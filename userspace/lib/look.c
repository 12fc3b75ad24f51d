// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A table's rows at a moment, and the difference of two moments. The protocol is at the head of
 * ctrace_table.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "aggregate.h"

#define ROW_TRIES	64	/* to read a row that is being made, which takes as long as an interrupt */
/* to read a part in which rows are given away, before waiting for the writer */
#define PART_TRIES	4
/*
 * A writer gives a row away with preemption off, so only a virtual CPU's host can stop it for long. A look
 * waits for such writers, a second at most for all of them.
 */
#define WAITS		1000u
#define WAIT_NS		1000000

static const char *part_of(const struct ctrace_aggregate *a, uint32_t cpu)
{
	return a->at + a->t.parts_off + cpu * a->t.part_stride;
}

static const struct ctrace_table_row *row_at(const struct ctrace_aggregate *a, uint32_t cpu, uint32_t slot)
{
	const struct ctrace_table *t = &a->t;
	const char *part = part_of(a, cpu);

	if (slot < t->nrows)
		return (const void *)(part + t->rows_off + (uint64_t)slot * t->row_size);
	return (const void *)(part + t->others_off + (uint64_t)(slot - t->nrows) * t->row_size);
}

/* Adds the row to the look, if it is in use. 0 or -ENOMEM. */
static int take_row(struct ctrace_look *l, uint32_t cpu, uint32_t slot)
{
	const struct ctrace_table_row *row = row_at(l->a, cpu, slot);
	size_t n = ctrace_row_words(&l->a->t), i;
	struct ctrace_raw_row *raw;
	uint32_t gen, tries;
	uint64_t *words;

	if (!ctrace_load(&row->gen))
		return 0;
	words = ctrace_list_add_n(&l->words, n);
	raw = ctrace_list_add(&l->raw);
	if (!words || !raw)
		return -ENOMEM;
	for (tries = 0; tries < ROW_TRIES; tries++) {
		gen = ctrace_load_acquire(&row->gen);
		if (gen & 1 || !gen)
			continue;
		for (i = 0; i < n; i++)
			words[i] = ctrace_load(&row->words[i]);
		ctrace_rmb();
		if (ctrace_load(&row->gen) != gen)
			continue;
		raw->cpu = cpu;
		raw->slot = slot;
		raw->gen = gen;
		return 0;
	}
	l->words.n -= n;
	l->raw.n--;
	l->account.busy++;
	return 0;
}

/*
 * Are the rows from the first on still those that were copied? If one was given away since, its numbers may
 * be in the row of CTRACE_CID_ALL as well.
 */
static bool unchanged(const struct ctrace_look *l, size_t first)
{
	const struct ctrace_raw_row *raw = l->raw.items;
	size_t i;

	ctrace_rmb();
	for (i = first; i < l->raw.n; i++)
		if (ctrace_load(&row_at(l->a, raw[i].cpu, raw[i].slot)->gen) != raw[i].gen)
			return false;
	return true;
}

/* Waits before part is read again. False: for long enough. */
static bool may_retry(struct ctrace_look *l, uint32_t tries)
{
	const struct timespec wait = { .tv_nsec = WAIT_NS };

	if (tries < PART_TRIES)
		return true;
	if (l->waits == WAITS)
		return false;
	l->waits++;
	nanosleep(&wait, NULL);
	return true;
}

static int take_part(struct ctrace_look *l, uint32_t cpu)
{
	const struct ctrace_table_part *part = (const void *)part_of(l->a, cpu);
	const size_t first = l->raw.n, first_word = l->words.n;
	const uint64_t busy = l->account.busy;
	uint32_t slot, tries = 0, all = ctrace_slot_of_all(&l->a->t);
	uint64_t recycled;
	int err = 0;

	for (;;) {
		l->raw.n = first;
		l->words.n = first_word;
		l->account.busy = busy;
		recycled = ctrace_load_acquire(&part->recycled);
		for (slot = 0; !err && slot <= all; slot++)
			err = take_row(l, cpu, slot);
		/* odd: a row was being given away when we began */
		if (err || (unchanged(l, first) && !(recycled & 1) && ctrace_load(&part->recycled) == recycled))
			break;
		if (!may_retry(l, ++tries)) {
			l->account.busy++;
			break;
		}
	}
	l->account.recycled += recycled / 2;
	l->account.lost += ctrace_load(&part->lost);
	l->account.stacks_lost += ctrace_load(&part->stacks_lost);
	return err;
}

/* Replaces the places of stacks, which are places in a part, by their numbers. */
static int number_stacks(struct ctrace_look *l)
{
	const struct ctrace_table *t = &l->a->t;
	const struct ctrace_raw_row *raw = l->raw.items;
	uint64_t *words = l->words.items;
	int64_t number;
	uint32_t c;
	size_t i;

	for (c = 0; c < t->nkeys; c++) {
		if (t->keys[c].kind != CTRACE_TABLE_KEY_STACK && t->keys[c].kind != CTRACE_TABLE_KEY_USTACK)
			continue;
		for (i = 0; i < l->raw.n; i++) {
			uint64_t *w = &words[i * ctrace_row_words(t) + t->keys[c].at];

			number = ctrace_stack_number(l->a, raw[i].cpu, *w);
			if (number < 0)
				return (int)number;
			*w = (uint64_t)number;
		}
	}
	return 0;
}

static struct ctrace_look *new_look(struct ctrace_aggregate *a)
{
	struct ctrace_look *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->a = a;
	l->raw.size = sizeof(struct ctrace_raw_row);
	l->words.size = sizeof(uint64_t);
	return l;
}

int ctrace_look_take(struct ctrace_aggregate *a, struct ctrace_look **out)
{
	struct ctrace_look *l = new_look(a);
	int err = l ? 0 : -ENOMEM;
	uint32_t cpu;

	*out = NULL;
	for (cpu = 0; !err && cpu < a->t.ncpus; cpu++)
		err = take_part(l, cpu);
	if (!err)
		err = number_stacks(l);
	if (!err)
		err = ctrace_look_merge(l);
	if (err)
		ctrace_look_free(l);
	else
		*out = l;
	return err;
}

void ctrace_look_free(struct ctrace_look *l)
{
	if (!l)
		return;
	free(l->raw.items);
	free(l->words.items);
	free(l->rows);
	free(l->values);
	free(l);
}

/* --- what came between two looks -------------------------------------------------- */

static bool is_before(const struct ctrace_raw_row *x, const struct ctrace_raw_row *y)
{
	return x->cpu != y->cpu ? x->cpu < y->cpu : x->slot < y->slot;
}

/* Adds a row with these words; the caller changes its values. */
static uint64_t *add_gain(struct ctrace_look *g, const struct ctrace_raw_row *from, const uint64_t *words)
{
	const size_t n = ctrace_row_words(&g->a->t);
	uint64_t *w = ctrace_list_add_n(&g->words, n);
	struct ctrace_raw_row *raw = ctrace_list_add(&g->raw);

	if (!w || !raw)
		return NULL;
	memcpy(w, words, 8 * n);
	raw->cpu = from->cpu;
	raw->slot = from->slot;
	raw->gen = from->gen;
	return w + g->a->t.key_words;
}

static void drop_last(struct ctrace_look *g)
{
	g->raw.n--;
	g->words.n -= ctrace_row_words(&g->a->t);
}

/*
 * Walks over both looks in order of their rows. The row of CTRACE_CID_ALL is the last of each part. So when
 * it comes, `gone` has all that rows of the part have passed to it.
 */
static int subtract(struct ctrace_look *g, const struct ctrace_look *now, const struct ctrace_look *before,
		    uint64_t *gone)
{
	const struct ctrace_raw_row *x = now->raw.items, *y = before->raw.items, *old;
	const struct ctrace_table *t = &g->a->t;
	const uint32_t k = t->key_words;
	uint32_t cpu = UINT32_MAX;
	size_t i, j = 0;
	uint64_t *v;

	for (i = 0; i < now->raw.n; i++, x++) {
		/* of the parts between, no row exists any more */
		while (j < before->raw.n && y[j].cpu < x->cpu)
			j++;
		if (x->cpu != cpu)
			memset(gone, 0, 8 * (size_t)t->value_words);
		cpu = x->cpu;
		for (; j < before->raw.n && is_before(&y[j], x); j++)
			ctrace_values_add(t, gone, y[j].words + k);
		old = j < before->raw.n && !is_before(x, &y[j]) ? &y[j++] : NULL;
		if (old && old->gen != x->gen) {
			ctrace_values_add(t, gone, old->words + k);
			old = NULL;
		}
		v = add_gain(g, x, x->words);
		if (!v)
			return -ENOMEM;
		if (old)
			ctrace_values_subtract(t, v, old->words + k, x->slot != ctrace_slot_of_all(t));
		if (x->slot == ctrace_slot_of_all(t))
			ctrace_values_subtract(t, v, gone, true);
		if (!ctrace_values_any(t, v, x->words + k, old ? old->words + k : NULL))
			drop_last(g);
	}
	return 0;
}

int ctrace_look_gain(const struct ctrace_look *now, const struct ctrace_look *before,
		     struct ctrace_look **out)
{
	struct ctrace_look nothing = { .a = now->a }, *g;
	uint64_t *gone;
	int err;

	*out = NULL;
	if (!before)
		before = &nothing;
	if (now->gain || before->gain || now->a != before->a)
		return -EINVAL;
	g = new_look(now->a);
	gone = calloc(now->a->t.value_words + 1, 8);
	err = g && gone ? subtract(g, now, before, gone) : -ENOMEM;
	free(gone);
	if (!err) {
		g->gain = true;
		g->account.lost = now->account.lost - before->account.lost;
		g->account.stacks_lost = now->account.stacks_lost - before->account.stacks_lost;
		g->account.recycled = now->account.recycled - before->account.recycled;
		g->account.busy = now->account.busy;
		err = ctrace_look_merge(g);
	}
	if (err)
		ctrace_look_free(g);
	else
		*out = g;
	return err;
}

/* --- what is in a look --------------------------------------------------------------- */

void ctrace_look_account(const struct ctrace_look *l, struct ctrace_look_account *to, size_t sz)
{
	ctrace_struct_give(to, sz, &l->account, sizeof(l->account));
}

size_t ctrace_look_rows(const struct ctrace_look *l)
{
	return l->n;
}

const struct ctrace_look_row *ctrace_look_row(const struct ctrace_look *l, size_t i)
{
	return i < l->n ? &l->rows[i] : NULL;
}

const char *ctrace_row_text(const struct ctrace_look *l, const struct ctrace_look_row *row, uint32_t c,
			    size_t *len)
{
	const struct ctrace_table_column *col = &l->a->t.keys[c];
	const char *text = (const char *)&row->key[col->at];

	*len = strnlen(text, 8 * (size_t)col->words);
	return text;
}

const uint64_t *ctrace_row_stack(const struct ctrace_look *l, const struct ctrace_look_row *row, uint32_t c,
				 uint32_t *n)
{
	uint64_t number = row->key[l->a->t.keys[c].at];
	const struct ctrace_kept_stack *k;

	*n = 0;
	if (!number || number > l->a->nkept)
		return NULL;
	k = l->a->stacks[number - 1];
	*n = k->n;
	return k->frames;
}

void ctrace_row_none(const struct ctrace_look *l, uint64_t *sum)
{
	ctrace_values_none(&l->a->t, sum);
}

void ctrace_row_add(const struct ctrace_look *l, uint64_t *sum, const struct ctrace_look_row *row)
{
	ctrace_values_add(&l->a->t, sum, row->values);
}
