// SPDX-License-Identifier: GPL-2.0-only
#include "compat/clock.h"

#ifdef CONFIG_X86_64
#include <linux/bitops.h>
#include <linux/clocksource.h>
#include <linux/notifier.h>
#include <linux/pvclock_gtod.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/suspend.h>
#include <linux/timekeeper_internal.h>

/* bits of ctrace_compat_tsc.not */
#define NO_TSC	0	/* the kernel's clock is another one; set until timekeeping_changed() */
#define ASLEEP	1	/* the machine sleeps, falls asleep or wakes */

struct ctrace_compat_tsc ctrace_compat_tsc __read_mostly = { .not = BIT(NO_TSC) };

static void put(struct ctrace_compat_tsc_sum *s, const struct ctrace_compat_tsc_sum *v)
{
	WRITE_ONCE(s->mult, v->mult);
	WRITE_ONCE(s->add, v->add);
	WRITE_ONCE(s->base, v->base);
	WRITE_ONCE(s->shift, v->shift);
}

static void change(const struct ctrace_compat_tsc_sum *v)
{
	struct ctrace_compat_tsc *c = &ctrace_compat_tsc;

	WRITE_ONCE(c->seq, c->seq + sizeof(*v));	/* readers: use sum[1] */
	smp_wmb();				/* partner: ctrace_compat_clock_now(); as below */
	put(&c->sum[0], v);
	smp_wmb();				/* as above */
	WRITE_ONCE(c->seq, c->seq + sizeof(*v));	/* readers: use sum[0] */
	smp_wmb();				/* as above */
	put(&c->sum[1], v);
}

/* --- spans of time, for ctrace_compat_since() ------------------------------------------ */

/* Spans that have ended, by their tags. */
static struct {
	u64 tsc, ns;		/* of one moment, its end */
	u64 mult, shift;
} ended[CTRACE_COMPAT_STAMP_TIME];

static u64 last_tag;
/* interrupts off; protects last_tag, ended[] and changes of not and tag */
static DEFINE_RAW_SPINLOCK(spans);

/* The TSC is used no more, for this reason. */
static void stop_using(int why)
{
	struct ctrace_compat_tsc *c = &ctrace_compat_tsc;
	unsigned long flags;

	raw_spin_lock_irqsave(&spans, flags);
	if (c->tag) {
		ended[c->tag].tsc = rdtsc_ordered();
		ended[c->tag].ns = ctrace_compat_clock_now();
		ended[c->tag].mult = c->mult;
		ended[c->tag].shift = c->shift;
		smp_store_release(&c->tag, 0);	/* partner: ctrace_compat_since_any() */
	}
	set_bit(why, &c->not);
	raw_spin_unlock_irqrestore(&spans, flags);
}

/* This reason is gone; if it was the last one, another span begins. */
static void use_again(int why)
{
	struct ctrace_compat_tsc *c = &ctrace_compat_tsc;
	unsigned long flags;

	raw_spin_lock_irqsave(&spans, flags);
	clear_bit(why, &c->not);
	if (!c->not && !c->tag) {
		last_tag = last_tag % (CTRACE_COMPAT_STAMP_TIME - 1) + 1;
		smp_store_release(&c->tag, last_tag);	/* after mult and shift */
	}
	raw_spin_unlock_irqrestore(&spans, flags);
}

notrace u64 ctrace_compat_stamp_any(void)
{
	return ctrace_compat_clock() << 8 | CTRACE_COMPAT_STAMP_TIME;
}

notrace u64 ctrace_compat_since_any(u64 stamp)
{
	u64 now = ctrace_compat_clock(), tag = stamp & 0xff, before;

	if (tag == CTRACE_COMPAT_STAMP_TIME)
		return ctrace_compat_passed(stamp & ~0xffull, now << 8) >> 8;
	smp_rmb();	/* its span has ended: partner: stop_using() */
	before = (ended[tag].tsc << 8 | tag) - stamp;
	if ((s64)before < 0)	/* another CPU read its TSC just then */
		before = 0;
	return ctrace_compat_passed(ended[tag].ns, now) + ctrace_compat_scale(before, ended[tag].mult, ended[tag].shift);
}

/* --- the kernel's numbers ------------------------------------------------------------- */

/* ns = base + (((clock's counter - cycle_last) * mult + xtime_nsec) >> shift) */
struct sum {
	struct clocksource *clock;
	u64 cycle_last, xtime_nsec, base;
	u32 mult, shift;
};

static void read_timekeeper(struct sum *s, const struct timekeeper *tk)
{
#ifdef CTRACE_HAVE_TIMEKEEPER__BASE
	const struct tk_read_base *r = &tk->tkr_mono;

	s->base = ktime_to_ns(r->base);
#elif defined(CTRACE_HAVE_TIMEKEEPER__TKR)
	const struct tk_read_base *r = &tk->tkr;

	s->base = ktime_to_ns(r->base_mono);
#else
	const struct timekeeper *r = tk;

	s->base = tk->xtime_sec * NSEC_PER_SEC + timespec_to_ns(&tk->wall_to_monotonic);
#endif
	s->clock = r->clock;
	s->cycle_last = r->cycle_last;
	s->xtime_nsec = r->xtime_nsec;
	s->mult = r->mult;
	s->shift = r->shift;
}

#ifdef CTRACE_HAVE_KTIME_GET_MONO_FAST_NS

static void keep(const struct sum *s)
{
}

#else

/* A latch like ctrace_compat_tsc, but for any clock. */
static struct sum sums[2];
static unsigned long sums_seq;

static void keep(const struct sum *s)
{
	WRITE_ONCE(sums_seq, sums_seq + 1);	/* readers: use sums[1] */
	smp_wmb();				/* partner: ctrace_compat_mono_fast_ns(); as below */
	sums[0] = *s;
	smp_wmb();				/* as above */
	WRITE_ONCE(sums_seq, sums_seq + 1);	/* readers: use sums[0] */
	smp_wmb();				/* as above */
	sums[1] = *s;
}

/* Any context incl. NMI. While the machine falls asleep or wakes, returns the time of the last tick. */
notrace u64 ctrace_compat_mono_fast_ns(void)
{
	const struct sum *s;
	unsigned long seq;
	u64 ns, cycles;

	do {
		seq = READ_ONCE(sums_seq);
		smp_rmb();	/* partner: keep() */
		s = &sums[seq & 1];
		cycles = 0;
		if (!test_bit(ASLEEP, &ctrace_compat_tsc.not))
			cycles = (s->clock->read(s->clock) - s->cycle_last) & s->clock->mask;
		ns = s->base + ((cycles * s->mult + s->xtime_nsec) >> s->shift);
		smp_rmb();	/* partner: keep() */
	} while (READ_ONCE(sums_seq) != seq);
	return ns;
}

#endif

/* Called under the timekeeper's lock, interrupts off: one call at a time. */
static int timekeeping_changed(struct notifier_block *nb, unsigned long stepped, void *priv)
{
	struct ctrace_compat_tsc_sum v;
	struct sum s;
	bool is_tsc;

	read_timekeeper(&s, priv);
	keep(&s);
	/* by name: the constant for the TSC's mode has had several names */
	is_tsc = !strcmp(s.clock->name, "tsc");
	v.mult = is_tsc ? s.mult : 0;
	/* the kernel computes (tsc - cycle_last) * mult + xtime_nsec */
	v.add = s.xtime_nsec - s.cycle_last * v.mult;
	v.base = s.base;
	v.shift = s.shift;
	if (!is_tsc && !test_bit(NO_TSC, &ctrace_compat_tsc.not))
		stop_using(NO_TSC);	/* by the last numbers of the TSC */
	change(&v);
	if (is_tsc) {
		WRITE_ONCE(ctrace_compat_tsc.mult, s.mult);
		WRITE_ONCE(ctrace_compat_tsc.shift, s.shift + 8);
		if (test_bit(NO_TSC, &ctrace_compat_tsc.not))
			use_again(NO_TSC);
	}
	return NOTIFY_OK;
}

static struct notifier_block timekeeping_nb = { .notifier_call = timekeeping_changed };

/*
 * CLOCK_MONOTONIC stands still while the machine sleeps, but the TSC may count on. A time computed from
 * the TSC before the kernel has corrected its numbers would be ahead by the length of the sleep, and
 * the ring's time would stand still for as long. The kernel's own function handles that.
 */
static int power_changed(struct notifier_block *nb, unsigned long event, void *priv)
{
	switch (event) {
	case PM_HIBERNATION_PREPARE:
	case PM_SUSPEND_PREPARE:
	case PM_RESTORE_PREPARE:
		stop_using(ASLEEP);
		break;
	case PM_POST_HIBERNATION:
	case PM_POST_SUSPEND:
	case PM_POST_RESTORE:
		use_again(ASLEEP);
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block power_nb = { .notifier_call = power_changed };

/* Registering the notifier calls timekeeping_changed() with the present numbers before it returns. */
int ctrace_compat_clock_init(void)
{
	int err = register_pm_notifier(&power_nb);

	if (err)
		return err;
	err = pvclock_gtod_register_notifier(&timekeeping_nb);
	if (err)
		unregister_pm_notifier(&power_nb);
	return err;
}

void ctrace_compat_clock_exit(void)
{
	pvclock_gtod_unregister_notifier(&timekeeping_nb);
	unregister_pm_notifier(&power_nb);
}

#endif
