// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <trace/events/module.h>
static void ctrace_fact_p(void *d, struct module *mod) { }
void ctrace_fact(void) { check_trace_callback_type_module_load(ctrace_fact_p); check_trace_callback_type_module_free(ctrace_fact_p); }
