// SPDX-License-Identifier: GPL-2.0-only
#include <linux/hrtimer.h>
#include <linux/sched.h>
#include <trace/events/timer.h>
static void p(void *d, int which, struct pid *pid, unsigned long long now) { }
void ctrace_fact(void) { check_trace_callback_type_itimer_expire(p); }
