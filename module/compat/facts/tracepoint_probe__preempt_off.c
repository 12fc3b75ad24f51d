// SPDX-License-Identifier: GPL-2.0-only
/* before 6.13: and what that kernel brought along is not there */
#include <linux/tracepoint.h>
#ifdef DECLARE_TRACE_SYSCALL
#error no
#endif
void *ctrace_fact(const struct tracepoint *tp);
void *ctrace_fact(const struct tracepoint *tp) { return tp->regfunc; }
