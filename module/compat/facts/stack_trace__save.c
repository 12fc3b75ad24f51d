// SPDX-License-Identifier: GPL-2.0-only
/* since 5.2 */
#include <linux/stacktrace.h>
unsigned int ctrace_fact(unsigned long *to);
unsigned int ctrace_fact(unsigned long *to) { return stack_trace_save(to, 1, 0); }
