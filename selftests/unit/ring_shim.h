/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What module/ring/ring.h needs from the kernel, with a thread in place of a CPU, and the thread's signals in
 * place of interrupts. The test defines CTRACE_CLOCK().
 */
#ifndef CTRACE_SELFTEST_RING_SHIM_H
#define CTRACE_SELFTEST_RING_SHIM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <ctrace/ctrace.h>

typedef __u64 u64;
typedef __u32 u32;

#undef __always_inline			/* glibc has one */
#define __always_inline		inline __attribute__((always_inline))
#define __aligned(n)		__attribute__((aligned(n)))
#define noinline		__attribute__((__noinline__))
#define __maybe_unused		__attribute__((unused))
#define notrace
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)

/* A test may run an interrupt right after a publication, where it is hardest to be right. */
#ifndef SHIM_INTERRUPT
#define SHIM_INTERRUPT()	((void)0)
#endif

/* Or it may do something after each ordered access. */
#ifndef SHIM_STEP
#define SHIM_STEP()		((void)0)
#endif

/* Or it may keep its interrupts off. Where it does not, those that come are the kernel's NMIs. */
#ifndef SHIM_IRQS
#define SHIM_IRQS(on)		((void)0)
#endif
#define raw_local_irq_save(f)	((f) = 0, SHIM_IRQS(false))
#define raw_local_irq_restore(f) ((void)(f), SHIM_IRQS(true))

#define barrier()		__asm__ __volatile__("" ::: "memory")
#define data_race(x)		({ __typeof__(x) shim_v = (x); SHIM_STEP(); shim_v; })
#define READ_ONCE(x)		({ __typeof__(x) shim_v = __atomic_load_n(&(x), __ATOMIC_RELAXED); \
				   SHIM_STEP(); shim_v; })
#define WRITE_ONCE(x, v)	({ __atomic_store_n(&(x), v, __ATOMIC_RELAXED); SHIM_STEP(); })
#define ctrace_ring_inc(p)	WRITE_ONCE(*(p), *(p) + 1)
#define smp_store_release(p, v)	({ __atomic_store_n(p, v, __ATOMIC_RELEASE); SHIM_STEP(); \
				   SHIM_INTERRUPT(); })
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)

static inline u64 cmpxchg_local(u64 *p, u64 old, u64 new)
{
	__atomic_compare_exchange_n(p, &old, new, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	SHIM_STEP();
	return old;
}

#endif
