/* SPDX-License-Identifier: GPL-2.0-only */
/* What module/ring/ring.h needs from the kernel beyond lang/hosted.h. The test defines CTRACE_CLOCK(). */
#ifndef CTRACE_SELFTEST_RING_SHIM_H
#define CTRACE_SELFTEST_RING_SHIM_H

#include <ctrace/ctrace.h>
#include "lang/hosted.h"

#define u64			__u64		/* as in the kernel: ring.h has pointers to both */
#define __aligned(n)		__attribute__((aligned(n)))
#define notrace

/* A test may run an interrupt right after a publication, where it is hardest to be right. */
#ifndef SHIM_INTERRUPT
#define SHIM_INTERRUPT()	((void)0)
#endif

/* Or it may keep its interrupts off. Where it does not, those that come are the kernel's NMIs. */
#ifndef SHIM_IRQS
#define SHIM_IRQS(on)		((void)0)
#endif
#define raw_local_irq_save(f)	((f) = 0, SHIM_IRQS(false))
#define raw_local_irq_restore(f) ((void)(f), SHIM_IRQS(true))

/* relaxed: another thread may store it (d->end), and ThreadSanitizer knows no data_race() */
#define data_race(x)		READ_ONCE(x)
#define smp_mb()		({ __atomic_thread_fence(__ATOMIC_SEQ_CST); CTRACE_HOSTED_STEP(); })
#define cmpxchg(p, old, new)								\
({											\
	__typeof__(*(p)) shim_was = (old);						\
	__atomic_compare_exchange_n(p, &shim_was, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
	CTRACE_HOSTED_STEP();								\
	shim_was;									\
})
#define ctrace_ring_inc(p)	WRITE_ONCE(*(p), *(p) + 1)
#undef smp_store_release
#define smp_store_release(p, v)	({ __atomic_store_n(p, v, __ATOMIC_RELEASE); CTRACE_HOSTED_STEP(); \
				   SHIM_INTERRUPT(); })

#endif
