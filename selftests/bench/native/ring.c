// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring BYTES: measures module/ring/ring.h on this processor, in ns per record of that length (24 to 184), beside
 * the lower limit: reading the clock, and copying the same bytes to memory of the same size.
 *
 * Prints lines "NAME NS", the median of batches. With -DBENCH_TSC the clock is the module's own calculation
 * (compat/clock.h), else clock_gettime(). Where the shim leaves something to the compiler, this file does
 * it as the kernel does: a cmpxchg without a lock prefix, an increment in one instruction.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "../../unit/ring_shim.h"

#ifdef __x86_64__
#include <x86intrin.h>

static inline u64 bench_cmpxchg(u64 *p, u64 old, u64 new)
{
	__asm__ __volatile__("cmpxchg %2, %1" : "+a"(old), "+m"(*p) : "r"(new) : "memory", "cc");
	return old;
}
#define cmpxchg_local(p, old, new)	bench_cmpxchg(p, old, new)
#endif

static u64 mono(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

#ifdef BENCH_TSC
static struct {
	u64 seq, mult, add, base;
} tsc = { .mult = 1 << 22, .base = 1 };

/* The value in ns does not matter here. What matters is that it takes as much work. */
static inline u64 clock_now(void)
{
	u64 seq, ns;

	do {
		seq = READ_ONCE(tsc.seq);
		_mm_lfence();
		ns = tsc.base + ((long long)(__rdtsc() * tsc.mult + tsc.add) >> 22);
		barrier();
	} while (unlikely(READ_ONCE(tsc.seq) != seq));
	return ns;
}
#else
#define clock_now()	mono()
#endif

#undef ctrace_ring_inc
#define ctrace_ring_inc(p)	((*(p))++)

#define CTRACE_CLOCK()	clock_now()
#include "../../../module/ring/ring.h"
#include "../../../uapi/ctrace_ring_read.h"

#define BATCH	20000
#define BATCHES	201
#define SUBBUF	(128u << 10)
#define RING	(1u << 20)

static struct ctrace_ring_desc d;
static char *limit_mem;
static u64 limit_pos, hint;
static u32 len;

/* The payload of a record, behind its time. The compiler must not see through it. */
static u64 model[32];

static inline void fill(struct ctrace_record *rec)
{
	rec->id = model[0];
	rec->cid = model[1];
	rec->tid = model[2];
	rec->vtid = model[2] >> 32;
	memcpy(rec + 1, model + 3, len - sizeof(*rec));
}

static void limit(void)
{
	char *to = limit_mem + (limit_pos & (RING - 1));

	*(u64 *)to = clock_now();
	memcpy(to + 8, model, len - 8);
	limit_pos += len;
	if ((limit_pos & (SUBBUF - 1)) > SUBBUF - CTRACE_RECORD_MAX)
		limit_pos = (limit_pos | (SUBBUF - 1)) + 1;
}

static void clock_alone(void)
{
	model[0] = clock_now();
}

static void one(void)
{
	struct ctrace_writer w;

	if (!ctrace_ring_reserve(&d, &w, len))
		abort();
	fill(w.rec);
	ctrace_ring_commit(&d, &w);
}

/* Every record has another one inside, as an interrupt would write it. */
static void nested(void)
{
	struct ctrace_writer w;

	if (!ctrace_ring_reserve(&d, &w, len))
		abort();
	one();
	fill(w.rec);
	ctrace_ring_commit(&d, &w);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

#define MEASURE(name, fn, records)						\
do {										\
	static double v[BATCHES];						\
	for (int b_ = 0; b_ < BATCHES; b_++) {					\
		u64 t_ = mono();						\
		for (int i_ = 0; i_ < BATCH; i_++)				\
			fn();							\
		v[b_] = (double)(mono() - t_) / BATCH / (records);		\
	}									\
	qsort(v, BATCHES, sizeof(*v), by_value);				\
	printf("%s %.1f\n", name, v[BATCHES / 2]);				\
} while (0)

static int stop;
static u64 seen, lost;

/*
 * Copies all that it can get, then waits as readers do. The writer does not wait, and laps it meanwhile. (A
 * reader that looked again and again would take the writer's cache line from it each time.)
 */
static void *reader(void *arg)
{
	static char copy[RING];
	struct ctrace_cursor c;
	struct ctrace_span s;
	int ret;

	(void)arg;
	ctrace_cursor_init(&c, d.ctl, RING, SUBBUF);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		ret = ctrace_cursor_next(&c, &s, sizeof(copy), ~0ull);
		if (!ret)
			usleep(1000);
		if (ret <= 0)
			continue;
		memcpy(copy, s.data, s.len);
		if (ctrace_cursor_done(&c, &s))
			seen += s.count;
	}
	lost = c.lost;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	len = argc > 1 ? atoi(argv[1]) : 48;
	if (len < sizeof(struct ctrace_record) || len > sizeof(model) || len % 8)
		return 2;
	d = (struct ctrace_ring_desc) {
		.ctl = aligned_alloc(CTRACE_PAGE, CTRACE_PAGE + RING),
		.hint = &hint, .mask = RING - 1, .submask = SUBBUF - 1,
	};
	limit_mem = aligned_alloc(CTRACE_PAGE, RING + CTRACE_RECORD_MAX);
	if (!d.ctl || !limit_mem)
		return 1;
	memset(d.ctl, 0, CTRACE_PAGE + RING);
	memset(limit_mem, 0, RING);
	d.data = (char *)d.ctl + CTRACE_PAGE;
	ctrace_ring_rebind(&d, 1, 0, 0);
	MEASURE("warm", one, 1);
	MEASURE("clock", clock_alone, 1);
	MEASURE("limit", limit, 1);
	MEASURE("ring", one, 1);
	MEASURE("nested", nested, 2);
	if (pthread_create(&t, NULL, reader, NULL))
		return 1;
	MEASURE("lapped", one, 1);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(t, NULL);
	printf("seen %llu\nlost %llu\n", (unsigned long long)seen, (unsigned long long)lost);
	return 0;
}
