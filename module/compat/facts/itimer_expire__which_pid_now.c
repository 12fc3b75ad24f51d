// SPDX-License-Identifier: GPL-2.0-only
/* since 4.11: nanoseconds. If the older type is as wide, its macro tells the two apart */
#include <linux/hrtimer.h>
#include <linux/sched.h>
#include <trace/events/timer.h>
#ifdef cputime_to_usecs
#error
#endif
static void ctrace_fact_p(void *d, int which, struct pid *pid, unsigned long long now) { }
void ctrace_fact(void) { check_trace_callback_type_itimer_expire(ctrace_fact_p); }
