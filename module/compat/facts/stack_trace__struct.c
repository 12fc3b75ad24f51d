// SPDX-License-Identifier: GPL-2.0-only
/* before 5.2; later for some architectures beside the other, whose name is free here */
#include <linux/stacktrace.h>
void ctrace_fact(unsigned long *to);
void ctrace_fact(unsigned long *to)
{
	struct stack_trace t = { .entries = to, .max_entries = 1 };

	save_stack_trace(&t);
}
int stack_trace_save;
