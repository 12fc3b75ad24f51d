// SPDX-License-Identifier: GPL-2.0-only
/* 4.9 to 4.17: (cgrp) */
#include <trace/events/cgroup.h>
static void ctrace_fact_p(void *d, struct cgroup *cgrp) { }
void ctrace_fact(void) { check_trace_callback_type_cgroup_rmdir(ctrace_fact_p); }
