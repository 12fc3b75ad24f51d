// SPDX-License-Identifier: GPL-2.0-only
/* since 6.8, and in many stable series: (task, uid) */
#include <linux/oom.h>
#include <trace/events/oom.h>
static void ctrace_fact_p(void *d, struct task_struct *t, uid_t uid) { }
void ctrace_fact(void) { check_trace_callback_type_mark_victim(ctrace_fact_p); }
