// SPDX-License-Identifier: GPL-2.0-only
#include <trace/events/syscalls.h>
static void ctrace_fact_p(void *d, struct pt_regs *regs, long nr) { }
void ctrace_fact(void) { check_trace_callback_type_sys_enter(ctrace_fact_p); check_trace_callback_type_sys_exit(ctrace_fact_p); }
