// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bundles of the kernel's own events, one CPU's each: the viewer draws scheduling from them, and interrupts.
 */
#include <stdlib.h>
#include <string.h>
#include "export/perfetto.h"

#define BUNDLE		(64u << 10)	/* bytes: a bundle that is as long is written */
#define NEW_THREAD	0x10100u	/* CLONE_THREAD, CLONE_VM */

struct bundles {
	uint32_t n;
	struct bundle {
		struct sbuf b;
		bool lost;		/* before its events */
		/* who had the CPU last: what follows says who comes behind it */
		int32_t tid, prio;
		int64_t state;
		uint64_t to;
		char comm[CTRACE_COMM_LEN];
	} v[];
};

/* A field of an event, and its number there. */
struct map_field {
	const char *name;
	uint8_t number;
};
static const struct map {
	const char *event;
	uint16_t number;
	struct map_field f[7];
} maps[] = {
	{ "sched_waking", 20, { { "comm", 1 }, { "tid", 2 }, { "prio", 3 }, { "target_cpu", 5 } } },
	{ "sched_wakeup", 17, { { "comm", 1 }, { "tid", 2 }, { "prio", 3 }, { "target_cpu", 5 } } },
	{ "sched_wakeup_new", 114, { { "comm", 1 }, { "tid", 2 }, { "prio", 3 }, { "target_cpu", 5 } } },
	{ "sched_migrate_task", 491, { { "comm", 1 }, { "tid", 2 }, { "prio", 3 }, { "orig_cpu", 4 }, { "dest_cpu", 5 } } },
	{ "sched_process_exec", 237, { { "filename", 1 }, { "tid", 2 }, { "old_tid", 3 } } },
	{ "sched_process_exit", 238, { { "comm", 1 }, { "tid", 2 }, { "prio", 4 } } },
	{ "sched_process_free", 240, { { "comm", 1 }, { "tid", 2 }, { "prio", 3 } } },
	{ "irq_handler_entry", 36, { { "irq", 1 }, { "name", 2 } } },
	{ "irq_handler_exit", 37, { { "irq", 1 }, { "ret", 2 } } },
	{ "irq_softirq_entry", 24, { { "vec", 1 } } },
	{ "irq_softirq_exit", 25, { { "vec", 1 } } },
	{ "irq_softirq_raise", 26, { { "vec", 1 } } },
	{ "signal_generate", 325, { { "code", 1 }, { "comm", 2 }, { "group", 3 }, { "tid", 4 }, { "result", 5 }, { "sig", 6 } } },
	{ "signal_deliver", 324, { { "code", 1 }, { "sa_flags", 2 }, { "sig", 3 } } },
	{ "block_rq_insert", 126, { { "dev", 1 }, { "sector", 2 }, { "nr_sector", 3 }, { "bytes", 4 }, { "rwbs", 5 },
				    { "comm", 6 } } },
	{ "block_rq_issue", 45, { { "dev", 1 }, { "sector", 2 }, { "nr_sector", 3 }, { "bytes", 4 }, { "rwbs", 5 },
				  { "comm", 6 } } },
	{ "block_rq_complete", 125, { { "dev", 1 }, { "sector", 2 }, { "nr_sector", 3 }, { "error", 4 }, { "rwbs", 5 } } },
};

static struct bundles *bundles_of(const struct export *x)
{
	return ((struct perfetto *)x->own)->bundles;
}

struct bundles *bundles_new(uint32_t ncpus)
{
	struct bundles *b = xcalloc(1, sizeof(*b) + ncpus * sizeof(b->v[0]));

	b->n = ncpus;
	return b;
}

void bundles_free(struct bundles *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->n; i++)
		sbuf_free(&b->v[i].b);
	free(b);
}

static void flush(struct export *x, uint32_t cpu)
{
	struct perfetto *p = x->own;
	struct bundle *b = &p->bundles->v[cpu];

	if (!b->b.len && !b->lost)
		return;
	proto_number(&p->m, BUNDLE_CPU, cpu);
	sbuf_put(&p->m, b->b.s ? b->b.s : "", b->b.len);
	if (b->lost)
		proto_number(&p->m, BUNDLE_LOST, 1);
	proto_message(&p->packet, PACKET_FTRACE, &p->m);
	perfetto_packet(x, 0);
	sbuf_reset(&b->b);
	b->lost = false;
}

/* Puts p->m as an event of this number. pid: of the task that the event interrupts, or that makes it */
static void put(struct export *x, uint32_t cpu, uint64_t time, int32_t pid, unsigned int number)
{
	struct perfetto *p = x->own;
	struct bundle *b = &p->bundles->v[cpu];

	proto_number(&p->event, FTRACE_TIME, time);
	proto_number(&p->event, FTRACE_PID, (uint64_t)(int64_t)pid);
	proto_message(&p->event, number, &p->m);
	proto_message(&b->b, BUNDLE_EVENT, &p->event);
	if (b->b.len > BUNDLE)
		flush(x, cpu);
}

static void put_text(struct sbuf *m, unsigned int field, const char *s, size_t len)
{
	struct sbuf clean = { 0 };
	char *copy = xstrndup(s, len);

	sbuf_clean(&clean, copy);
	proto_text(m, field, clean.s ? clean.s : "");
	sbuf_free(&clean);
	free(copy);
}

static void put_switch(struct export *x, uint32_t cpu, uint64_t time, const char *next, int32_t tid, int32_t prio)
{
	struct perfetto *p = x->own;
	struct bundle *b = &p->bundles->v[cpu];

	put_text(&p->m, SWITCH_PREV_COMM, b->tid ? b->comm : "swapper", CTRACE_COMM_LEN);
	proto_number(&p->m, SWITCH_PREV_PID, (uint64_t)(int64_t)b->tid);
	proto_number(&p->m, SWITCH_PREV_PRIO, (uint64_t)(int64_t)b->prio);
	proto_number(&p->m, SWITCH_PREV_STATE, (uint64_t)b->state);
	put_text(&p->m, SWITCH_NEXT_COMM, next, CTRACE_COMM_LEN);
	proto_number(&p->m, SWITCH_NEXT_PID, (uint64_t)(int64_t)tid);
	proto_number(&p->m, SWITCH_NEXT_PRIO, (uint64_t)(int64_t)prio);
	put(x, cpu, time, b->tid, FTRACE_SWITCH);
}

/* The last task on this CPU left it, and nobody is known to have come. */
static void leave(struct export *x, uint32_t cpu)
{
	struct bundle *b = &bundles_of(x)->v[cpu];

	if (b->tid)
		put_switch(x, cpu, b->to, "swapper", 0, 120);
	b->tid = 0;
	b->prio = 120;
	b->state = 0;
}

void ftrace_ran(struct export *x, uint32_t cpu, const struct export_task *t, uint64_t from, uint64_t to, int32_t prio,
		int64_t state)
{
	struct bundle *b = cpu < bundles_of(x)->n ? &bundles_of(x)->v[cpu] : NULL;
	const char *comm = comms_task(x->comms, t->tid)->comm;

	if (!b)
		return;
	if (from < b->to)	/* sched_run's clock is another look at the clock */
		from = b->to;
	if (from != b->to)
		leave(x, cpu);
	put_switch(x, cpu, from, comm, t->tid, prio);
	b->tid = t->tid;
	b->prio = prio;
	b->state = state;
	b->to = to > from ? to : from;
	snprintf(b->comm, sizeof(b->comm), "%s", comm);
}

void ftrace_born(struct export *x, const struct export_task *t, uint64_t time)
{
	const char *comm = comms_task(x->comms, t->tid)->comm;
	struct perfetto *p = x->own;

	proto_number(&p->m, NEWTASK_PID, (uint64_t)(int64_t)t->tid);
	put_text(&p->m, NEWTASK_COMM, comm, strlen(comm));
	proto_number(&p->m, NEWTASK_FLAGS, t->pid && t->pid != t->tid ? NEW_THREAD : 0);
	put(x, 0, time, comms_task(x->comms, t->tid)->ppid, FTRACE_NEWTASK);
}

static void put_field(struct sbuf *m, unsigned int number, const struct ctrace_value *v)
{
	struct sbuf b = { 0 };

	if (v->field->kind == CTRACE_FK_TEXT || v->field->kind == CTRACE_FK_STRING) {
		put_text(m, number, v->str.s, v->str.len);
	} else if (v->field->display == CTRACE_FD_RWBS) {
		rwbs_put(&b, v->u);
		proto_text(m, number, b.s);
	} else if (v->field->kind == CTRACE_FK_UINT || v->field->kind == CTRACE_FK_INT) {
		proto_number(m, number, v->u);
	}
	sbuf_free(&b);
}

/* A wait that began with being woken, if wake-ups were not recorded themselves. */
static bool put_waking(struct export *x, const struct ctrace_record *rec, uint32_t cpu, const struct ctrace_value *v, int n)
{
	const struct ctrace_event_type *t = ctrace_schema_by_id(x->r.schema, CTRACE_ID_SCHED_WAKING);
	struct perfetto *p = x->own;
	const char *comm = comms_task(x->comms, rec->tid)->comm;
	bool woken = false;

	if (t && asked_type(&x->r, t) == ASKED_ALL)
		return false;
	for (int i = 1; i < n; i++)
		woken |= !strcmp(v[i].field->name, "reason") && v[i].u == CTRACE_WAIT_WOKEN;
	if (!woken || v[0].u > rec->time)
		return false;
	put_text(&p->m, WAKING_COMM, comm, strlen(comm));
	proto_number(&p->m, WAKING_PID, (uint64_t)(int64_t)rec->tid);
	proto_number(&p->m, WAKING_CPU, cpu);
	put(x, cpu, rec->time - v[0].u, 0, FTRACE_WAKING);
	return false;
}

bool ftrace_event(struct export *x, const struct ctrace_record *rec, uint32_t cpu, const struct paint *p,
		  const struct ctrace_value *v, int n)
{
	struct perfetto *own = x->own;
	const struct map *m = NULL;

	if (cpu >= own->bundles->n)
		return false;
	if (rec->id == CTRACE_ID_SCHED_WAIT)
		return put_waking(x, rec, cpu, v, n);
	for (size_t i = 0; i < ARRAY_SIZE(maps) && !m; i++)
		if (!strcmp(maps[i].event, p->type->name))
			m = &maps[i];
	if (!m)
		return false;
	for (int i = 0; i < n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(m->f) && m->f[k].name; k++)
			if (!strcmp(m->f[k].name, v[i].field->name))
				put_field(&own->m, m->f[k].number, &v[i]);
	put(x, cpu, rec->time, rec->tid, m->number);
	return true;
}

void ftrace_lost(struct export *x, uint32_t cpu)
{
	if (cpu >= bundles_of(x)->n)
		return;
	flush(x, cpu);
	bundles_of(x)->v[cpu].lost = true;
}

void bundles_flush(struct export *x)
{
	for (uint32_t i = 0; i < bundles_of(x)->n; i++) {
		leave(x, i);
		flush(x, i);
	}
}
