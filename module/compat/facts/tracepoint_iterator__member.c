// SPDX-License-Identifier: GPL-2.0-only
/* since 5.10: the function that calls a tracepoint's probes if it has several */
#include <linux/tracepoint.h>
void *ctrace_fact(struct tracepoint *tp);
void *ctrace_fact(struct tracepoint *tp) { return tp->iterator; }
