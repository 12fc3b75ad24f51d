/* SPDX-License-Identifier: GPL-2.0-only */
/* Setting up a high-resolution timer. */
#ifndef CTRACE_COMPAT_TIMER_H
#define CTRACE_COMPAT_TIMER_H

#include <linux/hrtimer.h>
#include "facts.h"

/* CLOCK_MONOTONIC, relative */
static inline void ctrace_compat_hrtimer_setup(struct hrtimer *t,
					       enum hrtimer_restart (*fn)(struct hrtimer *t))
{
#ifdef CTRACE_HAVE_HRTIMER_SETUP
	hrtimer_setup(t, fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
#else
	hrtimer_init(t, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	t->function = fn;
#endif
}

#endif
