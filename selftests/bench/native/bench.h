/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For ring.c and scale.c: module/ring/ring.h, a clock and a record of `len` bytes. With -DBENCH_TSC the clock is the module's
 * own calculation (compat/clock.h), else clock_gettime(). Where the shim leaves something to the compiler, this file does it
 * as the kernel does: a cmpxchg without a lock prefix, an increment in one instruction.
 */
#ifndef CTRACE_BENCH_NATIVE_H
#define CTRACE_BENCH_NATIVE_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
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
#undef cmpxchg_local
#define cmpxchg_local(p, old, new)	bench_cmpxchg(p, old, new)
#endif

static inline u64 mono(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

#ifdef BENCH_TSC
static struct {
	u64 seq, mult, add, base;
} tsc = { .mult = 1 << 22, .base = 1 };

/* The value in ns does not matter here. It only has to take as much work. */
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

#define SUBBUF	(128u << 10)
#define RING	(1u << 20)

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

static inline void write_one(struct ctrace_ring_desc *d)
{
	struct ctrace_writer w;

	if (!ctrace_ring_reserve(d, &w, len))
		abort();
	fill(w.rec);
	ctrace_ring_commit(d, &w);
}

/* False: no record has that many bytes here. */
static bool set_len(const char *text)
{
	len = atoi(text);
	return len >= sizeof(struct ctrace_record) && len <= sizeof(model) && len % 8 == 0;
}

/* False: no memory. */
static bool ring_init(struct ctrace_ring_desc *d, u64 *hint, u32 cpu)
{
	char *mem = mmap(NULL, CTRACE_PAGE + RING, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		return false;
	*d = (struct ctrace_ring_desc) {
		.ctl = (struct ctrace_ring *)mem, .data = mem + CTRACE_PAGE,
		.hint = hint, .mask = RING - 1, .submask = SUBBUF - 1,
	};
	ctrace_ring_rebind(d, 1, cpu, 0);
	return true;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* 0 if there are none */
static double median(double *v, int n)
{
	qsort(v, n, sizeof(*v), by_value);
	return n ? v[n / 2] : 0;
}

#endif
