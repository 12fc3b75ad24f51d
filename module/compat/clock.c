// SPDX-License-Identifier: GPL-2.0-only
#include "clock.h"

#ifdef CONFIG_X86_64
#include <linux/clocksource.h>
#include <linux/notifier.h>
#include <linux/pvclock_gtod.h>
#include <linux/string.h>
#include <linux/timekeeper_internal.h>

struct ctrace_compat_tsc ctrace_compat_tsc __read_mostly;

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

	WRITE_ONCE(c->seq, c->seq + sizeof(*v));	/* read the second */
	smp_wmb();				/* partner: ctrace_compat_clock(), and so below */
	put(&c->sum[0], v);
	smp_wmb();				/* as above */
	WRITE_ONCE(c->seq, c->seq + sizeof(*v));	/* the first */
	smp_wmb();				/* as above */
	put(&c->sum[1], v);
}

/* Under the timekeeper's lock, interrupts off: one at a time. */
static int timekeeping_changed(struct notifier_block *nb, unsigned long stepped, void *priv)
{
	const struct timekeeper *tk = priv;
	const struct tk_read_base *r = &tk->tkr_mono;
	/* by name: its number among the clocks has had several names */
	bool is_tsc = !strcmp(r->clock->name, "tsc");
	u32 mult = is_tsc ? r->mult : 0;
	struct ctrace_compat_tsc_sum v = {
		.mult = mult,
		/* the kernel has (tsc - cycle_last) * mult + xtime_nsec */
		.add = r->xtime_nsec - r->cycle_last * mult,
		.base = ktime_to_ns(r->base),
		.shift = r->shift,
	};

	change(&v);
	WRITE_ONCE(ctrace_compat_tsc.inline_works, is_tsc);
	return NOTIFY_OK;
}

static struct notifier_block timekeeping_nb = { .notifier_call = timekeeping_changed };

/* Tells us the present numbers before it returns. */
int ctrace_compat_clock_init(void)
{
	return pvclock_gtod_register_notifier(&timekeeping_nb);
}

void ctrace_compat_clock_exit(void)
{
	pvclock_gtod_unregister_notifier(&timekeeping_nb);
}

#endif
