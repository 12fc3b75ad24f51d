// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts and soft interrupts, and their handlers as spans (probe/handler_span.h). Their events belong to
 * the host: the interrupted task has nothing to do with them. But a task may raise a soft interrupt, and then
 * irq_softirq_raise is that task's event.
 */
#include <linux/interrupt.h>
#include <linux/string.h>
#include "probe/handler_span.h"
#include "probe/table.h"
#include "compat/tracepoint.h"

/* Each CPU has a row, up to 512 CPUs. */
struct ctrace_inflight ctrace_handlers __read_mostly = { .stride = sizeof(struct ctrace_handler), .bits = 12 };

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
	/* last: our own work does not count */
	ctrace_handler_enters(CTRACE_ID_IRQ, ctrace_handler_irq(), 0);
	ctrace_compat_probe_end();
}

#define EXIT_FIELDS(F)	F(s32, irq) F(s32, ret)
CTRACE_PAYLOAD(exit_payload, EXIT_FIELDS);

static __always_inline void fill_exit(void *payload, const void *arg)
{
	*(struct exit_payload *)payload = *(const struct exit_payload *)arg;
}

struct span_arg {
	u64 duration;
	const char *name;
	u32 len;
	s32 irq, ret;
};

#define SPAN_FIELDS(F)	F(u64, duration) F(s32, irq) F(s32, ret) F(s32, tid) F(string, name)
CTRACE_PAYLOAD(span_payload, SPAN_FIELDS);

static __always_inline void fill_span(void *payload, const void *arg)
{
	struct span_payload *r = payload;
	const struct span_arg *a = arg;

	r->duration = a->duration;
	r->irq = a->irq;
	r->ret = a->ret;
	r->tid = current->pid;
	memcpy(r->name, a->name, a->len);
	r->name[a->len] = 0;
}

static __always_inline void on_span(int irq, const struct irqaction *action, int ret)
{
	struct span_arg a = { .name = action->name ?: "", .irq = irq, .ret = ret };
	u32 mask = ctrace_handler_leaves(CTRACE_ID_IRQ, ctrace_handler_irq(), &a.duration, NULL);

	if (!mask)
		return;
	a.len = strnlen(a.name, CTRACE_STR_MAX - 1);
	ctrace_handler_emit(mask, CTRACE_ID_IRQ, CTRACE_SIZE(span_payload) + a.len + 1, fill_span, &a);
}

static void probe_exit(void *data, int irq, struct irqaction *action, int ret)
{
	struct exit_payload a = { .irq = irq, .ret = ret };

	ctrace_compat_probe_begin();
	on_span(irq, action, ret);
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
	ctrace_handler_enters(CTRACE_ID_SOFTIRQ, ctrace_handler_softirq(vec), 0);
	ctrace_compat_probe_end();
}

#define SOFT_SPAN_FIELDS(F)	F(u64, duration) F(u32, vec) F(s32, tid)
CTRACE_PAYLOAD(soft_span_payload, SOFT_SPAN_FIELDS);

static __always_inline void fill_soft_span(void *payload, const void *arg)
{
	*(struct soft_span_payload *)payload = *(const struct soft_span_payload *)arg;
}

static __always_inline void on_soft_span(unsigned int vec)
{
	struct soft_span_payload a = { .vec = vec, .tid = current->pid };
	u32 mask = ctrace_handler_leaves(CTRACE_ID_SOFTIRQ, ctrace_handler_softirq(vec), &a.duration, NULL);

	if (mask)
		ctrace_handler_emit(mask, CTRACE_ID_SOFTIRQ, CTRACE_SIZE(soft_span_payload), fill_soft_span, &a);
}

static void probe_softirq_exit(void *data, unsigned int vec)
{
	struct vec_payload a = { .vec = vec };

	ctrace_compat_probe_begin();
	on_soft_span(vec);
	ctrace_curated_host(CTRACE_ID_IRQ_SOFTIRQ_EXIT, CTRACE_SIZE(vec_payload), fill_vec, &a);
	ctrace_compat_probe_end();
}

/* --- what user space gets --------------------------------------------------- */

/* Names and order are LTTng's: viewers look for them. */
static const struct ctrace_field_desc f_entry[] = { CTRACE_FIELDS(ENTRY_FIELDS) };
static const struct ctrace_field_desc f_exit[] = { CTRACE_FIELDS(EXIT_FIELDS) };
static const struct ctrace_field_desc f_vec[] = { CTRACE_FIELDS(VEC_FIELDS) };
static const struct ctrace_field_desc f_span[] = { CTRACE_FIELDS(SPAN_FIELDS) };
static const struct ctrace_field_desc f_soft_span[] = { CTRACE_FIELDS(SOFT_SPAN_FIELDS) };

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(IRQ_HANDLER_ENTRY, "irq", "irq_handler_entry", "irq_handler_entry", f_entry),
	CTRACE_TYPE(IRQ_HANDLER_EXIT, "irq", "irq_handler_exit", "irq_handler_exit", f_exit),
	CTRACE_TYPE(IRQ_SOFTIRQ_RAISE, "irq", "irq_softirq_raise", "softirq_raise", f_vec),
	CTRACE_TYPE(IRQ_SOFTIRQ_ENTRY, "irq", "irq_softirq_entry", "softirq_entry", f_vec),
	CTRACE_TYPE(IRQ_SOFTIRQ_EXIT, "irq", "irq_softirq_exit", "softirq_exit", f_vec),
	/* not "irq": that means every event of the group */
	CTRACE_TYPE(IRQ, "irq", "irq_handler", "irq_handler_exit", f_span),
	CTRACE_TYPE(SOFTIRQ, "irq", "softirq", "softirq_exit", f_soft_span),
};

static struct ctrace_source sources[] = {
	{ .tracepoint = "irq_handler_entry", .fn = probe_entry },
	{ .tracepoint = "irq_handler_exit", .fn = probe_exit, .with = { "irq_handler_entry" },
	  .table = &ctrace_handlers },
	{ .tracepoint = "softirq_raise", .fn = probe_softirq_raise },
	{ .tracepoint = "softirq_entry", .fn = probe_softirq_entry },
	{ .tracepoint = "softirq_exit", .fn = probe_softirq_exit, .with = { "softirq_entry" },
	  .table = &ctrace_handlers },
	{ }
};

const struct ctrace_family ctrace_family_irq = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
