// SPDX-License-Identifier: GPL-2.0-only
/* since 6.16: (task, group_dead) */
#include <trace/events/sched.h>
static void ctrace_fact_p(void *d, struct task_struct *t, bool group_dead) { }
void ctrace_fact(void) { check_trace_callback_type_sched_process_exit(ctrace_fact_p); }
