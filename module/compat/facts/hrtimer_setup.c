// SPDX-License-Identifier: GPL-2.0-only
#include <linux/hrtimer.h>
void ctrace_fact(struct hrtimer *t, enum hrtimer_restart (*fn)(struct hrtimer *t));
void ctrace_fact(struct hrtimer *t, enum hrtimer_restart (*fn)(struct hrtimer *t))
{
	hrtimer_setup(t, fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
}
