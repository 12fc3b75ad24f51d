// SPDX-License-Identifier: GPL-2.0-only
#include <linux/interrupt.h>
#include <trace/events/irq.h>
static void ctrace_fact_p(void *d, unsigned int vec) { }
void ctrace_fact(void)
{
	check_trace_callback_type_softirq_raise(ctrace_fact_p);
	check_trace_callback_type_softirq_entry(ctrace_fact_p);
	check_trace_callback_type_softirq_exit(ctrace_fact_p);
}
