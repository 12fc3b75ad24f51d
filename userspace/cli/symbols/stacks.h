/* SPDX-License-Identifier: GPL-2.0-only */
/* Brings stacks and the events that they belong to together. */
#ifndef CTRACE_STACKS_H
#define CTRACE_STACKS_H

#include <libctrace.h>
#include "symbols/symbols.h"

#define STACK_MAX	128	/* frames shown of one stack */
/*
 * How long an event waits for its stack, ns. The stack is written right after the event, but an
 * interrupt may come between, and a virtual CPU may be stopped there.
 */
#define STACK_NEAR	200000000ull

struct stack {
	uint64_t v[STACK_MAX];	/* innermost first */
	size_t n;
	bool there;		/* the stack was taken, perhaps with no frames */
	bool exact;		/* the innermost address is an instruction, not where a call returns to */
	const char *cut;	/* why there may be more frames than these, if it was unwound; or NULL */
};

/* The stacks that came with an event, or that a sample carries itself. */
struct stacks {
	struct stack kernel, user;
};

/* Takes the stack and the id of its event from a kernel_stack or user_stack record. False: rec is neither. */
bool stack_decode(const struct ctrace_event_type *t, const struct ctrace_record *rec,
		  struct stack *k, uint32_t *of);
/* Takes both stacks from a cpu_sample. False: rec is none. */
bool stack_decode_sample(const struct ctrace_event_type *t, const struct ctrace_record *rec,
			 struct stacks *s);

/*
 * Records wait here for their stacks. A stack comes right behind its record in their ring, but after the
 * rings are merged, other records may be in between. The order of records is kept. out() gets each
 * record with its stacks, or NULL if it has none.
 */
struct stack_queue;
typedef void (*stack_out_fn)(void *arg, const struct ctrace_record *rec, uint32_t cpu, const struct stacks *s);

/* What a stack is unwound from: shown in its place, and never by itself. */
static inline bool stack_is_copy(uint32_t id)
{
	return id == CTRACE_ID_USER_MEMORY || id == CTRACE_ID_USER_REGISTERS;
}

/*
 * flags: CTRACE_PROBE_F_*, the stacks to wait for with each event. symbols: they unwind stacks, and must have
 * learned what was mapped before a record when out() returns from the one before that.
 */
struct stack_queue *stack_queue_new(const struct ctrace_schema *s, uint32_t flags, struct symbols *symbols,
				    stack_out_fn out, void *arg);
void stack_queue_free(struct stack_queue *q);
/* cpu: for out() */
void stack_queue_put(struct stack_queue *q, const struct ctrace_record *rec, uint32_t cpu);
/* Hands out the records older than `before`, stacks or not; UINT64_MAX: all. */
void stack_queue_flush(struct stack_queue *q, uint64_t before);

#endif
