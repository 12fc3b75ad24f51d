// SPDX-License-Identifier: GPL-2.0-only
#include <asm/trace/exceptions.h>
static void ctrace_fact_p(void *d, unsigned long address, struct pt_regs *regs, unsigned long error_code) { }
void ctrace_fact(void) { check_trace_callback_type_page_fault_user(ctrace_fact_p); check_trace_callback_type_page_fault_kernel(ctrace_fact_p); }
