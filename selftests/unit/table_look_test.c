// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's writer of tables (module/aggregate/table.h) and the library's looks, against a plain model: random events of
 * containers that come and go, in a table that is too small, and readers that look at intervals of their own. Every
 * reader's gains add up to all events, a key has never more than its own, and rows of CTRACE_CID_ALL take the rest.
 */
#include <stdlib.h>
#include "aggregate/table.h"
#include "aggregate.h"
#include "ktap.h"

#define PARTS	2u
#define ROWS	8u
#define OTHERS	8u
#define CIDS	64u
#define KEYS	4u
#define READERS	3u
#define OFF	4096u

enum { COUNT, SUM, HIST, MIN, MAX, NVALUES };

static struct ctrace_table_shape shape;
static _Alignas(8) char map[131072];
static struct ctrace_table *const head = (void *)(map + OFF);
static u32 first_known;		/* containers below it have gone */
static u64 seed;

static u64 model[CIDS][KEYS], events;
static s64 sum, least, most;

static u32 roll(u32 n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(seed >> 33) % n;
}

static bool known(u32 cid)
{
	return cid >= first_known;
}

static struct ctrace_table_part *part_of(u32 cpu)
{
	return (void *)((char *)head + head->parts_off + cpu * head->part_stride);
}

static void set_up(void)
{
	static const struct ctrace_table_column values[NVALUES] = {
		{ .kind = CTRACE_TABLE_COUNT, .words = 1, .at = 0 }, { .kind = CTRACE_TABLE_SUM, .words = 1, .at = 1, .is_signed = 1 },
		{ .kind = CTRACE_TABLE_HIST, .words = CTRACE_TABLE_BUCKETS, .at = 2, .is_signed = 1 },
		{ .kind = CTRACE_TABLE_MIN, .words = 1, .at = 2 + CTRACE_TABLE_BUCKETS, .is_signed = 1 },
		{ .kind = CTRACE_TABLE_MAX, .words = 1, .at = 3 + CTRACE_TABLE_BUCKETS, .is_signed = 1 },
	};
	static const u64 all[2] = { CTRACE_CID_ALL | CTRACE_TABLE_OTHER };
	u32 i;

	memset(map, 0, sizeof(map));
	memset(&shape, 0, sizeof(shape));
	memset(model, 0, sizeof(model));
	first_known = 0;
	events = 0;
	sum = 0;
	least = INT64_MAX;
	most = INT64_MIN;
	shape.key_words = 2;
	shape.nvalues = NVALUES;
	for (i = 0; i < NVALUES; i++) {
		shape.values[i].fn = values[i].kind;
		shape.values[i].is_signed = values[i].is_signed;
		shape.values[i].at = 2 + values[i].at;
	}
	*head = (struct ctrace_table){
		.magic = CTRACE_TABLE_MAGIC, .ncpus = PARTS, .nkeys = 1, .nvalues = NVALUES, .key_words = 2,
		.value_words = CTRACE_TABLE_BUCKETS + 4, .nrows = ROWS, .nothers = OTHERS, .parts_off = 4096,
		.rows_off = sizeof(struct ctrace_table_part),
		.keys[0] = { .kind = CTRACE_TABLE_KEY_NUMBER, .words = 1, .at = 1 },
	};
	memcpy(head->values, values, sizeof(values));
	head->row_size = sizeof(struct ctrace_table_row) + 8 * (head->key_words + head->value_words);
	head->others_off = head->rows_off + ROWS * head->row_size;
	head->part_stride = head->others_off + OTHERS * head->row_size;
	head->size = head->parts_off + PARTS * head->part_stride;
	shape.row_size = head->row_size;
	shape.rows_mask = ROWS - 1;
	shape.others_mask = OTHERS - 1;
	shape.rows_off = (u32)head->rows_off;
	shape.others_off = (u32)head->others_off;
	check(OFF + head->size <= sizeof(map));
	for (i = 0; i < PARTS; i++)
		ctrace_table_make(&shape, ctrace_table_rest(&shape, part_of(i)), 0, all, 0);
}

static void count(u32 cpu, u32 cid, u32 k, s64 v, bool alone)
{
	u64 key[2] = { cid, k };
	struct ctrace_table_row *r = ctrace_table_row(&shape, part_of(cpu), key, cid * 5 + k, alone, known);
	u32 i;

	for (i = 0; i < NVALUES; i++)
		ctrace_table_add(&shape, r, i, (u64)v);
	model[cid][k]++;
	events++;
	sum += v;
	least = v < least ? v : least;
	most = v > most ? v : most;
}

struct totals {
	u64 n, hist;
	s64 sum, least, most;
};

static struct totals of_look(const struct ctrace_look *l)
{
	struct totals t = { .least = INT64_MAX, .most = INT64_MIN };
	const struct ctrace_look_row *r;
	size_t i;

	for (i = 0; (r = ctrace_look_row(l, i)); i++) {
		t.n += r->values[0];
		t.sum += (s64)r->values[1];
		t.hist += ctrace_hist_count(r->values + 2);
		t.least = (s64)r->values[2 + CTRACE_TABLE_BUCKETS] < t.least ? (s64)r->values[2 + CTRACE_TABLE_BUCKETS] : t.least;
		t.most = (s64)r->values[3 + CTRACE_TABLE_BUCKETS] > t.most ? (s64)r->values[3 + CTRACE_TABLE_BUCKETS] : t.most;
	}
	return t;
}

struct reader {
	struct ctrace_aggregate *a;
	struct ctrace_look *before;
	u64 model[CIDS][KEYS], events;
	u64 n;
	s64 sum;
};

static void look(struct reader *r)
{
	const struct ctrace_look_row *row;
	struct ctrace_look *now, *gain;
	struct totals t, g;
	u64 made;
	size_t i;
	u32 k;

	if (!check(!ctrace_look_take(r->a, &now)) || !check(!ctrace_look_gain(now, r->before, &gain)))
		return;
	t = of_look(now);
	check_eq(t.n, events);
	check_eq(t.hist, events);
	check_eq(t.sum, sum);
	if (events) {
		check_eq(t.least, least);
		check_eq(t.most, most);
	}
	g = of_look(gain);
	check_eq(g.n, events - r->events);
	check_eq(g.hist, events - r->events);
	r->n += g.n;
	r->sum += g.sum;
	for (i = 0; (row = ctrace_look_row(gain, i)); i++) {
		if (row->cid == CTRACE_CID_ALL)
			continue;
		made = 0;
		for (k = 0; row->cid < CIDS && k < KEYS; k++)
			if (row->other || row->key[1] == k)
				made += model[row->cid][k] - r->model[row->cid][k];
		if (row->values[0] > made)
			ktap_fail(__FILE__, __LINE__, "container %u%s gained %llu of %llu", row->cid, row->other ? " (other)" : "",
				  (unsigned long long)row->values[0], (unsigned long long)made);
	}
	memcpy(r->model, model, sizeof(model));
	r->events = events;
	ctrace_look_free(gain);
	ctrace_look_free(r->before);
	r->before = now;
}

static void random_events(void)
{
	struct reader r[READERS];
	u32 round, i, k, given = 0;

	for (round = 0; round < 40; round++) {
		seed = round;
		set_up();
		memset(r, 0, sizeof(r));
		for (k = 0; k < READERS; k++)
			if (!check(!ctrace_aggregate_open_map(map, OFF, sizeof(map) - OFF, OFF, &r[k].a)))
				return;
		for (i = 0; i < 3000; i++) {
			/* a few containers at a time; late events of some that have gone */
			u32 cid = (first_known + roll(6) - (first_known && !roll(8) ? 1 : 0)) % CIDS;

			if (!roll(60) && first_known < CIDS - 8)
				first_known++;
			count(roll(PARTS), cid, roll(KEYS), (s64)roll(2000) - 1000, roll(4));
			for (k = 0; k < READERS; k++)
				if (!roll(20 * (k * k * k + 1)))
					look(&r[k]);
		}
		for (k = 0; k < READERS; k++) {
			look(&r[k]);
			check_eq(r[k].n, events);
			check_eq(r[k].sum, sum);
			ctrace_look_free(r[k].before);
			ctrace_aggregate_close(r[k].a);
		}
		given += part_of(0)->recycled / 2;
	}
	check(given > 100);
}

/* A row that is being given away is not taken for one that is not there, nor waited for without end. */
static void given_away(void)
{
	struct ctrace_look_account acc;
	struct ctrace_aggregate *a;
	struct ctrace_look *l;

	set_up();
	count(0, 1, 1, 5, true);
	if (!check(!ctrace_aggregate_open_map(map, OFF, sizeof(map) - OFF, OFF, &a)))
		return;
	check(!ctrace_look_take(a, &l));
	ctrace_look_account(l, &acc, sizeof(acc));
	check(!acc.busy && !acc.recycled);
	ctrace_look_free(l);
	part_of(1)->recycled = 5;
	check(!ctrace_look_take(a, &l));
	ctrace_look_account(l, &acc, sizeof(acc));
	check_eq(acc.busy, 1);
	check_eq(acc.recycled, 2);
	check_eq(of_look(l).n, 1);
	ctrace_look_free(l);
	ctrace_aggregate_close(a);
}

static const struct ktap_case cases[] = { { "random events", random_events }, { "a row on its way", given_away } };

KTAP_MAIN(cases)
