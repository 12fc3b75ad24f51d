/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What module/aggregate/table.h needs from the kernel, with a call of the test's SHIM_STEP() after each access that an
 * interrupt may come between. Every header of linux/ and asm/ here includes this one alone.
 */
#ifndef CTRACE_SELFTEST_TABLE_SHIM_H
#define CTRACE_SELFTEST_TABLE_SHIM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "lang/hosted.h"

#undef __always_inline			/* glibc has one */
#define __always_inline		inline __attribute__((always_inline))
#define noinline		__attribute__((__noinline__))
#define __maybe_unused		__attribute__((unused))
#define likely(x)		(x)
#define unlikely(x)		(x)

#ifndef SHIM_STEP
#define SHIM_STEP()		((void)0)
#endif

#define barrier()		__asm__ __volatile__("" ::: "memory")
#define READ_ONCE(x)		({ __typeof__(x) shim_v = __atomic_load_n(&(x), __ATOMIC_RELAXED); SHIM_STEP(); shim_v; })
#define WRITE_ONCE(x, v)	({ __atomic_store_n(&(x), v, __ATOMIC_RELAXED); SHIM_STEP(); })
#define smp_store_release(p, v)	({ __atomic_store_n(p, v, __ATOMIC_RELEASE); SHIM_STEP(); })
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)

typedef struct { u64 v; } local64_t;

static inline void shim_add(u64 v, local64_t *l)
{
	__atomic_fetch_add(&l->v, v, __ATOMIC_RELAXED);
	SHIM_STEP();
}
#define local64_add(v, l)	shim_add(v, l)

static inline u64 shim_cmpxchg64(u64 *p, u64 old, u64 new)
{
	__atomic_compare_exchange_n(p, &old, new, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	SHIM_STEP();
	return old;
}
#define local64_cmpxchg(l, old, new)	shim_cmpxchg64(&(l)->v, old, new)

static inline u32 cmpxchg_local(u32 *p, u32 old, u32 new)
{
	__atomic_compare_exchange_n(p, &old, new, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	SHIM_STEP();
	return old;
}

#endif
