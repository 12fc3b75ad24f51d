// SPDX-License-Identifier: GPL-2.0-only
/* Tables: made, freed, and an event counted in one. The algorithm is in table.h. */
#include <linux/jhash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include "aggregate/aggregate.h"
#include "event/event.h"
#include "identity/container.h"

#define ROWS_DEFAULT	1024u
#define OTHERS_MIN	64u
#define STACKS_MIN	64u

/* --- making ---------------------------------------------------------------------- */

static u16 *place_of(struct ctrace_table_shape *s, u8 fn)
{
	switch (fn) {
	case CTRACE_TABLE_COUNT:
		return &s->one.count;
	case CTRACE_TABLE_SUM:
		return &s->one.sum;
	case CTRACE_TABLE_MIN:
		return &s->one.min;
	case CTRACE_TABLE_MAX:
		return &s->one.max;
	default:
		return &s->one.hist;
	}
}

static bool set_place(struct ctrace_table_shape *s, u8 fn, u16 at)
{
	u16 *place = place_of(s, fn);
	bool free = !*place;

	*place = at;
	return free;
}

static bool is_of(const struct ctrace_agg_column *c, const struct ctrace_agg_column *as)
{
	return c->kind == CTRACE_TABLE_COUNT || (!c->is_signed && c->what == as->what && c->part == as->part);
}

/* Sets s->one. False: the functions are not alike. */
static bool set_alike(struct ctrace_table_shape *s, const struct ctrace_agg *a)
{
	u32 i;

	for (s->of = 0; s->of + 1 < s->nvalues && a->values[s->of].kind == CTRACE_TABLE_COUNT; s->of++)
		;
	for (i = 0; i < s->nvalues; i++) {
		if (!is_of(&a->values[i], &a->values[s->of]))
			return false;
		if (s->values[i].fn != CTRACE_TABLE_AVG) {
			if (!set_place(s, s->values[i].fn, s->values[i].at))
				return false;
		} else if (!set_place(s, CTRACE_TABLE_SUM, s->values[i].at) ||
			   !set_place(s, CTRACE_TABLE_COUNT, s->values[i].at + 1)) {
			return false;
		}
	}
	return true;
}

static void set_columns(struct ctrace_table_shape *s, const struct ctrace_agg *a)
{
	u32 i;

	s->key_words = a->key_words;
	s->row_size = sizeof(struct ctrace_table_row) + (a->key_words + a->value_words) * sizeof(u64);
	s->nvalues = a->nvalues;
	for (i = 0; i < a->nvalues; i++) {
		s->values[i].fn = a->values[i].kind;
		s->values[i].is_signed = a->values[i].is_signed;
		s->values[i].at = a->key_words + a->values[i].from;
	}
	s->alike = set_alike(s, a);
	s->standard = s->alike && s->nvalues == 5 && s->one.count == s->key_words && s->one.sum == s->key_words + 1 &&
		      s->one.min == s->key_words + 2 && s->one.max == s->key_words + 3 && s->one.hist == s->key_words + 4;
}

/* Returns the bytes of a part, or 0 if they are more than a part may have. */
static u64 set_sizes(struct ctrace_table_shape *s, const struct ctrace_agg *a, u32 rows)
{
	u32 others = max(OTHERS_MIN, rows / 8), stacks = a->stack || a->ustack ? max(STACKS_MIN, rows) : 0;
	u64 at = sizeof(struct ctrace_table_part);

	s->rows_mask = rows - 1;
	s->others_mask = others - 1;
	s->stacks_mask = stacks ? stacks - 1 : 0;
	s->rows_off = at;
	at += (u64)rows * s->row_size;
	if (at > U32_MAX)
		return 0;
	s->others_off = at;
	at += (u64)others * s->row_size;
	if (at > U32_MAX)
		return 0;
	s->stacks_off = at;
	at += (u64)stacks * sizeof(struct ctrace_table_stack);
	return at > U32_MAX ? 0 : PAGE_ALIGN(at);
}

static void fill_header(struct ctrace_table *h, const struct ctrace_aggregate *t, const struct ctrace_agg *a, u32 probe,
			u64 part)
{
	const struct ctrace_table_shape *s = &t->shape;

	h->magic = CTRACE_TABLE_MAGIC;
	h->probe = probe;
	h->ncpus = nr_cpu_ids;
	h->nkeys = a->nkeys;
	h->nvalues = a->nvalues;
	h->key_words = a->key_words;
	h->value_words = a->value_words;
	h->row_size = s->row_size;
	h->nrows = s->rows_mask + 1;
	h->nothers = s->others_mask + 1;
	h->nstacks = a->stack || a->ustack ? s->stacks_mask + 1 : 0;
	h->parts_off = PAGE_ALIGN(sizeof(*h));
	h->part_stride = part;
	h->rows_off = s->rows_off;
	h->others_off = s->others_off;
	h->stacks_off = s->stacks_off;
	h->size = h->parts_off + nr_cpu_ids * part;
	memcpy(h->keys, a->key_names, sizeof(h->keys));
	memcpy(h->values, a->value_names, sizeof(h->values));
}

/* Each CPU's part, with the row for events that find no other. mem is zeroed. */
static void make_parts(struct ctrace_aggregate *t, void *mem, u64 part)
{
	static const u64 all[CTRACE_TABLE_KEY_WORDS] = { CTRACE_CID_ALL | CTRACE_TABLE_OTHER };
	struct ctrace_table_part *p;
	int cpu;

	for_each_possible_cpu(cpu) {
		p = mem + cpu * part;
		per_cpu_ptr(t->cpu, cpu)->part = p;
		ctrace_table_make(&t->shape, ctrace_table_rest(&t->shape, p), 0, all, 0);
	}
}

int ctrace_aggregate_new(const struct ctrace_agg *agg, u32 rows, u32 probe, struct ctrace_table_room *room,
			 struct ctrace_aggregate **out, char *why)
{
	struct ctrace_aggregate *t;
	struct ctrace_table *h;
	u64 part, size;

	rows = roundup_pow_of_two(rows ?: ROWS_DEFAULT);
	t = kzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);
	if (!t)
		return -ENOMEM;
	set_columns(&t->shape, agg);
	part = set_sizes(&t->shape, agg, rows);
	size = PAGE_ALIGN(sizeof(*h)) + nr_cpu_ids * part;
	if (!part || size > room->size - room->used) {
		kfree(t);
		if (!part)
			return ctrace_why(why, -ENOSPC, "a table of %u rows for each CPU is too large: a CPU has at most 4 GiB", rows);
		return ctrace_why(why, -ENOSPC,
				  "a table of %u rows for each of %u CPUs needs %llu KiB, but CTRACE_A_SESSION_TABLE_SIZE leaves %llu",
				  rows, nr_cpu_ids, size >> 10, (room->size - room->used) >> 10);
	}
	t->cpu = alloc_percpu(struct ctrace_aggregate_cpu);
	if (!t->cpu) {
		kfree(t);
		return -ENOMEM;
	}
	h = room->mem + room->used;
	t->offset = room->offset + room->used;
	t->rows = rows;
	room->used += size;
	make_parts(t, (void *)h + PAGE_ALIGN(sizeof(*h)), part);
	fill_header(h, t, agg, probe, part);
	*out = t;
	return 0;
}

void ctrace_table_room_back(struct ctrace_table_room *room, u64 used)
{
	memset(room->mem + used, 0, room->used - used);
	room->used = used;
}

void ctrace_aggregate_free(struct ctrace_aggregate *t)
{
	if (!t)
		return;
	free_percpu(t->cpu);
	kfree(t);
}

bool ctrace_aggregate_fits(const struct ctrace_aggregate *t, const struct ctrace_agg *a)
{
	struct ctrace_table_shape s = { };

	set_columns(&s, a);
	return s.row_size == t->shape.row_size && s.key_words == t->shape.key_words && s.nvalues == t->shape.nvalues &&
	       s.alike == t->shape.alike && !memcmp(s.values, t->shape.values, sizeof(s.values));
}

/* --- counting --------------------------------------------------------------------- */

static u64 stack_key(struct ctrace_aggregate *t, struct ctrace_table_part *part, const struct ctrace_aggregate_event *e,
		     u32 (*stack)(u64 *to, const void *arg))
{
	u32 n;

	if (!e->frames) {
		ctrace_table_plus(&part->stacks_lost, 1);
		return 0;
	}
	n = stack(e->frames, e->arg);
	return ctrace_table_stack(&t->shape, part, e->frames, n, jhash2((u32 *)e->frames, n * 2, 0));
}

static noinline void add_stacks(struct ctrace_aggregate *t, struct ctrace_table_part *part, const struct ctrace_agg *agg,
				const struct ctrace_aggregate_event *e, u64 *key)
{
	u32 i;

	for (i = 0; i < agg->nkeys; i++) {
		if (agg->keys[i].kind == CTRACE_TABLE_KEY_STACK)
			key[agg->keys[i].at] = stack_key(t, part, e, e->kernel_stack);
		else if (agg->keys[i].kind == CTRACE_TABLE_KEY_USTACK)
			key[agg->keys[i].at] = stack_key(t, part, e, e->user_stack);
	}
}

static __always_inline u32 hash_key(const u64 *key, u32 n)
{
	u64 h = 0;
	u32 i;

	for (i = 0; i < n; i++)
		h = ctrace_aggregate_mix(h, key[i]);
	return h >> CTRACE_AGGREGATE_HASH_SHIFT;
}

/* An event that lacks the field of all functions is counted by count() alone. */
static noinline void add_lacking(const struct ctrace_table_shape *s, struct ctrace_table_row *r)
{
	u32 i;

	for (i = 0; i < s->nvalues; i++)
		if (s->values[i].fn == CTRACE_TABLE_COUNT)
			ctrace_table_plus(r->words + s->values[i].at, 1);
}

static __always_inline void add(const struct ctrace_table_shape *s, struct ctrace_table_row *r, const struct ctrace_agg *agg,
				struct ctrace_walk *w)
{
	const struct ctrace_agg_column *c;
	u32 i, what = ~0u;
	bool has = true;
	u64 v = 0;

	if (likely(s->alike)) {
		c = &agg->values[s->of];
		if (c->kind == CTRACE_TABLE_COUNT || ctrace_agg_value(c, w, &v))
			ctrace_table_add_one(s, r, s->key_words, v);
		else
			add_lacking(s, r);
		return;
	}
	for (i = 0; i < agg->nvalues; i++) {
		c = &agg->values[i];
		/* functions of one field mostly stand side by side */
		if (c->kind != CTRACE_TABLE_COUNT && (c->what | c->part << 8) != what) {
			has = ctrace_agg_value(c, w, &v);
			what = c->what | c->part << 8;
		}
		if (has || c->kind == CTRACE_TABLE_COUNT)
			ctrace_table_add(s, r, i, v);
	}
}

noinline void ctrace_aggregate_count(struct ctrace_aggregate *t, const struct ctrace_agg *agg,
				     const struct ctrace_aggregate_event *e)
{
	struct ctrace_table_part *part = this_cpu_read(t->cpu->part);
	bool alone = this_cpu_inc_return(t->cpu->nest) == 1;
	u64 key[CTRACE_TABLE_KEY_WORDS] CTRACE_UNSET;
	struct ctrace_walk w CTRACE_UNSET;
	struct ctrace_table_row *r;

	ctrace_walk_begin(&w, &agg->fields, e->payload, e->len);
	key[0] = e->cid;
	ctrace_agg_key(agg, &w, e->x, e->id, key);
	if (unlikely(agg->stack || agg->ustack))
		add_stacks(t, part, agg, e, key);
	r = ctrace_table_row(&t->shape, part, key, hash_key(key, agg->key_words), alone, ctrace_container_known);
	add(&t->shape, r, agg, &w);
	this_cpu_dec(t->cpu->nest);
}

/* Are all functions of the field that comes first, a duration? */
static bool of_duration(const struct ctrace_aggregate *t, const struct ctrace_agg *a)
{
	const struct ctrace_agg_column *c = &a->values[t->shape.of];

	return t->shape.alike && (c->kind == CTRACE_TABLE_COUNT || (!c->what && !c->part));
}

bool ctrace_aggregate_of_calls(const struct ctrace_aggregate *t, const struct ctrace_agg *a)
{
	BUILD_BUG_ON(offsetof(struct ctrace_call_payload, duration));
	return of_duration(t, a) && a->nkeys >= 1 && a->keys[0].kind == CTRACE_TABLE_KEY_SYSCALL &&
	       (a->nkeys == 1 || (a->nkeys == 2 && a->keys[1].kind == CTRACE_TABLE_KEY_ERRNO));
}

bool ctrace_aggregate_of_waits(const struct ctrace_aggregate *t, const struct ctrace_agg *a)
{
	const struct ctrace_agg_column *c = a->keys;

	return of_duration(t, a) &&
	       (!a->nkeys || (a->nkeys == 1 && c->kind == CTRACE_TABLE_KEY_NUMBER && c->what == 1 && c->op == CTRACE_AGG_PLAIN));
}

/* Field `what` as it is, in that many words. */
static bool is_plain(const struct ctrace_agg_column *c, u8 kind, u8 what, u8 words)
{
	return c->kind == kind && c->what == what && !c->part && c->op == CTRACE_AGG_PLAIN && c->words == words;
}

bool ctrace_aggregate_of_blame(const struct ctrace_aggregate *t, const struct ctrace_agg *a)
{
	const struct ctrace_table_shape *s = &t->shape;

	return of_duration(t, a) && s->nvalues == 2 && s->one.count == s->key_words && s->one.sum == s->key_words + 1 && a->nkeys == 3 &&
	       is_plain(&a->keys[0], CTRACE_TABLE_KEY_NUMBER, 1, 1) && is_plain(&a->keys[1], CTRACE_TABLE_KEY_NUMBER, 2, 1) &&
	       is_plain(&a->keys[2], CTRACE_TABLE_KEY_TEXT, 6, 2);
}

bool ctrace_aggregate_of_io(const struct ctrace_aggregate *t, const struct ctrace_agg *a)
{
	static const struct { u8 fn, of; } values[] = {
		{ CTRACE_TABLE_COUNT }, { CTRACE_TABLE_SUM, 4 }, { CTRACE_TABLE_SUM, 0 }, { CTRACE_TABLE_SUM, 1 },
		{ CTRACE_TABLE_SUM, 2 }, { CTRACE_TABLE_MAX, 0 }, { CTRACE_TABLE_HIST, 0 }, { CTRACE_TABLE_HIST, 1 },
	};
	const struct ctrace_agg_column *c = a->values;
	u32 i;

	if (a->nkeys != 2 || !is_plain(&a->keys[0], CTRACE_TABLE_KEY_NUMBER, 3, 1) ||
	    !is_plain(&a->keys[1], CTRACE_TABLE_KEY_NUMBER, 8, 1) || a->nvalues != ARRAY_SIZE(values))
		return false;
	for (i = 0; i < ARRAY_SIZE(values); i++)
		if (c[i].kind != values[i].fn || (i && (c[i].what != values[i].of || c[i].part || c[i].is_signed)))
			return false;
	return true;
}

noinline void ctrace_aggregate_key_count(const struct ctrace_aggregate *t, const struct ctrace_aggregate_key *k, u64 v)
{
	struct ctrace_table_part *part = this_cpu_read(t->cpu->part);
	bool alone = this_cpu_inc_return(t->cpu->nest) == 1;
	u32 n = t->shape.key_words;

	ctrace_table_add_one(&t->shape, ctrace_table_row(&t->shape, part, k->w, hash_key(k->w, n), alone, ctrace_container_known), n, v);
	this_cpu_dec(t->cpu->nest);
}

void ctrace_aggregate_lost(struct ctrace_aggregate *t)
{
	ctrace_table_plus(&this_cpu_read(t->cpu->part)->lost, 1);
}
