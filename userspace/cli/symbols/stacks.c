// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "symbols/stacks.h"
#include "symbols/unwind.h"

#define QUEUE		1024u

/* Registers and the top of a stack, as far as they have come. */
struct copy {
	struct unwind_frame f;
	unsigned char *bytes;
	size_t len;
	uint32_t asked;
	bool lost;		/* a part of it */
};

struct held {
	union {
		struct ctrace_record rec;
		uint64_t raw[CTRACE_RECORD_MAX / 8];
	};
	struct stacks s;
	struct copy *copy;	/* NULL: nothing of it has come */
	bool copied;		/* all of it has come; or nothing can be unwound */
	bool alone;		/* rec is a stack whose event was not found */
	uint32_t cpu;
};

struct stack_queue {
	const struct ctrace_schema *schema;
	uint32_t flags;
	struct symbols *symbols;
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
	k->cut = NULL;
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

struct stack_queue *stack_queue_new(const struct ctrace_schema *s, uint32_t flags, struct symbols *symbols,
				    stack_out_fn out, void *arg)
{
	struct stack_queue *q = xcalloc(1, sizeof(*q));

	q->schema = s;
	q->flags = flags;
	q->symbols = symbols;
	if (symbols && flags & CTRACE_PROBE_F_USER_COPY)
		symbols_unwinds(symbols);
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
	if (h->alone || h->rec.id == CTRACE_ID_PROCESS_MAP)
		return true;
	if (!h->copied && q->flags & CTRACE_PROBE_F_USER_COPY)
		return false;
	return h->rec.id == CTRACE_ID_CPU_SAMPLE ||
	       ((h->s.kernel.there || !(q->flags & CTRACE_PROBE_F_STACK)) &&
		(h->s.user.there || !(q->flags & CTRACE_PROBE_F_USER_STACK)));
}

/* By what was mapped when h was recorded, so not before its turn. */
static void unwind(struct stack_queue *q, struct held *h)
{
	struct copy *c = h->copy;
	struct unwind_stack s = { .bytes = c->bytes, .len = c->len };
	struct stack *k = &h->s.user;

	if (h->copied && c->f.n && q->symbols) {
		s.sp = c->f.v[c->f.n == UNWIND_REGISTERS ? 31 : 7];
		k->cut = symbols_unwind(q->symbols, h->rec.tid, &c->f, &s, k->v, STACK_MAX, &k->n);
		if (k->cut && s.beyond && c->lost)
			k->cut = "a part of the copy of the stack was lost";
		else if (k->cut && s.beyond && c->len < c->asked)
			k->cut = "the rest of the stack was not in memory";
		k->there = k->exact = true;
	}
	free(c->bytes);
	free(c);
	h->copy = NULL;
}

static void pop(struct stack_queue *q)
{
	struct held *h = &q->v[q->first];

	q->first = (q->first + 1) % QUEUE;
	q->n--;
	if (h->copy)
		unwind(q, h);
	q->out(q->arg, &h->rec, h->cpu, h->s.kernel.there || h->s.user.there ? &h->s : NULL);
}

void stack_queue_flush(struct stack_queue *q, uint64_t before)
{
	while (q->n && (complete(q, &q->v[q->first]) || q->v[q->first].rec.time < before))
		pop(q);
}

static bool lacks(const struct held *h, uint32_t stack)
{
	return stack_is_copy(stack) ? !h->copied : stack == CTRACE_ID_KERNEL_STACK ? !h->s.kernel.there : !h->s.user.there;
}

/* The newest event with this tid and event id that has no stack of this kind yet. */
static struct held *owner(struct stack_queue *q, int32_t tid, uint32_t of, uint32_t stack)
{
	for (unsigned int i = q->n; i-- > 0;) {
		struct held *h = &q->v[(q->first + i) % QUEUE];

		if (h->rec.tid == tid && h->rec.id == of && !h->alone && lacks(h, stack))
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
	h->s.kernel.cut = h->s.user.cut = NULL;
	h->alone = h->copied = false;
	h->copy = NULL;
	h->cpu = cpu;
	return h;
}

/* A piece of memory. The pieces come one after the other; behind one that was lost, none is of use. */
static void take_memory(struct copy *c, const struct ctrace_value *v)
{
	size_t n = v[2].seq.n;

	if (v[1].u != c->len || n > CTRACE_COPY_MAX - c->len) {
		c->lost = true;
		return;
	}
	c->bytes = xrealloc(c->bytes, c->len + n + 1);
	for (size_t i = 0; i < n; i++)
		c->bytes[c->len++] = (unsigned char)ctrace_value_at(&v[2], i);
}

static void take_registers(struct copy *c, const struct ctrace_value *v)
{
	size_t n = v[4].seq.n;

	c->asked = (uint32_t)v[1].u;
	c->lost |= v[3].u != c->len;
	c->f.known = v[2].u;
	c->f.exact = true;
	c->f.n = n == UNWIND_REGISTERS || n == 17 ? (unsigned int)n : 0;
	for (unsigned int i = 0; i < c->f.n; i++)
		c->f.v[i] = ctrace_value_at(&v[4], i);
}

/* Of an event that is not here any more, they are of no use. */
static void put_copy(struct stack_queue *q, const struct ctrace_event_type *t, const struct ctrace_record *rec)
{
	bool memory = rec->id == CTRACE_ID_USER_MEMORY;
	struct ctrace_value v[FIELDS_MAX];
	int n = t ? ctrace_decode(t, rec, v, FIELDS_MAX) : 0, seq = memory ? 2 : 4;
	struct held *h;

	if (n <= seq || v[seq].field->kind != CTRACE_FK_SEQ)
		return;
	h = owner(q, rec->tid, (uint32_t)v[0].u, rec->id);
	if (!h)
		return;
	if (!h->copy)
		h->copy = xcalloc(1, sizeof(*h->copy));
	if (memory) {
		take_memory(h->copy, v);
	} else {
		take_registers(h->copy, v);
		h->copied = true;
	}
}

void stack_queue_put(struct stack_queue *q, const struct ctrace_record *rec, uint32_t cpu)
{
	const struct ctrace_event_type *t = ctrace_schema_by_id(q->schema, rec->id);
	uint64_t time = rec->time;
	struct stack k;
	struct held *h;
	uint32_t of;

	if (stack_is_copy(rec->id)) {
		put_copy(q, t, rec);
	} else if (stack_decode(t, rec, &k, &of)) {
		h = owner(q, rec->tid, of, rec->id);
		if (!h) {
			h = push(q, rec, cpu);
			h->alone = true;
		}
		*(rec->id == CTRACE_ID_KERNEL_STACK ? &h->s.kernel : &h->s.user) = k;
	} else {
		h = push(q, rec, cpu);
		stack_decode_sample(t, rec, &h->s);
	}
	stack_queue_flush(q, time > STACK_NEAR ? time - STACK_NEAR : 0);
}
