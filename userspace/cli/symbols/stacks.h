/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacks, and the events that they belong to. */
#ifndef CTRACE_STACKS_H
#define CTRACE_STACKS_H

#include <libctrace.h>
#include "symbols/symbols.h"

#define STACK_MAX	128	/* frames shown of one */
/*
 * ns. A stack is written next after its event, but an interrupt may come between, and
 * a virtual CPU may be away meanwhile.
 */
#define STACK_NEAR	200000000ull

struct stack {
	uint64_t v[STACK_MAX];	/* innermost first */
	size_t n;
	bool there;		/* it was taken, perhaps with no frames */
	bool exact;		/* the first is an instruction, not where a call returns to */
};

/* An event's, or the ones that a sample carries itself. */
struct stacks {
	struct stack kernel, user;
};

/* Of a kernel_stack or user_stack record: the stack, and the id of its event. False: it is none. */
bool stack_decode(const struct ctrace_event_type *t, const struct ctrace_record *rec,
		  struct stack *k, uint32_t *of);
/* Of a cpu_sample: both. False: it is none. */
bool stack_decode_sample(const struct ctrace_event_type *t, const struct ctrace_record *rec,
			 struct stacks *s);

/*
 * Records wait here for their stacks, which come right behind them in their ring, but among
 * others' once rings are merged. The order stays; out() gets them, with their stacks or NULL.
 */
struct stack_queue;
typedef void (*stack_out_fn)(void *arg, const struct ctrace_record *rec, const struct stacks *s);

/* flags: CTRACE_PROBE_F_* of the stacks that each event is to have. */
struct stack_queue *stack_queue_new(const struct ctrace_schema *s, uint32_t flags, stack_out_fn out,
				    void *arg);
void stack_queue_free(struct stack_queue *q);
void stack_queue_put(struct stack_queue *q, const struct ctrace_record *rec);
/* Lets go what is older than that; UINT64_MAX: all. */
void stack_queue_flush(struct stack_queue *q, uint64_t before);

#endif
