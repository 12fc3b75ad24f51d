// SPDX-License-Identifier: GPL-2.0-only
/* before 4.11: the kernel's own unit of CPU time, which has a type of its own */
#include <linux/hrtimer.h>
#include <linux/sched.h>
#include <linux/cputime.h>
#include <trace/events/timer.h>
static void ctrace_fact_p(void *d, int which, struct pid *pid, cputime_t now) { }
void ctrace_fact(void) { check_trace_callback_type_itimer_expire(ctrace_fact_p); (void)cputime_to_usecs(0); }
