// SPDX-License-Identifier: GPL-2.0-only
/* since 6.8: (task, runtime) */
#include <trace/events/sched.h>
static void ctrace_fact_p(void *d, struct task_struct *t, u64 runtime) { }
void ctrace_fact(void) { check_trace_callback_type_sched_stat_runtime(ctrace_fact_p); }
