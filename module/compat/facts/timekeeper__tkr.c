// SPDX-License-Identifier: GPL-2.0-only
/* 3.17 to 3.19: one base */
#include <linux/timekeeper_internal.h>
u64 ctrace_fact(const struct timekeeper *tk);
u64 ctrace_fact(const struct timekeeper *tk)
{
	const struct tk_read_base *r = &tk->tkr;

	return r->clock->name[0] + r->mult + r->shift + r->xtime_nsec + r->cycle_last +
	       ktime_to_ns(r->base_mono);
}
