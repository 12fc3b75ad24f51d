// SPDX-License-Identifier: GPL-2.0-only
#include <linux/interrupt.h>
#include <trace/events/irq.h>
static void p(void *d, unsigned int vec) { }
void ctrace_fact(void)
{
	check_trace_callback_type_softirq_raise(p);
	check_trace_callback_type_softirq_entry(p);
	check_trace_callback_type_softirq_exit(p);
}
