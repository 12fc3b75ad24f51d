// SPDX-License-Identifier: GPL-2.0-only
#include <linux/hrtimer.h>
#include <linux/sched.h>
#include <trace/events/timer.h>
static void ctrace_fact_p(void *d, struct hrtimer *t, ktime_t *now) { }
void ctrace_fact(void) { check_trace_callback_type_hrtimer_expire_entry(ctrace_fact_p); }
