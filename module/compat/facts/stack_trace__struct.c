// SPDX-License-Identifier: GPL-2.0-only
/* before 5.2. Later some architectures have both; then it is not this one, as stack_trace_save exists */
#include <linux/stacktrace.h>
void ctrace_fact(unsigned long *to);
void ctrace_fact(unsigned long *to)
{
	struct stack_trace t = { .entries = to, .max_entries = 1 };

	save_stack_trace(&t);
}
int stack_trace_save;
