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

/*
 * The time from then to now, which two CPUs may have read. Their clocks may differ, on a guest that was moved
 * to another host for example. Then a short time seems to have ended before it began: it counts as none, and
 * not as 2^64 ns.
 */
static __always_inline u64 ctrace_compat_passed(u64 then, u64 now)
{
	return (s64)(now - then) > 0 ? now - then : 0;
}

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
 * A latch: while one of the two sums is written, seq sends readers to the other. So an interrupt or NMI that
 * comes upon the writer never waits. seq counts in steps of a sum's size.
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
	/* of the present span of time, for ctrace_compat_since(): */
	u64 tag;		/* 1 to 254; 0: the TSC is not used */
	u64 mult, shift;	/* the clock's now; shift counts a stamp's low byte, too */
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

/*
 * For how long something took: ctrace_compat_stamp() at its beginning, ctrace_compat_since() at its end. They
 * save both the latch and the sum, since a difference of counters is multiplied but once.
 *
 * A stamp is the TSC, and in its low byte the tag of a span of time in which the kernel's clock was the TSC
 * and the machine did not sleep. If that is the present span, the difference of the counters, wherever they
 * were read (the kernel uses the TSC only if the CPUs' are in step), times the clock's present rate is the
 * time between. Over a long time that is not CLOCK_MONOTONIC to the last ns: NTP may have changed its rate
 * since, by 500 ppm at most. The product has 128 bits, because 64 bits of it would hold ten minutes.
 *
 * Otherwise (the machine slept in between, and the TSC did or did not count; the watchdog has found it
 * unstable) the stamp becomes a time by what was noted at the end of its span. While the TSC is not used, a
 * stamp is the time itself, with a tag that no span has. A tag comes again after 254 spans.
 */
#define CTRACE_COMPAT_STAMP_TIME	255u

u64 ctrace_compat_stamp_any(void);
u64 ctrace_compat_since_any(u64 stamp);

static __always_inline u64 ctrace_compat_scale(u64 n, u64 mult, u64 shift)
{
	u64 high;

	asm("mulq %[mult]\n\tshrdq %%cl, %[high], %[n]" : [n] "+a" (n), [high] "=&d" (high) : [mult] "rm" (mult), "c" (shift) : "cc");
	return n;
}

/* In line. False: there is no stamp, take ctrace_compat_stamp(). */
static __always_inline bool ctrace_compat_stamp_now(u64 *stamp)
{
	u64 tag = READ_ONCE(ctrace_compat_tsc.tag);

	*stamp = rdtsc_ordered() << 8 | tag;
	return likely(tag);
}

/* The same: ctrace_compat_since(). A stamp's tag is never 0. */
static __always_inline bool ctrace_compat_since_now(u64 stamp, u64 *ns)
{
	u64 passed = (rdtsc_ordered() << 8 | READ_ONCE(ctrace_compat_tsc.tag)) - stamp;

	if (unlikely(passed & 0xff))
		return false;
	if (unlikely((s64)passed < 0))
		passed = 0;	/* as in ctrace_compat_passed() */
	*ns = ctrace_compat_scale(passed, READ_ONCE(ctrace_compat_tsc.mult), READ_ONCE(ctrace_compat_tsc.shift));
	return true;
}

static __always_inline u64 ctrace_compat_stamp(void)
{
	u64 stamp;

	return ctrace_compat_stamp_now(&stamp) ? stamp : ctrace_compat_stamp_any();
}

static __always_inline u64 ctrace_compat_since(u64 stamp)
{
	u64 ns;

	return ctrace_compat_since_now(stamp, &ns) ? ns : ctrace_compat_since_any(stamp);
}

/* Process context. exit: when nothing reads the time any more, or its value does not matter. */
int ctrace_compat_clock_init(void);
void ctrace_compat_clock_exit(void);

#else

#define ctrace_compat_clock()		ktime_get_mono_fast_ns()
#define ctrace_compat_clock_inline()	true
#define ctrace_compat_clock_now()	ktime_get_mono_fast_ns()
#define ctrace_compat_stamp()		ktime_get_mono_fast_ns()
#define ctrace_compat_since(stamp)	ctrace_compat_passed(stamp, ktime_get_mono_fast_ns())

static inline bool ctrace_compat_stamp_now(u64 *stamp)
{
	*stamp = ktime_get_mono_fast_ns();
	return true;
}

static inline bool ctrace_compat_since_now(u64 stamp, u64 *ns)
{
	*ns = ctrace_compat_passed(stamp, ktime_get_mono_fast_ns());
	return true;
}

static inline int ctrace_compat_clock_init(void) { return 0; }
static inline void ctrace_compat_clock_exit(void) { }

#endif

#endif
