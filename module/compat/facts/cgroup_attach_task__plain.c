// SPDX-License-Identifier: GPL-2.0-only
/* 4.9 to 4.17: (dst, task, threadgroup) */
#include <trace/events/cgroup.h>
static void ctrace_fact_p(void *d, struct cgroup *dst, struct task_struct *t, bool g) { }
void ctrace_fact(void) { check_trace_callback_type_cgroup_attach_task(ctrace_fact_p); }
