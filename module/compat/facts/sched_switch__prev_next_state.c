// SPDX-License-Identifier: GPL-2.0-only
/* since 5.19: (preempt, prev, next, prev_state) */
#include <trace/events/sched.h>
static void ctrace_fact_p(void *d, bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int state) { }
void ctrace_fact(void) { check_trace_callback_type_sched_switch(ctrace_fact_p); }
