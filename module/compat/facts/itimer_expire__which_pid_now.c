// SPDX-License-Identifier: GPL-2.0-only
/* since 4.11: nanoseconds; where the older unit is as wide, its macro tells it */
#include <linux/hrtimer.h>
#include <linux/sched.h>
#include <trace/events/timer.h>
#ifdef cputime_to_usecs
#error
#endif
static void p(void *d, int which, struct pid *pid, unsigned long long now) { }
void ctrace_fact(void) { check_trace_callback_type_itimer_expire(p); }
