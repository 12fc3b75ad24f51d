/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handlers of interrupts, of soft interrupts and of timers, from entry to exit: spans. They are the host's
 * events; the task that they interrupt has nothing to do with them, but its number is recorded.
 *
 * A handler ends on the CPU where it began, and current is the same then, as a handler is not switched away
 * from: on PREEMPT_RT a soft interrupt's may be, but is the current task's own work there. So what has begun
 * is found by a key of the context that runs it:
 *
 *	interrupt	current and the depth of interrupts, because one may interrupt another's handler.
 *			The handlers of a shared interrupt come one after another
 *	soft interrupt	current and its vector: a vector's handler does not interrupt itself
 *	timer		the timer: the kernel runs a timer's function on one CPU at a time
 *
 * The first two lie in the first bytes of a task's structure, where no other key is. A key that is left
 * behind because its end was not seen is the next one's of that context (session/inflight.h, take).
 *
 * Of an interrupt with a thread the handler is the part that wakes the thread. With forced threads
 * (PREEMPT_RT) that is all there is, and the thread's work is a task's.
 */
#ifndef CTRACE_HANDLER_SPAN_H
#define CTRACE_HANDLER_SPAN_H

#include <linux/hardirq.h>
#include <linux/sched.h>
#include "emit/simple.h"
#include "session/inflight.h"
#include "compat/clock.h"

struct ctrace_handler {
	struct ctrace_begun begun;
	s64 now;		/* of a timer: the time at which it expired */
};

/* In probe/irq.c. 0.2 MiB. */
extern struct ctrace_inflight ctrace_handlers;

static __always_inline const void *ctrace_handler_irq(void)
{
	return (const char *)current + (hardirq_count() >> HARDIRQ_SHIFT) % 16;
}

static __always_inline const void *ctrace_handler_softirq(unsigned int vec)
{
	return (const char *)current + 16 + vec % 16;
}

/* Any context; preemption off. */
static __always_inline void ctrace_handler_enters(u32 id, const void *key, s64 now)
{
	struct ctrace_inflight *t = &ctrace_handlers;
	u32 mask = ctrace_wants(id), place;
	struct ctrace_handler *h;

	if (!mask)
		return;
	mask = ctrace_wanted(mask, &ctrace_container_host, NULL);
	if (!mask)
		return;
	place = ctrace_inflight_take(t, ctrace_inflight_here(t), key);
	if (unlikely(place == CTRACE_INFLIGHT_NONE)) {
		ctrace_session_unfollowed(mask);
		return;
	}
	h = ctrace_inflight_at(t, place);
	WRITE_ONCE(h->begun.wanted, (u64)mask << 32 | id);
	h->now = now;
	h->begun.time = ctrace_compat_clock();
}

/*
 * The same. Returns the sessions that get the span; 0: none, or its beginning was not seen. now: what was
 * noted, or NULL. It is asked although no session may want the span: the place is given back.
 */
static __always_inline u32 ctrace_handler_leaves(u32 id, const void *key, u64 *duration, s64 *now)
{
	struct ctrace_inflight *t = &ctrace_handlers;
	u32 row = ctrace_inflight_here(t), place = ctrace_inflight_find(t, row, key), mask;
	const struct ctrace_handler *h;

	if (place == CTRACE_INFLIGHT_NONE)
		return 0;
	h = ctrace_inflight_at(t, place);
	*duration = ctrace_compat_passed(h->begun.time, ctrace_compat_clock());
	if (now)
		*now = h->now;
	mask = READ_ONCE(h->begun.wanted) >> 32;
	ctrace_inflight_give(t, row, place);
	return mask & ctrace_wants(id);
}

/* For the sessions that leaves() returned. */
static __always_inline void ctrace_handler_emit(u32 mask, u32 id, u32 size, void (*fill)(void *, const void *),
						const void *arg)
{
	struct ctrace_who who;

	ctrace_identity_host(&who);
	ctrace_curated_emit(mask, id, &who, size, fill, arg);
}

#endif
