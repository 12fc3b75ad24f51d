// SPDX-License-Identifier: GPL-2.0-only
#include <trace/events/sched.h>
static void ctrace_fact_p(void *d, struct task_struct *t) { }
void ctrace_fact(void) { check_trace_callback_type_sched_wakeup_new(ctrace_fact_p); }
