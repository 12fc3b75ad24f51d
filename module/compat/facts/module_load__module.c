// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <trace/events/module.h>
static void p(void *d, struct module *mod) { }
void ctrace_fact(void) { check_trace_callback_type_module_load(p); check_trace_callback_type_module_free(p); }
