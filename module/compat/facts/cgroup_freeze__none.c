// SPDX-License-Identifier: GPL-2.0-only
/* this kernel has no such tracepoint: its function does not exist */
#include <linux/cgroup.h>
#include <trace/events/cgroup.h>
int trace_cgroup_freeze;
