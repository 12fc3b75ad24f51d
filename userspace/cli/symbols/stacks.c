// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "symbols/stacks.h"

#define QUEUE		1024u

struct held {
	union {
		struct ctrace_record rec;
		uint64_t raw[CTRACE_RECORD_MAX / 8];
	};
	struct stacks s;
	bool alone;		/* rec is a stack whose event was not found */
	uint32_t cpu;
};

struct stack_queue {
	const struct ctrace_schema *schema;
	uint32_t flags;
	stack_out_fn out;
	void *arg;
	unsigned int first, n;
	struct held v[QUEUE];
};

static void take(struct stack *k, const struct ctrace_value *v, bool exact)
{
	k->n = v->seq.n < STACK_MAX ? v->seq.n : STACK_MAX;
	for (size_t i = 0; i < k->n; i++)
		k->v[i] = ctrace_value_at(v, i);
	k->there = true;
	k->exact = exact;
}

bool stack_decode(const struct ctrace_event_type *t, const struct ctrace_record *rec,
		  struct stack *k, uint32_t *of)
{
	struct ctrace_value v[FIELDS_MAX];
	int n;

	if (!t || (rec->id != CTRACE_ID_KERNEL_STACK && rec->id != CTRACE_ID_USER_STACK))
		return false;
	n = ctrace_decode(t, rec, v, FIELDS_MAX);
	if (n < 2 || v[1].field->kind != CTRACE_FK_SEQ)
		return false;
	*of = (uint32_t)v[0].u;
	/*
	 * A user stack begins at the instruction where the process was; a kernel stack begins at the return
	 * address of the call that led to taking it.
	 */
	take(k, &v[1], rec->id == CTRACE_ID_USER_STACK);
	return true;
}

bool stack_decode_sample(const struct ctrace_event_type *t, const struct ctrace_record *rec,
			 struct stacks *s)
{
	struct ctrace_value v[FIELDS_MAX];
	int n;

	if (!t || rec->id != CTRACE_ID_CPU_SAMPLE)
		return false;
	memset(s, 0, sizeof(*s));
	n = ctrace_decode(t, rec, v, FIELDS_MAX);
	for (int i = 0; i < n; i++) {
		if (v[i].field->kind != CTRACE_FK_SEQ)
			continue;
		take(strstr(v[i].field->name, "user") ? &s->user : &s->kernel, &v[i], true);
	}
	return n >= 0;
}

struct stack_queue *stack_queue_new(const struct ctrace_schema *s, uint32_t flags, stack_out_fn out,
				    void *arg)
{
	struct stack_queue *q = xcalloc(1, sizeof(*q));

	q->schema = s;
	q->flags = flags;
	q->out = out;
	q->arg = arg;
	return q;
}

void stack_queue_free(struct stack_queue *q)
{
	if (!q)
		return;
	stack_queue_flush(q, UINT64_MAX);
	free(q);
}

static bool complete(const struct stack_queue *q, const struct held *h)
{
	if (h->alone || h->rec.id == CTRACE_ID_CPU_SAMPLE || h->rec.id == CTRACE_ID_PROCESS_MAP)
		return true;
	return (h->s.kernel.there || !(q->flags & CTRACE_PROBE_F_STACK)) &&
	       (h->s.user.there || !(q->flags & CTRACE_PROBE_F_USER_STACK));
}

static void pop(struct stack_queue *q)
{
	struct held *h = &q->v[q->first];

	q->first = (q->first + 1) % QUEUE;
	q->n--;
	q->out(q->arg, &h->rec, h->cpu, h->s.kernel.there || h->s.user.there ? &h->s : NULL);
}

void stack_queue_flush(struct stack_queue *q, uint64_t before)
{
	while (q->n && (complete(q, &q->v[q->first]) || q->v[q->first].rec.time < before))
		pop(q);
}

/* The newest event with this tid and event id that has no stack of this kind yet. */
static struct held *owner(struct stack_queue *q, int32_t tid, uint32_t of, bool kernel)
{
	for (unsigned int i = q->n; i-- > 0;) {
		struct held *h = &q->v[(q->first + i) % QUEUE];

		if (h->rec.tid == tid && h->rec.id == of && !h->alone &&
		    !(kernel ? h->s.kernel.there : h->s.user.there))
			return h;
	}
	return NULL;
}

static struct held *push(struct stack_queue *q, const struct ctrace_record *rec, uint32_t cpu)
{
	struct held *h;

	if (q->n == QUEUE)
		pop(q);
	h = &q->v[(q->first + q->n++) % QUEUE];
	memcpy(h->raw, rec, rec->len < sizeof(h->raw) ? rec->len : sizeof(h->raw));
	h->s.kernel.there = h->s.user.there = false;
	h->s.kernel.n = h->s.user.n = 0;
	h->alone = false;
	h->cpu = cpu;
	return h;
}

void stack_queue_put(struct stack_queue *q, const struct ctrace_record *rec, uint32_t cpu)
{
	const struct ctrace_event_type *t = ctrace_schema_by_id(q->schema, rec->id);
	bool kernel = rec->id == CTRACE_ID_KERNEL_STACK;
	uint64_t time = rec->time;
	struct stack k;
	struct held *h;
	uint32_t of;

	if (stack_decode(t, rec, &k, &of)) {
		h = owner(q, rec->tid, of, kernel);
		if (!h) {
			h = push(q, rec, cpu);
			h->alone = true;
		}
		*(kernel ? &h->s.kernel : &h->s.user) = k;
	} else {
		h = push(q, rec, cpu);
		stack_decode_sample(t, rec, &h->s);
	}
	stack_queue_flush(q, time > STACK_NEAR ? time - STACK_NEAR : 0);
}
