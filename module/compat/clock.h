/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CLOCK_MONOTONIC in ns, from any context incl. NMI.
 *
 * ktime_get_mono_fast_ns() reaches the counter through a pointer, and is itself called. Where the
 * kernel's time comes from the TSC we do its sum here, inline, with its own numbers: it tells them
 * at each change, as it tells KVM. That saves 28 instructions a record (selftests/bench/cost, 6.1).
 * Before 3.17 there is no such function: then what the kernel tells is all that is asked, whatever
 * its clock is.
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
 * A latch: while one of the two is written, seq says to read the other; so who interrupts the
 * writer, or an NMI, never waits. seq counts in steps of a sum's size.
 */
struct ctrace_compat_tsc {
	struct ctrace_compat_tsc_sum {
		u64 mult;
		u64 add;
		u64 base;
		u64 shift;
	} sum[2];
	unsigned long seq;
	unsigned long not;	/* 0: ctrace_compat_clock_now() may be asked; else why not */
};

extern struct ctrace_compat_tsc ctrace_compat_tsc;

static __always_inline bool ctrace_compat_clock_inline(void)
{
	/* it changes when nobody hurries; a moment late does no harm, see below */
	return !data_race(ctrace_compat_tsc.not);
}

/*
 * ns = base + ((tsc * mult + add) >> shift), modulo 2^64 but signed: a TSC that lags a little gives a
 * time before base. Once the TSC is not the clock any more mult is 0, and this the time of the last tick.
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
		OPTIMIZER_HIDE_VAR(ns);	/* summed up before the next look at seq: fewer registers */
		smp_rmb();	/* partner: change() */
	} while (unlikely(data_race(c->seq) != seq));
	return ns;
}

static __always_inline u64 ctrace_compat_clock(void)
{
	return likely(ctrace_compat_clock_inline()) ? ctrace_compat_clock_now() :
						      ktime_get_mono_fast_ns();
}

/* Process context. exit: when nobody asks for the time any more, or it does not matter. */
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
