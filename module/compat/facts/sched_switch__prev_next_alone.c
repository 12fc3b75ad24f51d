// SPDX-License-Identifier: GPL-2.0-only
/* before 4.4: (prev, next) */
#include <trace/events/sched.h>
static void ctrace_fact_p(void *d, struct task_struct *prev, struct task_struct *next) { }
void ctrace_fact(void) { check_trace_callback_type_sched_switch(ctrace_fact_p); }
