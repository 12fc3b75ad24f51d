// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables: rows claimed, found again, full, given away; numbers added, and merged. Which containers are known
 * is made up. One CPU's part, whose writers do not nest here: selftests/unit/table_steps_test.c nests them.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "aggregate/table.h"

#define ROWS	16u
#define OTHERS	16u
#define STACKS	8u

enum { COUNT, SUM, MIN, MAX, AVG, HIST, UMIN, UMAX, NVALUES };

static struct ctrace_table_shape shape;
static struct ctrace_table_part *part;
static u32 known_from;		/* containers below it are not known */

static bool known(u32 cid)
{
	return cid >= known_from;
}

static int aggregate_init(struct kunit *test)
{
	static const struct {
		u8 fn, words;
		bool is_signed;
	} values[NVALUES] = {
		{ CTRACE_TABLE_COUNT, 1, false }, { CTRACE_TABLE_SUM, 1, true }, { CTRACE_TABLE_MIN, 1, true },
		{ CTRACE_TABLE_MAX, 1, true }, { CTRACE_TABLE_AVG, 2, true }, { CTRACE_TABLE_HIST, CTRACE_TABLE_BUCKETS, true },
		{ CTRACE_TABLE_MIN, 1, false }, { CTRACE_TABLE_MAX, 1, false },
	};
	static const u64 all[2] = { CTRACE_CID_ALL | CTRACE_TABLE_OTHER };
	u32 i, words = 2;

	memset(&shape, 0, sizeof(shape));
	known_from = 0;
	shape.key_words = 2;
	shape.nvalues = NVALUES;
	for (i = 0; i < NVALUES; i++) {
		shape.values[i].fn = values[i].fn;
		shape.values[i].is_signed = values[i].is_signed;
		shape.values[i].at = words;
		words += values[i].words;
	}
	shape.row_size = sizeof(struct ctrace_table_row) + words * sizeof(u64);
	shape.rows_mask = ROWS - 1;
	shape.others_mask = OTHERS - 1;
	shape.stacks_mask = STACKS - 1;
	shape.rows_off = sizeof(*part);
	shape.others_off = shape.rows_off + ROWS * shape.row_size;
	shape.stacks_off = shape.others_off + OTHERS * shape.row_size;
	part = kzalloc(shape.stacks_off + STACKS * sizeof(struct ctrace_table_stack), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, part);
	ctrace_table_make(&shape, ctrace_table_rest(&shape, part), 0, all, 0);
	return 0;
}

static void aggregate_exit(struct kunit *test)
{
	kfree(part);
}

static struct ctrace_table_row *count(u32 cid, u64 key, u32 hash, u64 v, bool alone)
{
	u64 words[2] = { cid, key };
	struct ctrace_table_row *r = ctrace_table_row(&shape, part, words, hash, alone, known);
	u32 i;

	for (i = 0; i < NVALUES; i++)
		ctrace_table_add(&shape, r, i, v);
	return r;
}

static u64 value(const struct ctrace_table_row *r, u32 i)
{
	return r->words[shape.values[i].at];
}

static u64 total(void)
{
	const struct ctrace_table_row *r;
	u64 sum = 0;
	u32 i;

	for (i = 0; i < ROWS + OTHERS; i++) {
		r = ctrace_table_at(&shape, (void *)part + shape.rows_off, i);
		if (r->gen && !(r->gen & 1))
			sum += value(r, COUNT);
	}
	return sum;
}

/* The same key finds its row; another with the same hash takes the next one. */
static void claims(struct kunit *test)
{
	struct ctrace_table_row *a = count(1, 10, 3, 5, true), *b = count(1, 11, 3, 6, true), *c = count(2, 10, 3, 7, true);

	KUNIT_EXPECT_PTR_EQ(test, count(1, 10, 3, 5, true), a);
	KUNIT_EXPECT_PTR_EQ(test, count(1, 11, 3, 5, false), b);
	KUNIT_EXPECT_PTR_EQ(test, count(2, 10, 3, 5, true), c);
	KUNIT_EXPECT_TRUE(test, a != b && b != c && a != c);
	KUNIT_EXPECT_EQ(test, a->gen, 2u);
	KUNIT_EXPECT_EQ(test, value(a, COUNT), 2ull);
	KUNIT_EXPECT_EQ(test, value(b, COUNT), 2ull);
	/* a row that is being made counts no event yet */
	a->gen = 3;
	KUNIT_EXPECT_TRUE(test, count(1, 10, 3, 5, true) != a);
	a->gen = 2;
	KUNIT_EXPECT_EQ(test, total(), 7ull);
}

static void numbers(struct kunit *test)
{
	struct ctrace_table_row *r = count(1, 1, 0, (u64)-5, true);

	KUNIT_EXPECT_EQ(test, (s64)value(r, MIN), -5ll);
	KUNIT_EXPECT_EQ(test, (s64)value(r, MAX), -5ll);
	KUNIT_EXPECT_EQ(test, value(r, UMIN), (u64)-5);
	count(1, 1, 0, 3, true);
	count(1, 1, 0, 1ull << 40, true);
	KUNIT_EXPECT_EQ(test, (s64)value(r, SUM), (1ll << 40) - 2);
	KUNIT_EXPECT_EQ(test, (s64)value(r, MIN), -5ll);
	KUNIT_EXPECT_EQ(test, (s64)value(r, MAX), 1ll << 40);
	KUNIT_EXPECT_EQ(test, value(r, UMIN), 3ull);
	KUNIT_EXPECT_EQ(test, value(r, UMAX), (u64)-5);
	KUNIT_EXPECT_EQ(test, (s64)value(r, AVG), (1ll << 40) - 2);
	KUNIT_EXPECT_EQ(test, r->words[shape.values[AVG].at + 1], 3ull);
	KUNIT_EXPECT_EQ(test, r->words[shape.values[HIST].at], 1ull);
	KUNIT_EXPECT_EQ(test, r->words[shape.values[HIST].at + 3], 1ull);
	KUNIT_EXPECT_EQ(test, r->words[shape.values[HIST].at + 80], 1ull);
}

/*
 * All functions in one step: in stats' order, in any, and with none but one, the numbers are the same as by
 * single steps.
 */
static void one_step(struct kunit *test)
{
	struct ctrace_table_row *a = count(1, 1, 0, 0, true), *b = count(1, 2, 1, 0, true), *c = count(1, 3, 2, 0, true);
	__u64 *standard = c->words + shape.key_words;
	u64 v = 0;
	u32 i;

	for (i = 0; i < NVALUES; i++)
		shape.values[i].is_signed = false;
	shape.one.count = shape.values[COUNT].at;
	shape.one.sum = shape.values[SUM].at;
	shape.one.min = shape.values[UMIN].at;
	shape.one.max = shape.values[UMAX].at;
	shape.one.hist = shape.values[HIST].at;
	ctrace_table_begin(&shape, a);
	ctrace_table_begin(&shape, b);
	memset(standard, 0, (4 + CTRACE_TABLE_BUCKETS) * sizeof(*standard));
	standard[2] = ~0ull;
	for (i = 0; i < 256; i++) {
		/* 2^(i/4) and its neighbours, so that each bucket has some */
		v = (1ull << i / 4) + i % 4 - 1;
		ctrace_table_add(&shape, a, COUNT, v);
		ctrace_table_add(&shape, a, SUM, v);
		ctrace_table_add(&shape, a, UMIN, v);
		ctrace_table_add(&shape, a, UMAX, v);
		ctrace_table_add(&shape, a, HIST, v);
		ctrace_table_add_one(&shape, b, shape.key_words, v);
		shape.standard = true;
		ctrace_table_add_one(&shape, c, shape.key_words, v);
		shape.standard = false;
	}
	KUNIT_EXPECT_EQ(test, value(b, COUNT), 256ull);
	KUNIT_EXPECT_EQ(test, value(b, SUM), value(a, SUM));
	KUNIT_EXPECT_EQ(test, value(b, UMIN), 0ull);
	KUNIT_EXPECT_EQ(test, value(b, UMAX), v);
	KUNIT_EXPECT_EQ(test, standard[0], 256ull);
	KUNIT_EXPECT_EQ(test, standard[1], value(a, SUM));
	KUNIT_EXPECT_EQ(test, standard[2], 0ull);
	KUNIT_EXPECT_EQ(test, standard[3], v);
	for (i = 0; i < CTRACE_TABLE_BUCKETS; i++) {
		KUNIT_EXPECT_EQ(test, b->words[shape.one.hist + i], a->words[shape.one.hist + i]);
		KUNIT_EXPECT_EQ(test, standard[4 + i], a->words[shape.one.hist + i]);
	}
	memset(&shape.one, 0, sizeof(shape.one));
	shape.one.max = shape.values[UMAX].at;
	ctrace_table_add_one(&shape, b, shape.key_words, ~0ull);
	KUNIT_EXPECT_EQ(test, value(b, UMAX), ~0ull);
	KUNIT_EXPECT_EQ(test, value(b, COUNT), 256ull);
}

/* An event that finds no row goes to its container's other row, at last to the row of all. */
static void overflow(struct kunit *test)
{
	struct ctrace_table_row *r, *rest = ctrace_table_rest(&shape, part);
	u32 i;

	for (i = 0; i < CTRACE_TABLE_TRIES; i++)
		count(1, i, 0, 1, true);
	r = count(1, 100, 0, 1, true);
	KUNIT_EXPECT_EQ(test, r->words[0], 1 | CTRACE_TABLE_OTHER);
	KUNIT_EXPECT_EQ(test, r->words[1], 0ull);
	KUNIT_EXPECT_PTR_EQ(test, count(1, 101, 0, 1, true), r);
	for (i = 0; i < 2 * OTHERS; i++)
		count(10 + i, 100, 0, 1, true);
	KUNIT_EXPECT_TRUE(test, value(rest, COUNT) > 0);
	KUNIT_EXPECT_EQ(test, total(), CTRACE_TABLE_TRIES + 2ull + 2 * OTHERS);
	KUNIT_EXPECT_EQ(test, part->recycled, 0ull);
	/* a hash beyond all rows */
	count(1, 200, ~0u, 1, true);
	KUNIT_EXPECT_EQ(test, total(), CTRACE_TABLE_TRIES + 3ull + 2 * OTHERS);
}

/* Rows of containers that are not known are given away, but only by a writer that interrupted none. */
static void recycle(struct kunit *test)
{
	struct ctrace_table_row *r, *rest = ctrace_table_rest(&shape, part);
	u32 i;

	for (i = 0; i < CTRACE_TABLE_TRIES; i++)
		count(1, i, 0, (u64)i - 3, true);
	known_from = 2;
	r = count(5, 0, 0, 7, false);
	KUNIT_EXPECT_EQ(test, r->words[0], 5 | CTRACE_TABLE_OTHER);
	KUNIT_EXPECT_EQ(test, part->recycled, 0ull);
	r = count(5, 0, 0, 7, true);
	KUNIT_EXPECT_EQ(test, r->words[0], 5ull);
	KUNIT_EXPECT_EQ(test, r->gen, 4u);
	KUNIT_EXPECT_EQ(test, value(r, COUNT), 1ull);
	KUNIT_EXPECT_EQ(test, (s64)value(r, MIN), 7ll);
	KUNIT_EXPECT_EQ(test, part->recycled, 2ull);
	KUNIT_EXPECT_EQ(test, value(rest, COUNT), 1ull);
	KUNIT_EXPECT_EQ(test, (s64)value(rest, SUM), -3ll);
	for (i = 1; i < CTRACE_TABLE_TRIES; i++)
		count(5, i, 0, 7, true);
	KUNIT_EXPECT_EQ(test, part->recycled, 2ull * CTRACE_TABLE_TRIES);
	KUNIT_EXPECT_EQ(test, value(rest, COUNT), (u64)CTRACE_TABLE_TRIES);
	KUNIT_EXPECT_EQ(test, (s64)value(rest, MIN), -3ll);
	KUNIT_EXPECT_EQ(test, (s64)value(rest, MAX), 4ll);
	KUNIT_EXPECT_EQ(test, total(), 2ull * CTRACE_TABLE_TRIES + 1);
	/* all are known now: nothing is given away, the row of all least of all */
	count(6, 0, 0, 7, true);
	KUNIT_EXPECT_EQ(test, part->recycled, 2ull * CTRACE_TABLE_TRIES);
	known_from = ~0u;
	for (i = 0; i < 1000; i++)
		count(100 + i, i, i, 7, true);
	KUNIT_EXPECT_EQ(test, rest->words[0], CTRACE_CID_ALL | CTRACE_TABLE_OTHER);
	KUNIT_EXPECT_EQ(test, rest->gen, 2u);
	KUNIT_EXPECT_EQ(test, total(), 2ull * CTRACE_TABLE_TRIES + 2 + 1000);
}

static void stacks(struct kunit *test)
{
	u64 frames[CTRACE_TABLE_FRAMES];
	u64 first;
	u32 i;

	for (i = 0; i < CTRACE_TABLE_FRAMES; i++)
		frames[i] = i;
	first = ctrace_table_stack(&shape, part, frames, CTRACE_TABLE_FRAMES, 5);
	KUNIT_EXPECT_EQ(test, first, 6ull);
	KUNIT_EXPECT_EQ(test, ctrace_table_stack(&shape, part, frames, CTRACE_TABLE_FRAMES, 5), first);
	KUNIT_EXPECT_TRUE(test, ctrace_table_stack(&shape, part, frames, CTRACE_TABLE_FRAMES - 1, 5) != first);
	for (i = 0; i < 2 * STACKS; i++) {
		frames[0] = 1000 + i;
		ctrace_table_stack(&shape, part, frames, 2, i);
	}
	KUNIT_EXPECT_EQ(test, part->stacks_lost, STACKS + 2ull);
	KUNIT_EXPECT_EQ(test, ctrace_table_stack(&shape, part, frames, 0, 0), 0ull);
	KUNIT_EXPECT_EQ(test, part->stacks_lost, STACKS + 2ull);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(claims), KUNIT_CASE(numbers), KUNIT_CASE(one_step), KUNIT_CASE(overflow), KUNIT_CASE(recycle), KUNIT_CASE(stacks), { }
};

static struct kunit_suite suite = {
	.name = "ctrace_aggregate", .init = aggregate_init, .exit = aggregate_exit, .test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("tests of ctrace's tables");
MODULE_LICENSE("GPL");
