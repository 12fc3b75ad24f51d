// SPDX-License-Identifier: GPL-2.0-only
#include <linux/oom.h>
#include <trace/events/oom.h>
static void ctrace_fact_p(void *d, struct task_struct *t) { }
void ctrace_fact(void) { check_trace_callback_type_oom_score_adj_update(ctrace_fact_p); }
