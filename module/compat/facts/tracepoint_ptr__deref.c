// SPDX-License-Identifier: GPL-2.0-only
/* since 4.19: a module's list may hold offsets instead of pointers */
#include <linux/tracepoint.h>
#include <linux/module.h>
struct tracepoint *ctrace_fact(struct module *mod);
struct tracepoint *ctrace_fact(struct module *mod) { return tracepoint_ptr_deref(mod->tracepoints_ptrs); }
