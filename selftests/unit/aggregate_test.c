// SPDX-License-Identifier: GPL-2.0-only
/* The reader of tables, over tables made by hand: rows of one key, rows that change, ended containers, stacks, nonsense. */
#include <errno.h>
#include <pthread.h>
#include "fake_table.h"
#include "ktap.h"

#define ALL_SLOT	(ROWS + OTHERS - 1)

static uint64_t count_of(const struct ctrace_look *l, uint32_t cid)
{
	const struct ctrace_look_row *r;
	uint64_t n = 0;

	for (size_t i = 0; (r = ctrace_look_row(l, i)); i++)
		n += r->cid == cid ? r->values[0] : 0;
	return n;
}

static struct ctrace_look *look(struct fake_table *f)
{
	struct ctrace_look *l;

	return check_eq(ctrace_look_take(f->a, &l), 0) ? l : NULL;
}

static struct ctrace_look *gain(const struct ctrace_look *now, const struct ctrace_look *before)
{
	struct ctrace_look *l;

	return check_eq(ctrace_look_gain(now, before, &l), 0) ? l : NULL;
}

static void one_row_per_key(void)
{
	struct fake_table f = fake_table();
	const struct ctrace_look_row *r;
	struct ctrace_look *l;
	const char *s;
	size_t len;

	check_eq(fake_open(&f), 0);
	l = look(&f);
	check_eq(ctrace_look_rows(l), 0);
	ctrace_look_free(l);
	/* the same key twice on one CPU, and on another */
	fake_key(fake_row(&f, 0, 1), 7, "nginx", 0);
	fake_key(fake_row(&f, 0, 2), 7, "nginx", 0);
	fake_key(fake_row(&f, 1, 5), 7, "nginx", 0);
	fake_key(fake_row(&f, 1, 6), 7, "sixteen-byte-nam", 0);
	fake_key(fake_row(&f, 1, ROWS), 7 | CTRACE_TABLE_OTHER, "", 0);
	fake_key(fake_row(&f, 1, 0), 3, "x", 0);
	fake_count(fake_row(&f, 0, 1), 5);
	fake_count(fake_row(&f, 0, 2), -9);
	fake_count(fake_row(&f, 1, 5), 4);
	fake_count(fake_row(&f, 1, 6), -3);
	fake_count(fake_row(&f, 1, ROWS), 1);
	l = look(&f);
	if (check_eq(ctrace_look_rows(l), 4)) {
		check_eq(ctrace_look_row(l, 0)->cid, 3);
		check_eq(ctrace_look_row(l, 0)->values[0], 0);
		r = ctrace_look_row(l, 1);
		s = ctrace_row_text(l, r, 0, &len);
		check(len == 5 && !memcmp(s, "nginx", 5));
		check_eq(r->values[0], 3);
		check_eq(r->values[1], 5);
		check_eq(ctrace_hist_count(&r->values[2]), 3);
		check_eq(r->values[2], 1);
		check_eq(r->values[2 + ctrace_table_bucket(5)], 1);
		r = ctrace_look_row(l, 2);
		ctrace_row_text(l, r, 0, &len);
		check_eq(len, 16);
		check_eq((int64_t)r->values[1], -3);
		r = ctrace_look_row(l, 3);
		check(r->other && r->cid == 7);
	}
	check(!ctrace_look_row(l, 4));
	ctrace_look_free(l);
	fake_table_free(&f);
}

/* A row that is being made all the time is left out, and said to be. */
static void torn_rows(void)
{
	struct fake_table f = fake_table();
	struct ctrace_look_account k;
	struct ctrace_look *l;

	check_eq(fake_open(&f), 0);
	fake_key(fake_row(&f, 0, 1), 7, "a", 0);
	fake_count(fake_row(&f, 0, 1), 1);
	fake_row(&f, 0, 3)->gen = 1;
	fake_part(&f, 0)->recycled = 5;	/* odd, for ever: the writer is gone */
	fake_part(&f, 1)->lost = 4;
	fake_part(&f, 1)->stacks_lost = 6;
	l = look(&f);
	check_eq(ctrace_look_rows(l), 1);
	ctrace_look_account(l, &k, sizeof(k));
	check_eq(k.busy, 2);	/* the row, and the part */
	check_eq(k.recycled, 2);
	check_eq(k.lost, 4);
	check_eq(k.stacks_lost, 6);
	ctrace_look_free(l);
	fake_table_free(&f);
}

static void intervals(void)
{
	struct fake_table f = fake_table();
	struct ctrace_look *a, *b, *g, *none;

	check_eq(fake_open(&f), 0);
	fake_key(fake_row(&f, 0, 1), 7, "a", 0);
	fake_key(fake_row(&f, 0, 2), 8, "b", 0);
	fake_count(fake_row(&f, 0, 1), 1);
	fake_count(fake_row(&f, 0, 2), 1);
	a = look(&f);
	g = gain(a, NULL);
	check_eq(count_of(g, 7) + count_of(g, 8), 2);
	ctrace_look_free(g);
	fake_count(fake_row(&f, 0, 1), 100);
	fake_count(fake_row(&f, 0, 1), 3);
	b = look(&f);
	g = gain(b, a);
	check_eq(ctrace_look_rows(g), 1);	/* 8 did nothing */
	check_eq(count_of(g, 7), 2);
	check_eq(ctrace_look_row(g, 0)->values[2 + ctrace_table_bucket(100)], 1);
	check_eq(ctrace_look_row(g, 0)->values[2 + ctrace_table_bucket(1)], 0);
	check_eq(ctrace_look_gain(g, a, &none), -EINVAL);
	check(!none);
	ctrace_look_free(g);
	ctrace_look_free(b);
	ctrace_look_free(a);
	fake_table_free(&f);
}

/* Container 7 has ended; its row is another's, and its numbers are in the row of all. */
static void recycled(void)
{
	struct fake_table f = fake_table();
	struct ctrace_table_row *all = fake_row(&f, 0, ALL_SLOT), *row = fake_row(&f, 0, 1);
	struct ctrace_look *a, *b, *g;

	check_eq(fake_open(&f), 0);
	fake_key(all, CTRACE_CID_ALL | CTRACE_TABLE_OTHER, "", 0);
	fake_key(row, 7, "a", 0);
	for (int i = 0; i < 10; i++)
		fake_count(row, 2);
	fake_count(all, 1);
	a = look(&f);
	/* two more of 7 that no look saw, then it ends; three of 9 */
	fake_count(row, 2);
	fake_count(row, 2);
	for (uint32_t i = 0; i < VALUES; i++)
		if (i != 1)
			all->words[KEYS + i] += row->words[KEYS + i];
	fake_part(&f, 0)->recycled += 2;
	fake_key(row, 9, "b", 0);
	for (int i = 0; i < 3; i++)
		fake_count(row, 8);
	b = look(&f);
	g = gain(b, a);
	check_eq(count_of(b, CTRACE_CID_ALL), 13);
	check_eq(count_of(g, 9), 3);
	check_eq(count_of(g, 7), 0);
	check_eq(count_of(g, CTRACE_CID_ALL), 2);
	for (size_t i = 0; i < ctrace_look_rows(g); i++) {
		const struct ctrace_look_row *r = ctrace_look_row(g, i);

		check_eq(ctrace_hist_count(&r->values[2]), r->values[0]);
	}
	ctrace_look_free(g);
	ctrace_look_free(b);
	/* the row was given away, and its numbers never came: no gain is negative */
	row->gen += 2;
	row->words[KEYS] = 0;
	b = look(&f);
	g = gain(b, a);
	check(count_of(g, CTRACE_CID_ALL) < 100);
	ctrace_look_free(g);
	ctrace_look_free(b);
	ctrace_look_free(a);
	fake_table_free(&f);
}

static void stacks(void)
{
	struct fake_table f = fake_table();
	const struct ctrace_look_row *r;
	const uint64_t *x, *y;
	struct ctrace_look *l;
	uint32_t n, m;

	check_eq(fake_open(&f), 0);
	/* the same stack in different places of two parts; another; and nonsense */
	fake_stack(&f, 0, 0, 3, 0x1000);
	fake_stack(&f, 1, 2, 3, 0x1000);
	fake_stack(&f, 1, 0, 3, 0x2000);
	fake_stack(&f, 1, 3, CTRACE_TABLE_FRAMES + 1, 0x1000);
	fake_key(fake_row(&f, 0, 0), 7, "a", 1);
	fake_key(fake_row(&f, 1, 0), 7, "a", 3);
	fake_key(fake_row(&f, 1, 1), 7, "a", 1);
	fake_key(fake_row(&f, 1, 2), 7, "a", 4);
	fake_key(fake_row(&f, 1, 3), 7, "a", 99);
	fake_key(fake_row(&f, 1, 4), 7, "a", UINT64_MAX);
	fake_key(fake_row(&f, 0, 5), 7, "a", 2);	/* not made yet */
	for (uint32_t i = 0; i < 5; i++)
		fake_count(fake_row(&f, 1, i), 1);
	fake_count(fake_row(&f, 0, 0), 1);
	fake_count(fake_row(&f, 0, 5), 1);
	l = look(&f);
	if (check_eq(ctrace_look_rows(l), 3)) {
		r = ctrace_look_row(l, 0);
		check(!ctrace_row_stack(l, r, 1, &n) && !n);
		check_eq(r->values[0], 4);
		x = ctrace_row_stack(l, ctrace_look_row(l, 1), 1, &n);
		y = ctrace_row_stack(l, ctrace_look_row(l, 2), 1, &m);
		check_eq(n, 3);
		check_eq(m, 3);
		check(x != y && x[0] == 0x1000 && x[2] == 0x1002 && y[0] == 0x2000);
		check_eq(ctrace_look_row(l, 1)->values[0], 2);
	}
	ctrace_look_free(l);
	fake_table_free(&f);
}

/* Each value of the header that is computed with, wrong in several ways: refused, or harmless. */
static void corrupt(void)
{
	static const uint64_t nonsense[] = {
		0, 1, 3, 7, 8, 4096, 0x7fffffff, 0x80000000u, 0xffffffffu, 1ull << 32, 1ull << 63, UINT64_MAX, UINT64_MAX - 7,
	};
	unsigned int refused = 0;

	for (size_t at = 0; at < sizeof(struct ctrace_table); at += 4)
		for (size_t i = 0; i < sizeof(nonsense) / sizeof(nonsense[0]); i++) {
			struct fake_table f = fake_table();
			struct ctrace_look *l;

			memcpy((char *)f.t + at, &nonsense[i], at + 8 <= sizeof(*f.t) && at % 8 == 0 ? 8 : 4);
			for (uint32_t cpu = 0; cpu < CPUS; cpu++)
				for (uint32_t slot = 0; slot <= ALL_SLOT; slot++)
					fake_key(fake_row(&f, cpu, slot), slot, "x", slot);
			if (fake_open(&f)) {
				refused++;
			} else if (!ctrace_look_take(f.a, &l)) {
				ctrace_look_free(l);
			}
			fake_table_free(&f);
		}
	check(refused > 200);
}

static void wrong_places(void)
{
	struct fake_table f = fake_table();

	check_eq(ctrace_aggregate_open_map(f.map, 0, 0, 0, &f.a), -ENOENT);
	check_eq(ctrace_aggregate_open_map(f.map, TABLES_OFF, TABLES_SIZE, 0, &f.a), -EPROTO);
	check_eq(ctrace_aggregate_open_map(f.map, TABLES_OFF, TABLES_SIZE, TABLES_OFF + 4, &f.a), -EPROTO);
	check_eq(ctrace_aggregate_open_map(f.map, TABLES_OFF, TABLES_SIZE, TABLES_OFF + 8, &f.a), -EPROTO);
	check_eq(ctrace_aggregate_open_map(f.map, TABLES_OFF, TABLES_SIZE, TABLES_OFF + TABLES_SIZE, &f.a), -EPROTO);
	check_eq(ctrace_aggregate_open_map(f.map, TABLES_OFF, TABLES_SIZE, UINT64_MAX - 7, &f.a), -EPROTO);
	check_eq(ctrace_aggregate_open_map(f.map, TABLES_OFF, TABLES_SIZE - 8, TABLES_OFF, &f.a), -EPROTO);
	check_eq(fake_open(&f), 0);
	check(ctrace_aggregate_size(CPUS, ROWS, KEYS, VALUES, true) >= TABLES_SIZE);
	check(ctrace_aggregate_size(1, UINT32_MAX, KEYS, VALUES, true) > (uint64_t)CTRACE_TABLE_ROWS_MAX * ROW);
	fake_table_free(&f);
}

static bool stop;

/* Gives one row away again and again: each key's numbers are its own, and the sum over all rows only grows. */
static void *writer(void *arg)
{
	struct fake_table *f = arg;
	struct ctrace_table_row *row = fake_row(f, 0, 1), *all = fake_row(f, 0, ALL_SLOT);
	struct ctrace_table_part *part = fake_part(f, 0);
	uint32_t cid = 1;

	for (; !__atomic_load_n(&stop, __ATOMIC_RELAXED); cid++) {
		for (uint32_t i = 0; i < cid % 50; i++)
			__atomic_store_n(&row->words[KEYS], row->words[KEYS] + 1, __ATOMIC_RELEASE);
		__atomic_store_n(&part->recycled, part->recycled + 1, __ATOMIC_SEQ_CST);
		__atomic_store_n(&row->gen, row->gen + 1, __ATOMIC_SEQ_CST);
		__atomic_store_n(&all->words[KEYS], all->words[KEYS] + row->words[KEYS], __ATOMIC_SEQ_CST);
		__atomic_store_n(&row->words[0], cid + 1, __ATOMIC_SEQ_CST);
		__atomic_store_n(&row->words[KEYS], 0, __ATOMIC_SEQ_CST);
		__atomic_store_n(&row->gen, row->gen + 1, __ATOMIC_SEQ_CST);
		__atomic_store_n(&part->recycled, part->recycled + 1, __ATOMIC_SEQ_CST);
		for (volatile int i = 0; i < 2000; i++)
			;
	}
	return NULL;
}

static void while_rows_go(void)
{
	struct fake_table f = fake_table();
	struct ctrace_look *last = NULL, *now, *g;
	uint64_t seen = 0, total = 0;
	pthread_t t;

	check_eq(fake_open(&f), 0);
	fake_key(fake_row(&f, 0, 1), 1, "", 0);
	fake_key(fake_row(&f, 0, ALL_SLOT), CTRACE_CID_ALL | CTRACE_TABLE_OTHER, "", 0);
	pthread_create(&t, NULL, writer, &f);
	for (int i = 0; i <= 2000; i++) {
		if (i == 2000) {
			__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
			pthread_join(t, NULL);
		}
		now = look(&f);
		g = gain(now, last);
		for (size_t k = 0; k < ctrace_look_rows(g); k++)
			seen += ctrace_look_row(g, k)->values[0];
		ctrace_look_free(g);
		ctrace_look_free(last);
		last = now;
	}
	for (size_t k = 0; k < ctrace_look_rows(last); k++)
		total += ctrace_look_row(last, k)->values[0];
	check_eq(seen, total);
	ctrace_look_free(last);
	fake_table_free(&f);
}

static const struct ktap_case cases[] = {
	{ "rows of one key are one, over CPUs and within one", one_row_per_key },
	{ "rows that never come to rest", torn_rows },
	{ "what came between two looks", intervals },
	{ "a row that was given to another key", recycled },
	{ "stacks by their content", stacks },
	{ "headers that make no sense", corrupt },
	{ "tables that are not where they should be", wrong_places },
	{ "gains add up while rows are given away", while_rows_go },
};
KTAP_MAIN(cases)
