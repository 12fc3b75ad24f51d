// SPDX-License-Identifier: GPL-2.0-only
#include <linux/sched/signal.h>
#include <trace/events/signal.h>
static void ctrace_fact_gen(void *d, int sig, struct kernel_siginfo *info, struct task_struct *t, int group, int result) { }
static void ctrace_fact_del(void *d, int sig, struct kernel_siginfo *info, struct k_sigaction *ka) { }
void ctrace_fact(void) { check_trace_callback_type_signal_generate(ctrace_fact_gen); check_trace_callback_type_signal_deliver(ctrace_fact_del); }
