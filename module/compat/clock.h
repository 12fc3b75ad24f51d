/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CLOCK_MONOTONIC in ns, from any context incl. NMI.
 *
 * ktime_get_mono_fast_ns() is a call, and reads the counter through a pointer. Where the kernel's time
 * comes from the TSC, we compute the same inline, from the kernel's own numbers: a notifier announces
 * them at each change, as it does to KVM. That saves 28 instructions a record (selftests/bench/cost, 6.1).
 * Kernels before 3.17 lack that function: there ctrace_compat_mono_fast_ns() computes the time from the
 * announced numbers, whatever the kernel's clock is.
 */
#ifndef CTRACE_COMPAT_CLOCK_H
#define CTRACE_COMPAT_CLOCK_H

#include <linux/ktime.h>
#include <linux/timekeeping.h>
#include "facts.h"

#ifndef CTRACE_HAVE_KTIME_GET_NS
static inline u64 ktime_get_ns(void)
{
	return ktime_to_ns(ktime_get());
}
#endif

#ifndef CTRACE_HAVE_KTIME_GET_MONO_FAST_NS
u64 ctrace_compat_mono_fast_ns(void);
#define ktime_get_mono_fast_ns	ctrace_compat_mono_fast_ns
#endif

#ifdef CONFIG_X86_64
#include <linux/compiler.h>
#include <asm/barrier.h>
#include <asm/msr.h>
#include <asm/tsc.h>

#ifndef CTRACE_HAVE_RDTSC_ORDERED
static __always_inline u64 rdtsc_ordered(void)
{
	rdtsc_barrier();
	return __native_read_tsc();
}
#endif

/*
 * A latch: while one of the two sums is written, seq tells readers to use the other. So an interrupt or
 * NMI that comes upon the writer never waits. seq counts in steps of a sum's size.
 */
struct ctrace_compat_tsc {
	struct ctrace_compat_tsc_sum {
		u64 mult;
		u64 add;
		u64 base;
		u64 shift;
	} sum[2];
	unsigned long seq;
	unsigned long not;	/* 0: ctrace_compat_clock_now() may be used; else the reasons why not */
};

extern struct ctrace_compat_tsc ctrace_compat_tsc;

static __always_inline bool ctrace_compat_clock_inline(void)
{
	/* it changes rarely; seeing a change a moment late does no harm, see ctrace_compat_clock_now() */
	return !data_race(ctrace_compat_tsc.not);
}

/*
 * ns = base + ((tsc * mult + add) >> shift), modulo 2^64 but signed: a TSC that lags a little gives a
 * time before base. When the TSC is no longer the kernel's clock, mult is 0 and the result is the time
 * of the last tick.
 */
static __always_inline u64 ctrace_compat_clock_now(void)
{
	const struct ctrace_compat_tsc *c = &ctrace_compat_tsc;
	const struct ctrace_compat_tsc_sum *s;
	unsigned long seq;
	u64 ns;

	do {
		seq = READ_ONCE(c->seq);
		smp_rmb();	/* partner: change() */
		s = (const void *)((const char *)c->sum + (seq & sizeof(*s)));
		OPTIMIZER_HIDE_VAR(s);	/* one register, not two */
		ns = data_race(s->base + ((s64)(rdtsc_ordered() * s->mult + s->add) >> s->shift));
		OPTIMIZER_HIDE_VAR(ns);	/* computed before seq is read again: fewer registers */
		smp_rmb();	/* partner: change() */
	} while (unlikely(data_race(c->seq) != seq));
	return ns;
}

static __always_inline u64 ctrace_compat_clock(void)
{
	return likely(ctrace_compat_clock_inline()) ? ctrace_compat_clock_now() :
						      ktime_get_mono_fast_ns();
}

/* Process context. exit: when nothing reads the time any more, or its value does not matter. */
int ctrace_compat_clock_init(void);
void ctrace_compat_clock_exit(void);

#else

#define ctrace_compat_clock()		ktime_get_mono_fast_ns()
#define ctrace_compat_clock_inline()	true
#define ctrace_compat_clock_now()	ktime_get_mono_fast_ns()

static inline int ctrace_compat_clock_init(void) { return 0; }
static inline void ctrace_compat_clock_exit(void) { }

#endif

#endif
