// SPDX-License-Identifier: GPL-2.0-only
/* 6.18, and stable kernels: whether it was running */
#include <linux/hrtimer.h>
#include <linux/sched.h>
#include <trace/events/timer.h>
static void ctrace_fact_p(void *d, struct hrtimer *t, enum hrtimer_mode m, bool was_armed) { }
void ctrace_fact(void) { check_trace_callback_type_hrtimer_start(ctrace_fact_p); }
