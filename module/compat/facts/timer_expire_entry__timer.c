// SPDX-License-Identifier: GPL-2.0-only
/* before 5.4 */
#include <linux/hrtimer.h>
#include <linux/sched.h>
#include <trace/events/timer.h>
static void ctrace_fact_p(void *d, struct timer_list *t) { }
void ctrace_fact(void) { check_trace_callback_type_timer_expire_entry(ctrace_fact_p); }
