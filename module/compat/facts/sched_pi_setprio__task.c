// SPDX-License-Identifier: GPL-2.0-only
/* 4.12: the task that waits */
#include <trace/events/sched.h>
static void ctrace_fact_p(void *d, struct task_struct *t, struct task_struct *pi) { }
void ctrace_fact(void) { check_trace_callback_type_sched_pi_setprio(ctrace_fact_p); }
