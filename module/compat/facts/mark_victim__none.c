// SPDX-License-Identifier: GPL-2.0-only
/* this kernel has no such tracepoint: its function does not exist */
#include <linux/oom.h>
#include <trace/events/oom.h>
int trace_mark_victim;
