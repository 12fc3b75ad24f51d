// SPDX-License-Identifier: GPL-2.0-only
/* since 4.18: (cgrp, path) */
#include <trace/events/cgroup.h>
static void ctrace_fact_p(void *d, struct cgroup *cgrp, const char *path) { }
void ctrace_fact(void) { check_trace_callback_type_cgroup_rmdir(ctrace_fact_p); }
