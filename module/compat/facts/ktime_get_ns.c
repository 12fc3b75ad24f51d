// SPDX-License-Identifier: GPL-2.0-only
/* since 3.17 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>
u64 ctrace_fact(void);
u64 ctrace_fact(void) { return ktime_get_ns(); }
