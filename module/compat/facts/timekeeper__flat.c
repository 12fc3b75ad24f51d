// SPDX-License-Identifier: GPL-2.0-only
/* before 3.17: the wall clock's seconds, and the offset of the monotonic clock from it */
#include <linux/timekeeper_internal.h>
u64 ctrace_fact(const struct timekeeper *tk);
u64 ctrace_fact(const struct timekeeper *tk)
{
	return tk->clock->name[0] + tk->mult + tk->shift + tk->xtime_nsec + tk->cycle_last + tk->xtime_sec +
	       timespec_to_ns(&tk->wall_to_monotonic);
}
