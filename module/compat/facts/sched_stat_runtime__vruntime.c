// SPDX-License-Identifier: GPL-2.0-only
/* before 6.8: (task, runtime, vruntime) */
#include <trace/events/sched.h>
static void ctrace_fact_p(void *d, struct task_struct *t, u64 runtime, u64 vruntime) { }
void ctrace_fact(void) { check_trace_callback_type_sched_stat_runtime(ctrace_fact_p); }
