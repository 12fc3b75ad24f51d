// SPDX-License-Identifier: GPL-2.0-only
#include <linux/interrupt.h>
#include <trace/events/irq.h>
static void ctrace_fact_in(void *d, int irq, struct irqaction *action) { }
static void ctrace_fact_out(void *d, int irq, struct irqaction *action, int ret) { }
void ctrace_fact(void) { check_trace_callback_type_irq_handler_entry(ctrace_fact_in); check_trace_callback_type_irq_handler_exit(ctrace_fact_out); }
