// SPDX-License-Identifier: GPL-2.0-only
#include <linux/binfmts.h>
#include <trace/events/sched.h>
static void ctrace_fact_p(void *d, struct task_struct *t, pid_t old, struct linux_binprm *b) { }
void ctrace_fact(void) { check_trace_callback_type_sched_process_exec(ctrace_fact_p); }
