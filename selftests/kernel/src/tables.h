/* SPDX-License-Identifier: GPL-2.0-only */
/* tables.h: sessions that count in a table, and readers that add up their own intervals. */
#ifndef TABLES_H
#define TABLES_H

#include "box.h"
#include "libshort.h"
#include <sys/mman.h>
#include <sys/resource.h>
#include <kselftest.h>
#include <ctrace/libctrace_aggregate.h>

#define READERS_MAX	32

static struct ctrace *ct;

/* What all processes share. made: marked calls of each task in each container. quiet: containers whose tasks have ended. */
static struct shared {
	int stop_work, stop_read, quiet;
	uint64_t made[64][2];
	struct {
		int done;
		uint64_t sum, hist, wrong, looks;
	} reader[READERS_MAX];
} *sh;

static void mark(int number, int task)
{
	box_mark((uint32_t)number);
	sh->made[number][task]++;
}

static int tables_init(void)
{
	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sh == MAP_FAILED || ctrace_open(&ct)) {
		fprintf(stderr, "tables: %s\n", ctrace_errmsg(ct));
		return -1;
	}
	return 0;
}

static struct ctrace_look *look(struct ctrace_aggregate *a)
{
	struct ctrace_look *l;

	if (ctrace_look_take(a, &l))
		ksft_exit_fail_msg("no look\n");
	return l;
}

/* The sum of value 0, count(), over a container's rows, and of all: the row that may be any container's. */
static uint64_t sum_of(const struct ctrace_look *l, uint32_t cid, uint64_t *all)
{
	const struct ctrace_look_row *row;
	uint64_t sum = 0;

	*all = 0;
	for (size_t i = 0; (row = ctrace_look_row(l, i)); i++) {
		sum += row->cid == cid ? row->values[0] : 0;
		*all += row->cid == CTRACE_CID_ALL ? row->values[0] : 0;
	}
	return sum;
}

static uint64_t rows_sum(const struct ctrace_look *l)
{
	const struct ctrace_look_row *row;
	uint64_t sum = 0;

	for (size_t i = 0; (row = ctrace_look_row(l, i)); i++)
		sum += row->values[0];
	return sum;
}

/* What all histograms of the table's second value count, over all rows; that of count() if it has none. */
static uint64_t hist_sum(const struct ctrace_look *l, struct ctrace_aggregate *a)
{
	const struct ctrace_table *t = ctrace_aggregate_table(a);
	const struct ctrace_look_row *row;
	uint64_t sum = 0;

	if (t->nvalues < 2 || t->values[1].kind != CTRACE_TABLE_HIST)
		return rows_sum(l);
	for (size_t i = 0; (row = ctrace_look_row(l, i)); i++)
		sum += ctrace_hist_count(row->values + t->values[1].at);
	return sum;
}

/* --- sessions ---------------------------------------------------------------------------- */

struct counting {
	const char *name, *probe, *aggregate;
	uint32_t rows;
	struct ctrace_session *s;
	struct ctrace_reader *r;
	struct ctrace_aggregate *a;
	struct ctrace_aggregate_info info;
	int first, readers;	/* in sh->reader[] */
};

static void counting_new(struct counting *c)
{
	struct ctrace_session_opts o = { .sz = sizeof(o), .arena_size = 1 << 20 };
	struct ctrace_probe_opts p = { .sz = sizeof(p), .aggregate = c->aggregate, .rows = c->rows };

	o.table_size = ctrace_aggregate_size((uint32_t)sysconf(_SC_NPROCESSORS_CONF) + 2, c->rows ?: 1024, 5, 140,
					     !!strstr(c->aggregate, "stack"));
	if (ctrace_session_new(ct, &o, &c->s) || ctrace_aggregate_add(c->s, c->probe, &p, &c->info, sizeof(c->info)))
		ksft_exit_fail_msg("%s: %s\n", c->name, ctrace_errmsg(ct));
	if (ctrace_reader_open(c->s, NULL, &c->r) || ctrace_aggregate_open(c->r, c->info.table, &c->a))
		ksft_exit_fail_msg("%s: no table\n", c->name);
}

/* Adds up what each interval gained, until it is stopped. */
static void read_intervals(struct counting *c, int n, useconds_t every)
{
	struct ctrace_look *now, *gain, *before = NULL;
	struct ctrace_reader *r;
	struct ctrace_aggregate *a;
	uint64_t total = 0, sum;
	int last;

	if (reader_of(ctrace_session_id(c->s), CTRACE_CID_ALL, &r) || ctrace_aggregate_open(r, c->info.table, &a))
		_exit(1);
	__atomic_store_n(&sh->reader[n].done, -1, __ATOMIC_RELEASE);
	do {
		last = __atomic_load_n(&sh->stop_read, __ATOMIC_ACQUIRE);
		now = look(a);
		if (ctrace_look_gain(now, before, &gain))
			_exit(1);
		sh->reader[n].sum += rows_sum(gain);
		sh->reader[n].hist += hist_sum(gain, a);
		sh->reader[n].looks++;
		/* the sum of all rows never shrinks: no number is seen on its way from one row to another */
		sum = rows_sum(now);
		sh->reader[n].wrong += sum < total;
		total = sum;
		ctrace_look_free(gain);
		ctrace_look_free(before);
		before = now;
		if (!last)
			usleep(every);
	} while (!last);
	__atomic_store_n(&sh->reader[n].done, 1, __ATOMIC_RELEASE);
	_exit(0);
}

static int readers_begun;

static void counting_begin(struct counting *c, int readers)
{
	static const useconds_t every[] = { 1000, 20000, 150000, 700000 };

	c->first = readers_begun;
	c->readers = readers;
	for (int i = 0; i < readers; i++) {
		int n = readers_begun++;

		if (!fork())
			read_intervals(c, n, every[i % 4]);
		for (int tries = 0; !__atomic_load_n(&sh->reader[n].done, __ATOMIC_ACQUIRE); tries++) {
			if (tries == 20000)
				ksft_exit_fail_msg("%s: a reader does not begin\n", c->name);
			usleep(1000);
		}
	}
	if (ctrace_session_start(c->s))
		ksft_exit_fail_msg("%s: %s\n", c->name, ctrace_errmsg(ct));
}

static uint64_t counting_sum(const struct counting *c, uint64_t *recycled)
{
	struct ctrace_look_account acc;
	struct ctrace_look *l = look(c->a);
	uint64_t sum = rows_sum(l);

	ctrace_look_account(l, &acc, sizeof(acc));
	if (recycled)
		*recycled = acc.recycled;
	ctrace_look_free(l);
	return sum;
}

/* All events have been made. Two results, and one for each reader. */
static void counting_judge(const struct counting *c, uint64_t made)
{
	struct ctrace_look *l = look(c->a);
	struct ctrace_session_losses held = { 0 };
	struct ctrace_look_account acc;
	uint64_t sum = rows_sum(l), hist = hist_sum(l, c->a);

	ctrace_look_account(l, &acc, sizeof(acc));
	ctrace_session_losses(c->s, &held, sizeof(held));
	ksft_test_result(sum + acc.lost + held.unfollowed == made, "%s: %llu in rows, %llu lost of %llu; %zu rows, %llu given away\n",
			 c->name, (unsigned long long)sum, (unsigned long long)(acc.lost + held.unfollowed),
			 (unsigned long long)made, ctrace_look_rows(l), (unsigned long long)acc.recycled);
	ksft_test_result(hist == sum, "%s: %llu in histograms\n", c->name, (unsigned long long)hist);
	ctrace_look_free(l);
	__atomic_store_n(&sh->stop_read, 1, __ATOMIC_RELEASE);
	for (int i = c->first; i < c->first + c->readers; i++) {
		for (int tries = 0; __atomic_load_n(&sh->reader[i].done, __ATOMIC_ACQUIRE) != 1 && tries < 60000; tries++)
			usleep(1000);
		ksft_test_result(sh->reader[i].done == 1 && sh->reader[i].sum == sum && sh->reader[i].hist == sum &&
				 !sh->reader[i].wrong, "%s: reader %d: %llu in %llu intervals, %llu in histograms, %llu times less than before\n",
				 c->name, i - c->first, (unsigned long long)sh->reader[i].sum, (unsigned long long)sh->reader[i].looks,
				 (unsigned long long)sh->reader[i].hist, (unsigned long long)sh->reader[i].wrong);
	}
}

static int find_used(const struct ctrace_session_info *i, void *arg)
{
	uint64_t *of = arg;

	if (i->id == of[0])
		of[1] = i->table_used;
	return 0;
}

/* Bytes of the session's tables. */
static uint64_t used(struct ctrace_session *s)
{
	uint64_t of[2] = { ctrace_session_id(s), 0 };

	ctrace_session_each(ct, find_used, of);
	return of[1];
}

#endif
