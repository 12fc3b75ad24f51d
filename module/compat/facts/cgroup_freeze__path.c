// SPDX-License-Identifier: GPL-2.0-only
#include <trace/events/cgroup.h>
static void ctrace_fact_p(void *d, struct cgroup *cgrp, const char *path) { }
void ctrace_fact(void) { check_trace_callback_type_cgroup_freeze(ctrace_fact_p); check_trace_callback_type_cgroup_unfreeze(ctrace_fact_p); }
