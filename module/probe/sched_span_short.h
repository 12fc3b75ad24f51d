/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The short way of sched_span.c: for tasks that this CPU remembers, and sessions that want nothing of
 * sched_run and sched_block, and either sched_wait or sched_blame only to count it in line, as runqlat and
 * blame do. Each function returns false if it has done nothing: then the general way does all. r:
 * ctrace_blame_switch()'s. *now: 0 while the clock has not been read. It is read only for tasks that a
 * session wants.
 *
 * Context: under the lock of p's run queue.
 */
#ifndef CTRACE_SCHED_SPAN_SHORT_H
#define CTRACE_SCHED_SPAN_SHORT_H

#include <linux/sched.h>
#include "probe/blame_short.h"
#include "emit/emit.h"
#include "event/event.h"
#include "session/inflight.h"
#include "session/session.h"
#include "compat/clock.h"
#include "compat/syscall.h"
#include "compat/task.h"

/* A place: what a task is in, and since when. */
struct ctrace_span {
	struct ctrace_begun begun;	/* its id says which of the three */
	union {
		struct {
			u32 reason;
			s32 cpu;
			u64 since;	/* it waits on this CPU */
		} wait;
		struct {
			u32 state;
			u32 iowait;
			s32 syscall;
			s32 arg;
		} block;
	};
};

/* In begun.wanted of a wait: its beginning was not seen, so it is no sched_wait. */
#define CTRACE_SPAN_UNSEEN	(1u << 17)

extern struct ctrace_inflight ctrace_sched_spans;	/* sched_span.c's */

/* current leaves the CPU, and could continue: why. */
static __always_inline u32 ctrace_span_gives_up(void)
{
	return unlikely(ctrace_compat_may_yield()) && ctrace_syscall_yields() ? CTRACE_WAIT_YIELDED :
										CTRACE_WAIT_PREEMPTED;
}

/* p has no place: it begins to wait, woken or because it leaves this CPU. */
static __always_inline bool ctrace_span_begin_short(struct ctrace_inflight *t, struct task_struct *p, u32 row,
						    bool woken, u64 *now)
{
	u32 mask = ctrace_wants(CTRACE_ID_SCHED_WAIT) | ctrace_wants(CTRACE_ID_SCHED_BLAME), place;
	const struct ctrace_container *c;
	union ctrace_ids ids;
	struct ctrace_span *s;

	if (!mask)
		return true;
	c = ctrace_identity_other(p, &ids);
	if (unlikely(!c))
		return false;
	mask = ctrace_wanted(mask, c, p);
	if (!mask)
		return true;
	place = ctrace_inflight_take_new(t, row, p);
	if (unlikely(place == CTRACE_INFLIGHT_NONE)) {
		ctrace_session_unfollowed(mask);
		return true;
	}
	s = ctrace_inflight_at(t, place);
	WRITE_ONCE(s->begun.wanted, (u64)mask << 32 | CTRACE_ID_SCHED_WAIT);
	s->wait.reason = woken ? CTRACE_WAIT_WOKEN : ctrace_span_gives_up();
	s->wait.cpu = task_cpu(p);
	*now = ctrace_compat_clock();
	s->wait.since = *now;
	s->begun.time = *now;
	return true;
}

static __always_inline bool ctrace_span_woken_short(struct ctrace_inflight *t, struct task_struct *p, u64 *now)
{
	u32 row = ctrace_inflight_row(t, p);

	return ctrace_inflight_find(t, row, p) == CTRACE_INFLIGHT_NONE &&
	       ctrace_span_begin_short(t, p, row, true, now);
}

static __always_inline bool ctrace_span_out_short(struct ctrace_inflight *t, struct task_struct *p, u32 state, u64 *now)
{
	u32 row = ctrace_inflight_row(t, p);

	if (ctrace_inflight_find(t, row, p) != CTRACE_INFLIGHT_NONE)
		return false;
	if (state & TASK_DEAD || ctrace_compat_asleep(p))
		return !ctrace_wants(CTRACE_ID_SCHED_BLOCK);
	return ctrace_span_begin_short(t, p, row, false, now);
}

static __always_inline bool ctrace_span_in_short(struct ctrace_inflight *t, const struct task_struct *p,
						 const struct ctrace_blame_ring *r, u64 *now)
{
	u32 row = ctrace_inflight_row(t, p), place = ctrace_inflight_find(t, row, p), waits, blames;
	const struct ctrace_aggregate *table;
	const struct ctrace_container *c;
	union ctrace_ids ids;
	const struct ctrace_span *s;
	u64 wanted;

	if (ctrace_wants(CTRACE_ID_SCHED_RUN))
		return false;
	if (place == CTRACE_INFLIGHT_NONE)
		return likely(!ctrace_compat_queued_before(p, READ_ONCE(ctrace_session_began.sched)));
	s = ctrace_inflight_at(t, place);
	/* a session has begun since: it may want the rest of the wait */
	if (unlikely(s->begun.time < READ_ONCE(ctrace_session_began.clock)))
		return false;
	wanted = READ_ONCE(s->begun.wanted);
	waits = wanted >> 32 & ctrace_wants(CTRACE_ID_SCHED_WAIT);
	blames = wanted >> 32 & ctrace_wants(CTRACE_ID_SCHED_BLAME);
	if (unlikely((u32)wanted != CTRACE_ID_SCHED_WAIT || !waits == !blames))
		return false;
	c = ctrace_identity_other(p, &ids);
	if (unlikely(!c))
		return false;
	if (!*now)
		*now = ctrace_compat_clock();
	/* A task that leaves a CPU is in no probe, so no writer has been interrupted. */
	if (blames) {
		blames = ctrace_wanted(blames, c, p);
		if (unlikely(!blames || !ctrace_blame_short(blames, p, c, r, s->wait.since, *now)))
			return false;
	} else {
		waits = ctrace_wanted(waits, c, p);
		table = waits ? ctrace_emit_quick(waits, CTRACE_ID_SCHED_WAIT) : NULL;
		if (unlikely(!table || !ctrace_aggregate_wait(table, c->cid, s->wait.reason, ctrace_compat_passed(s->begun.time, *now))))
			return false;
	}
	ctrace_inflight_give(t, row, place);
	return true;
}

#endif
