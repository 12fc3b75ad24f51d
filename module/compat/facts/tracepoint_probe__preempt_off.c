// SPDX-License-Identifier: GPL-2.0-only
/* before 6.13: the macro that 6.13 added does not exist */
#include <linux/tracepoint.h>
#ifdef DECLARE_TRACE_SYSCALL
#error no
#endif
void *ctrace_fact(const struct tracepoint *tp);
void *ctrace_fact(const struct tracepoint *tp) { return tp->regfunc; }
