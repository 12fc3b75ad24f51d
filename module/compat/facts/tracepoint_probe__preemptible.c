// SPDX-License-Identifier: GPL-2.0-only
/* since 6.13: probes of system calls (later: all probes) run preemptible */
#include <linux/tracepoint.h>
#ifndef DECLARE_TRACE_SYSCALL
#error no
#endif
void *ctrace_fact(const struct tracepoint *tp);
void *ctrace_fact(const struct tracepoint *tp) { return tp->ext; }
