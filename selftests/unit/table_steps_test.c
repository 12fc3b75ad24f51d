// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs module/aggregate/table.h step by step. After any one access of a writer an interrupt counts an event in the same
 * part, after any one access of that an NMI counts another: all such pairs of places are tried, with keys that are equal,
 * that collide, and that find no room, in tables that are empty, full, and full of what dead containers left. After each
 * access a reader looks.
 */
static void step(void);
#define CTRACE_HOSTED_STEP()	step()
#include "lang/hosted.h"
#include <stdlib.h>
/* A row's numbers are made by plain stores: an interrupt may come before and after them. */
static void *set(void *to, int c, size_t n);
#define memset	set
#include "aggregate/table.h"
#undef memset
#include "ktap.h"

#define ROWS	2u
#define OTHERS	8u
#define STACKS	2u
#define LEVELS	3
#define DEAD	100u		/* containers from this on are not known */
#define LIVE	7u

enum { COUNT, HIST, MIN, MAX, AVG, NVALUES };

static struct ctrace_table_shape shape;
static _Alignas(8) char memory[65536];
static struct ctrace_table_part *const part = (void *)memory;

struct event {
	u64 key[2];
	u32 hash;
	s64 v;
};

static struct event event[LEVELS];
static u32 level, at[LEVELS];		/* at[l]: level l + 1 comes after so many steps of level l; 0: never */
static u32 steps[LEVELS], nest;
static u64 before, started, counted;	/* events in the table when the case began; since then */
static bool stepping, stacking;
static unsigned long looks, spoilt;
static const char *what;

static bool known(u32 cid)
{
	return cid < DEAD || cid >= CTRACE_CID_UNKNOWN;
}

static void set_up(void)
{
	static const u8 fn[NVALUES] = {
		CTRACE_TABLE_COUNT, CTRACE_TABLE_HIST, CTRACE_TABLE_MIN, CTRACE_TABLE_MAX, CTRACE_TABLE_AVG,
	};
	static const u64 all[2] = { CTRACE_CID_ALL | CTRACE_TABLE_OTHER };
	u32 i, words = 2;

	memset(&shape, 0, sizeof(shape));
	shape.key_words = 2;
	shape.nvalues = NVALUES;
	for (i = 0; i < NVALUES; i++) {
		shape.values[i].fn = fn[i];
		shape.values[i].is_signed = true;
		shape.values[i].at = words;
		words += fn[i] == CTRACE_TABLE_HIST ? CTRACE_TABLE_BUCKETS : fn[i] == CTRACE_TABLE_AVG ? 2 : 1;
	}
	shape.row_size = sizeof(struct ctrace_table_row) + words * sizeof(u64);
	shape.rows_mask = ROWS - 1;
	shape.others_mask = OTHERS - 1;
	shape.stacks_mask = STACKS - 1;
	shape.rows_off = sizeof(struct ctrace_table_part);
	shape.others_off = shape.rows_off + ROWS * shape.row_size;
	shape.stacks_off = shape.others_off + OTHERS * shape.row_size;
	check(shape.stacks_off + STACKS * sizeof(struct ctrace_table_stack) <= sizeof(memory));
	memset(memory, 0, sizeof(memory));
	ctrace_table_make(&shape, ctrace_table_rest(&shape, part), 0, all, 0);
}

static void count(const struct event *e)
{
	bool alone = ++nest == 1;
	struct ctrace_table_row *r;
	u32 i;

	started++;
	r = ctrace_table_row(&shape, part, e->key, e->hash, alone, known);
	for (i = NVALUES; i--;)		/* count() last: then all of the event is in the row */
		ctrace_table_add(&shape, r, i, (u64)e->v);
	counted++;
	nest--;
}

static const struct ctrace_table_row *row(u32 i)
{
	return i < ROWS ? ctrace_table_at(&shape, memory + shape.rows_off, i) :
			  ctrace_table_at(&shape, memory + shape.others_off, i - ROWS);
}

/* What a reader finds. False: it has to look again. */
static bool look(u64 *n, u64 *hist, s64 *least, s64 *most, s64 *sum)
{
	u32 i, k;

	*n = *hist = 0;
	*least = INT64_MAX;
	*most = INT64_MIN;
	*sum = 0;
	if (part->recycled & 1)
		return false;
	for (i = 0; i < ROWS + OTHERS; i++) {
		const __u64 *w = row(i)->words;

		if (!row(i)->gen || row(i)->gen & 1)
			continue;
		*n += w[shape.values[COUNT].at];
		*sum += (s64)w[shape.values[AVG].at];
		for (k = 0; k < CTRACE_TABLE_BUCKETS; k++)
			*hist += w[shape.values[HIST].at + k];
		if ((s64)w[shape.values[MIN].at] < *least)
			*least = (s64)w[shape.values[MIN].at];
		if ((s64)w[shape.values[MAX].at] > *most)
			*most = (s64)w[shape.values[MAX].at];
	}
	return true;
}

/* A stack is kept once, unless an interrupt has the same one at that moment; its place never changes. */
static u64 frames[3] = { 0x1111, 0x2222, 0x3333 };
static u64 got[LEVELS];

static void stack_step(void)
{
	if (++steps[level] == at[level] && level + 1 < LEVELS) {
		level++;
		steps[level] = 0;
		got[level] = ctrace_table_stack(&shape, part, frames, 3, 0);
		level--;
	}
}

static void step(void)
{
	u64 n, hist;
	s64 least, most, sum;

	if (stacking)
		stack_step();
	if (!stepping)
		return;
	looks++;
	if (look(&n, &hist, &least, &most, &sum)) {
		if (n < before + counted || n > before + started || hist < n || hist > before + started)
			ktap_fail(__FILE__, __LINE__, "%s, %u/%u/%u: %llu rows' events, %llu in histograms, of %llu to %llu", what, at[0],
				  at[1], steps[level], (unsigned long long)n, (unsigned long long)hist,
				  (unsigned long long)(before + counted), (unsigned long long)(before + started));
	} else {
		spoilt++;
	}
	if (++steps[level] == at[level] && level + 1 < LEVELS) {
		level++;
		steps[level] = 0;
		count(&event[level]);
		level--;
	}
}

static void *set(void *to, int c, size_t n)
{
	step();
	memset(to, c, n);
	step();
	return to;
}

/* Counts the three events, each inside the one before it, and compares. Returns how many of them came. */
static u32 run(const char *saved, u64 saved_events, u32 first, u32 second)
{
	u64 n, hist;
	s64 least, most, sum, expected = 0;
	u32 i, came;

	memcpy(memory, saved, sizeof(memory));
	before = saved_events;
	started = counted = 0;
	level = 0;
	memset(steps, 0, sizeof(steps));
	at[0] = first;
	at[1] = second;
	stepping = true;
	count(&event[0]);
	stepping = false;
	came = (u32)counted;
	for (i = 0; i < came; i++)
		expected += event[i].v;
	check(look(&n, &hist, &least, &most, &sum));
	if (n != before + counted || hist != n || nest || sum != expected + (s64)before)
		ktap_fail(__FILE__, __LINE__, "%s, %u/%u: %llu events, %llu in histograms, sum %lld; expected %llu, %lld", what, first,
			  second, (unsigned long long)n, (unsigned long long)hist, (long long)sum,
			  (unsigned long long)(before + counted), (long long)(expected + (s64)before));
	for (i = 0; i < came; i++)
		if (least > event[i].v || most < event[i].v)
			ktap_fail(__FILE__, __LINE__, "%s, %u/%u: min %lld, max %lld without %lld", what, first, second,
				  (long long)least, (long long)most, (long long)event[i].v);
	for (i = 0; i < ROWS + OTHERS; i++)
		if (row(i)->gen & 1)
			ktap_fail(__FILE__, __LINE__, "%s, %u/%u: row %u is still being made", what, first, second, i);
	return came;
}

/* All places for the interrupt, and in each all places for the NMI. */
static void every_place(const char *name, u64 events)
{
	static char saved[sizeof(memory)];
	u32 first, second, tried = 0;

	what = name;
	memcpy(saved, memory, sizeof(saved));
	for (first = 1; run(saved, events, first, 0) > 1; first++)
		for (second = 1; run(saved, events, first, second) > 2; second++)
			tried++;
	if (!check(tried > 20))
		printf("# %s: %u places\n", name, tried);
	memcpy(memory, saved, sizeof(saved));
}

static struct event of(u32 cid, u64 key, u32 hash, s64 v)
{
	return (struct event){ { cid, key }, hash, v };
}

/* Events with the value 1 of so many keys, all counted before. */
static u64 fill(u32 cid, u32 n)
{
	struct event e;
	u32 i;

	for (i = 0; i < n; i++) {
		e = of(cid + i, i, i, 1);
		count(&e);
	}
	return n;
}

static const u64 keys[] = { 1, 2, 3 };

static void keys_of_three(const char *name, u32 cid0, u32 cid1, u32 cid2, u64 events)
{
	char text[80];
	u32 i, hashes;

	/* all equal; two equal; all different; each in one place, or not */
	for (i = 0; i < 5 * 4; i++) {
		hashes = i / 5;
		event[0] = of(cid0, keys[0], 0, -5);
		event[1] = of(cid1, keys[i % 5 == 0 || i % 5 == 1 ? 0 : 1], hashes & 1, 1000);
		event[2] = of(cid2, keys[i % 5 == 0 || i % 5 == 2 ? 0 : i % 5 == 3 ? 1 : 2], hashes >> 1, 7);
		snprintf(text, sizeof(text), "%s, keys %u", name, i);
		every_place(text, events);
	}
}

static void empty(void)
{
	set_up();
	keys_of_three("one container", LIVE, LIVE, LIVE, 0);
	keys_of_three("three containers", LIVE, LIVE + 1, LIVE + 2, 0);
}

static void full(void)
{
	u64 n;

	set_up();
	n = fill(LIVE + 10, ROWS);
	keys_of_three("no row left", LIVE, LIVE, LIVE + 1, n);
	n += fill(LIVE + 10, ROWS + OTHERS - 1);
	keys_of_three("nothing left", LIVE, LIVE, LIVE + 1, n);
}

static void dead(void)
{
	unsigned long before_looks = spoilt;
	u64 n;

	set_up();
	n = fill(DEAD, ROWS);
	keys_of_three("rows of the dead", LIVE, LIVE, LIVE + 1, n);
	check(spoilt > before_looks);
	n += fill(DEAD, ROWS);
	keys_of_three("the dead count on", LIVE, DEAD, LIVE + 1, n);
	set_up();
	n = fill(LIVE + 10, ROWS);
	n += fill(DEAD, OTHERS);
	keys_of_three("others of the dead", LIVE, LIVE, LIVE + 1, n);
}

static void stacks(void)
{
	struct ctrace_table_stack *s;
	u32 first, i, came = 0;

	for (first = 1; first < 6; first++) {
		set_up();
		memset(got, 0, sizeof(got));
		memset(steps, 0, sizeof(steps));
		level = 0;
		at[0] = first;
		at[1] = 0;
		stacking = true;
		got[0] = ctrace_table_stack(&shape, part, frames, 3, 0);
		stacking = false;
		came += got[1] != 0;
		check(got[0]);
		s = (void *)(memory + shape.stacks_off);
		s += got[0] - 1;
		check_eq(s->gen, 2);
		check_eq(s->n, 3);
		check(!memcmp(s->frames, frames, sizeof(frames)));
		check(ctrace_table_stack(&shape, part, frames, 3, 0));
	}
	check_eq(came, 3);	/* as many accesses does it make */
	/* one that is being made is passed by; then there is no place left, and that is counted */
	set_up();
	s = (void *)(memory + shape.stacks_off);
	s[0].gen = 1;
	check_eq(ctrace_table_stack(&shape, part, frames, 3, 0), 2);
	check_eq(ctrace_table_stack(&shape, part, frames, 2, 0), 0);
	check_eq(part->stacks_lost, 1);
	check_eq(ctrace_table_stack(&shape, part, frames, 0, 0), 0);
	check_eq(part->stacks_lost, 1);
	for (i = 0; i < 4; i++)
		check_eq(ctrace_table_stack(&shape, part, frames, 3, i), 2);
}

/* Each value is in the bucket whose bounds it lies between. */
static void in_bucket(u64 v)
{
	u32 b = ctrace_table_bucket_unsigned(v);

	if (b >= CTRACE_TABLE_BUCKETS || v > ctrace_table_bucket_top(b) || (b && v <= ctrace_table_bucket_top(b - 1)))
		ktap_fail(__FILE__, __LINE__, "%llu is in bucket %u", (unsigned long long)v, b);
	if ((s64)v >= 0)
		check_eq(ctrace_table_bucket((s64)v), b);
}

static void buckets(void)
{
	u64 v;
	u32 b;

	for (v = 0; v < 70000; v++)
		in_bucket(v);
	for (b = 0; b < CTRACE_TABLE_BUCKETS; b++) {
		v = ctrace_table_bucket_top(b);
		check_eq(ctrace_table_bucket_unsigned(v), b);
		in_bucket(v);
		in_bucket(v - 1);
		in_bucket(v + 1);
		check(b < 2 || v > ctrace_table_bucket_top(b - 1));
	}
	check_eq(ctrace_table_bucket(-1), 0);
	check_eq(ctrace_table_bucket(INT64_MIN), 0);
	check_eq(ctrace_table_bucket(2), 2);
	check_eq(ctrace_table_bucket(3), 3);
	check_eq(ctrace_table_bucket(4), 4);
	check(ctrace_table_bucket_top(CTRACE_TABLE_BUCKETS - 1) == ~0ull);
	/* every second boundary is a power of two */
	for (b = 2; b < CTRACE_TABLE_BUCKETS - 1; b += 2)
		check(ctrace_table_bucket_top(b) == 1ull << (b / 2));
}

static const struct ktap_case cases[] = {
	{ "empty", empty }, { "full", full }, { "dead", dead }, { "stacks", stacks }, { "buckets", buckets },
};

KTAP_MAIN(cases)
