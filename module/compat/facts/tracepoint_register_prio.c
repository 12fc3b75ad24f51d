// SPDX-License-Identifier: GPL-2.0-only
/* since 4.3: a probe can be placed before or after others */
#include <linux/tracepoint.h>
int ctrace_fact(struct tracepoint *tp);
int ctrace_fact(struct tracepoint *tp) { return tracepoint_probe_register_prio(tp, NULL, NULL, TRACEPOINT_DEFAULT_PRIO); }
