// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring_tsan_test [SECONDS]: module/ring/ring.h, ctrace_ring_read.h and the library's merge under ThreadSanitizer, half
 * of the time (default 4 s) for each case. Threads stand for CPUs, and the signals of two timers for their
 * interrupts. Signals are let in at each ordered access, and nest.
 *
 * ThreadSanitizer understands the order that acquire and release make, but not fences. So what can be checked
 * of a ring is split in two:
 * - Rings that keep the oldest records. No byte is written twice, so no fence is needed, and everything that a
 *   reader touches must be ordered after its writing by A (and C). ThreadSanitizer sees all of it.
 * - Rings that are overwritten. Data that was read may be void; a look at reserve, behind a fence (B), says
 *   so. These reads of data are hidden from ThreadSanitizer; reads of the control page are not. The sums in
 *   the records check the result.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* The data of the rings that are overwritten lies between these addresses. */
static const char *data_from, *data_to;

static __attribute__((__noinline__, no_sanitize("thread")))
unsigned long long unseen(const volatile void *p, unsigned long n)
{
	switch (n) {
	case 2: return *(const volatile unsigned short *)p;
	case 4: return *(const volatile unsigned int *)p;
	default: return *(const volatile unsigned long long *)p;
	}
}

#define __atomic_load_n(p, order) ({						\
	const char *load_at = (const char *)(p);				\
	load_at >= data_from && load_at < data_to ?				\
		(__typeof__(*(p)))unseen(load_at, sizeof(*(p))) :		\
		__atomic_load_n(p, order); })

#define RING	(1u << 20)
#define SUBBUF	32768u
#include "internal.h"
#include "ktap.h"
#include "ring_fixture.h"
#include "ring_signals.h"
#include "fake_ring.h"

#define WRITERS	2

static unsigned int seconds = 4;

static u64 test_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

struct writer {
	pthread_t thread;
	struct ring ring;
	u64 end;			/* when to stop */
	u64 made, refused, nested;
	u64 longest;			/* the longest time that one record took */
	bool rebind, fills;		/* fills: stops when full */
};

static __thread struct writer *self;

static void write_one(struct writer *w)
{
	u64 n = __atomic_add_fetch(&w->made, 1, __ATOMIC_RELAXED), t = test_clock();

	if (!make_record(&w->ring, n, some_len(n)))
		__atomic_add_fetch(&w->refused, 1, __ATOMIC_RELAXED);
	t = test_clock() - t;
	if (t > w->longest)
		w->longest = t;
}

static void on_signal(int sig)
{
	struct writer *w = self;
	int i;

	w->nested += w->ring.d.ctl->nest != 0;
	for (i = sig % 3; i >= 0; i--)
		write_one(w);
}

static void *writer(void *arg)
{
	struct writer *w = self = arg;
	timer_t a = start_timer(SIGUSR1, 150000, on_signal), b = start_timer(SIGUSR2, 410000, on_signal);
	sigset_t all, old;
	u64 i;

	sigfillset(&all);
	for (i = 1; test_clock() < w->end && !(w->fills && w->refused); i++) {
		write_one(w);
		if (w->rebind && i % 3000 == 0) {
			pthread_sigmask(SIG_BLOCK, &all, &old);
			ctrace_ring_rebind(&w->ring.d, i / 3000 + 1, 0, 0);
			pthread_sigmask(SIG_SETMASK, &old, NULL);
		}
	}
	timer_delete(a);
	timer_delete(b);
	/* a signal that is still on its way comes before the sums are checked */
	pthread_sigmask(SIG_BLOCK, &all, &old);
	return NULL;
}

/* --- keeping the oldest: through the library, in order of time ------------------------------ */

static u64 rounds, records, nests, slow;

static void merged_round(void)
{
	static struct writer w[WRITERS];
	struct fake f = fake_new(WRITERS, 1);
	const struct ctrace_record *rec;
	u64 time = 0, late = 0, bad = 0, seen = 0, longest = 0;
	struct ctrace_reader *r;
	bool ended = false;
	int ret, i;

	for (i = 0; i < WRITERS; i++) {
		w[i] = (struct writer){ .fills = true, .end = test_clock() + 2000000000ull };
		w[i].ring.d = (struct ctrace_ring_desc) {
			.ctl = fake_ctl(&f, i), .data = (char *)fake_ctl(&f, i) + CTRACE_PAGE,
			.hint = (u64 *)fake_hint(&f, i), .mask = RING - 1, .submask = SUBBUF - 1,
			.stop_full = true,
		};
		ctrace_ring_rebind(&w[i].ring.d, i + 1, i, 0);
	}
	check_eq(ctrace_reader_open_map(f.dir, f.len, 0, &r), 0);
	for (i = 0; i < WRITERS; i++)
		pthread_create(&w[i].thread, NULL, writer, &w[i]);
	for (;;) {
		ret = ctrace_reader_next(r, &rec);
		if (ret < 0)
			break;
		if (!ret && ended)
			break;
		if (test_clock() > w[0].end + 30000000000ull) {
			ktap_fail(__FILE__, __LINE__, "the writers do not end");
			break;
		}
		if (!ret) {
			/* Are all rings full? Then one more look finds the rest. */
			for (i = 0, ended = true; i < WRITERS; i++)
				ended = ended && (READ_ONCE(w[i].ring.d.ctl->lost_full) ||
						  test_clock() > w[i].end) &&
					!READ_ONCE(w[i].ring.d.ctl->nest);
			usleep(100);
			continue;
		}
		seen++;
		late += rec->time < time;
		time = rec->time;
		bad += ((const struct payload *)(rec + 1))->sum != payload_sum(rec, (const void *)(rec + 1));
	}
	for (i = 0; i < WRITERS; i++)
		pthread_join(w[i].thread, NULL);
	while ((ret = ctrace_reader_next(r, &rec)) == 1)
		seen++;
	check_eq(ret, 0);
	check_eq(bad, 0);
	for (i = 0; i < WRITERS; i++) {
		check_eq(w[i].ring.d.events, w[i].made - w[i].refused);
		check_eq(w[i].ring.d.ctl->lost_full + w[i].ring.d.ctl->lost_nested, w[i].refused);
		seen -= w[i].made - w[i].refused;
		records += w[i].made - w[i].refused;
		nests += w[i].nested;
		if (w[i].longest > longest)
			longest = w[i].longest;
	}
	check_eq(seen, 0);
	/* The reader waits a second for a writer, and no longer. */
	if (longest < 900000000)
		check_eq(late, 0);
	else
		slow++;
	rounds++;
	ctrace_reader_close(r);
	fake_free(&f);
}

static void merged(void)
{
	u64 end = test_clock() + seconds * 500000000ull;

	do {
		merged_round();
	} while (test_clock() < end && !ktap.failed);
	printf("# %llu rounds, %llu records, %llu interrupts in a record; order not judged in %llu\n", rounds,
	       records, nests, slow);
	check(nests > 0);
}

/* --- overwritten: by cursors ------------------------------------------------------------------ */

#define CURSORS	3

struct follower {
	pthread_t thread;
	struct ctrace_cursor cur;
	struct tally tally;
	u64 *buf;
	u32 rest;	/* microseconds after each look */
	int ret;
};

static bool stop;

static void *follow(void *arg)
{
	struct follower *f = arg;
	bool last;

	do {
		last = READ_ONCE(stop);
		f->ret = drain(&f->cur, &f->tally, f->buf);
		usleep(f->rest);
	} while (!last && (f->ret == 0 || f->ret == -EAGAIN));
	f->ret = drain(&f->cur, &f->tally, f->buf);
	return NULL;
}

/* Another CPU. It owns no number: the mark is its own, and nobody else writes it. */
static void *freezer(void *arg)
{
	struct ctrace_ring_desc *d = arg;
	u64 mark, n;

	for (n = 1; !READ_ONCE(stop); n++) {
		mark = n << 32 | (READ_ONCE(d->owner) + 1);
		ctrace_ring_freeze(d, 0, mark);
		usleep(n % 8 * 20);
		ctrace_ring_freeze(d, mark, 0);
		usleep(n % 5 * 100);
	}
	return NULL;
}

static void lapped(void)
{
	pthread_t freezes;
	static struct writer w;
	static struct follower f[CURSORS];
	u64 end = test_clock() + seconds * 500000000ull;
	int i;

	w = (struct writer){ .end = end, .rebind = true };
	ring_new(&w.ring, 16384, 4096, false);
	data_from = w.ring.d.data;
	data_to = data_from + 16384;
	for (i = 0; i < CURSORS; i++) {
		f[i] = (struct follower){ .rest = i * i * 1000, .buf = malloc(4096) };
		cursor_new(&f[i].cur, &w.ring);
		pthread_create(&f[i].thread, NULL, follow, &f[i]);
	}
	pthread_create(&freezes, NULL, freezer, &w.ring.d);
	pthread_create(&w.thread, NULL, writer, &w);
	pthread_join(w.thread, NULL);
	WRITE_ONCE(stop, true);
	pthread_join(freezes, NULL);
	for (i = 0; i < CURSORS; i++) {
		pthread_join(f[i].thread, NULL);
		printf("# reader %d: seen %llu lost %llu; nested %llu\n", i, f[i].cur.seen, f[i].cur.lost, w.nested);
		check_eq(f[i].ret, 0);
		check_eq(f[i].tally.bad, 0);
		check_eq(f[i].tally.backwards, 0);
		check_eq(f[i].tally.records, f[i].cur.seen);
		check_eq(f[i].cur.seen + f[i].cur.lost, w.ring.d.events);
		free(f[i].buf);
	}
	check_eq(w.ring.d.events, w.made - w.refused);
	check_eq(w.ring.d.ctl->lost_frozen + w.ring.d.ctl->lost_nested, w.refused);
	check_eq(w.ring.d.ctl->frozen, 0);
	printf("# %llu refused while it was frozen\n", w.ring.d.lost_frozen);
	check(w.ring.d.lost_frozen > 0);
	check(w.nested > 0);
	data_from = data_to = NULL;
	ring_free(&w.ring);
}

/* ThreadSanitizer's reports. The case passes if there are none. */
static u64 races;

void __tsan_on_report(void *rep)
{
	(void)rep;
	races++;
}

static void no_race(void)
{
	check_eq(races, 0);
}

static const struct ktap_case cases[] = {
	{ "kept rings, merged", merged },
	{ "overwritten rings", lapped },
	{ "no race", no_race },
};

int main(int argc, char **argv)
{
	if (argc > 1)
		seconds = atoi(argv[1]);
	/* A broken ring may hold up its writer or its reader for ever. */
	alarm(60 + seconds * 10);
	return ktap_run(cases, sizeof(cases) / sizeof(cases[0]));
}
