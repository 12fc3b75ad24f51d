// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts and soft interrupts. Their events belong to the host: the interrupted task has nothing to
 * do with them. But a task may raise a soft interrupt, and then irq_softirq_raise is that task's event.
 */
#include <linux/interrupt.h>
#include <linux/string.h>
#include "probe/table.h"
#include "emit/simple.h"
#include "compat/tracepoint.h"

/* --- hard ---------------------------------------------------------------------- */

struct entry_arg {
	const char *name;
	u32 len;
	s32 irq;
};

#define ENTRY_FIELDS(F)	F(s32, irq) F(string, name)
CTRACE_PAYLOAD(entry_payload, ENTRY_FIELDS);

static __always_inline void fill_entry(void *payload, const void *arg)
{
	struct entry_payload *r = payload;
	const struct entry_arg *a = arg;

	r->irq = a->irq;
	memcpy(r->name, a->name, a->len);
	r->name[a->len] = 0;
}

static __always_inline void on_entry(int irq, const struct irqaction *action)
{
	struct entry_arg a = { .irq = irq, .name = action->name ?: "" };

	if (!ctrace_wants(CTRACE_ID_IRQ_HANDLER_ENTRY))
		return;
	a.len = strnlen(a.name, CTRACE_STR_MAX - 1);
	ctrace_curated_host(CTRACE_ID_IRQ_HANDLER_ENTRY, CTRACE_SIZE(entry_payload) + a.len + 1,
			    fill_entry, &a);
}

static void probe_entry(void *data, int irq, struct irqaction *action)
{
	ctrace_compat_probe_begin();
	on_entry(irq, action);
	ctrace_compat_probe_end();
}

#define EXIT_FIELDS(F)	F(s32, irq) F(s32, ret)
CTRACE_PAYLOAD(exit_payload, EXIT_FIELDS);

static __always_inline void fill_exit(void *payload, const void *arg)
{
	*(struct exit_payload *)payload = *(const struct exit_payload *)arg;
}

static void probe_exit(void *data, int irq, struct irqaction *action, int ret)
{
	struct exit_payload a = { .irq = irq, .ret = ret };

	ctrace_compat_probe_begin();
	ctrace_curated_host(CTRACE_ID_IRQ_HANDLER_EXIT, CTRACE_SIZE(exit_payload), fill_exit, &a);
	ctrace_compat_probe_end();
}

/* --- soft ----------------------------------------------------------------------- */

#define VEC_FIELDS(F)	F(u32, vec)
CTRACE_PAYLOAD(vec_payload, VEC_FIELDS);

static __always_inline void fill_vec(void *payload, const void *arg)
{
	*(struct vec_payload *)payload = *(const struct vec_payload *)arg;
}

static void probe_softirq_raise(void *data, unsigned int vec)
{
	struct vec_payload a = { .vec = vec };

	ctrace_compat_probe_begin();
	ctrace_curated_context(CTRACE_ID_IRQ_SOFTIRQ_RAISE, CTRACE_SIZE(vec_payload), fill_vec, &a);
	ctrace_compat_probe_end();
}

static void probe_softirq_entry(void *data, unsigned int vec)
{
	struct vec_payload a = { .vec = vec };

	ctrace_compat_probe_begin();
	ctrace_curated_host(CTRACE_ID_IRQ_SOFTIRQ_ENTRY, CTRACE_SIZE(vec_payload), fill_vec, &a);
	ctrace_compat_probe_end();
}

static void probe_softirq_exit(void *data, unsigned int vec)
{
	struct vec_payload a = { .vec = vec };

	ctrace_compat_probe_begin();
	ctrace_curated_host(CTRACE_ID_IRQ_SOFTIRQ_EXIT, CTRACE_SIZE(vec_payload), fill_vec, &a);
	ctrace_compat_probe_end();
}

/* --- what user space is told ------------------------------------------------ */

/* Names and order are LTTng's: viewers look for them. */
static const struct ctrace_field_desc f_entry[] = { CTRACE_FIELDS(ENTRY_FIELDS) };
static const struct ctrace_field_desc f_exit[] = { CTRACE_FIELDS(EXIT_FIELDS) };
static const struct ctrace_field_desc f_vec[] = { CTRACE_FIELDS(VEC_FIELDS) };

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(IRQ_HANDLER_ENTRY, "irq", "irq_handler_entry", "irq_handler_entry", f_entry),
	CTRACE_TYPE(IRQ_HANDLER_EXIT, "irq", "irq_handler_exit", "irq_handler_exit", f_exit),
	CTRACE_TYPE(IRQ_SOFTIRQ_RAISE, "irq", "irq_softirq_raise", "softirq_raise", f_vec),
	CTRACE_TYPE(IRQ_SOFTIRQ_ENTRY, "irq", "irq_softirq_entry", "softirq_entry", f_vec),
	CTRACE_TYPE(IRQ_SOFTIRQ_EXIT, "irq", "irq_softirq_exit", "softirq_exit", f_vec),
};

static struct ctrace_source sources[] = {
	{ .tracepoint = "irq_handler_entry", .fn = probe_entry },
	{ .tracepoint = "irq_handler_exit", .fn = probe_exit },
	{ .tracepoint = "softirq_raise", .fn = probe_softirq_raise },
	{ .tracepoint = "softirq_entry", .fn = probe_softirq_entry },
	{ .tracepoint = "softirq_exit", .fn = probe_softirq_exit },
	{ }
};

const struct ctrace_family ctrace_family_irq = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
