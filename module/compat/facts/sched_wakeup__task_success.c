// SPDX-License-Identifier: GPL-2.0-only
/* before 4.3: (task, success) */
#include <trace/events/sched.h>
static void ctrace_fact_p(void *d, struct task_struct *t, int success) { }
void ctrace_fact(void) { check_trace_callback_type_sched_wakeup(ctrace_fact_p); }
