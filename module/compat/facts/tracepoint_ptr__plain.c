// SPDX-License-Identifier: GPL-2.0-only
/* before 4.19: pointers. Before 3.15 the list has one const less, which compiles as well */
#include <linux/tracepoint.h>
#include <linux/module.h>
struct tracepoint *ctrace_fact(struct module *mod);
struct tracepoint *ctrace_fact(struct module *mod) { return *mod->tracepoints_ptrs; }
int tracepoint_ptr_deref;
