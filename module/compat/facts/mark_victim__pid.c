// SPDX-License-Identifier: GPL-2.0-only
#include <linux/oom.h>
#include <trace/events/oom.h>
static void ctrace_fact_p(void *d, int pid) { }
void ctrace_fact(void) { check_trace_callback_type_mark_victim(ctrace_fact_p); }
