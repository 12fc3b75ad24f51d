/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events between two tasks, perhaps of two containers: a switch, a fork, a signal.
 *
 * If both are in one container, a session gets one record, the first task's. If they are in two, each
 * container that the session wants gets a record of its own, which shows nothing of the other side: a ring
 * reveals nothing of a neighbour. But a session with CTRACE_SESSION_F_NEIGHBOURS has no view of a single
 * container. It gets one record, which shows both sides: the first task's, or, if only the second is wanted,
 * the second's.
 */
#ifndef CTRACE_SIDES_H
#define CTRACE_SIDES_H

#include "emit/emit.h"
#include "emit/stack.h"

/* How a record may show its two sides. fill() of the event reads it. */
struct ctrace_sides {
	bool first, second;
};

/* The sessions that get one record with both sides. After ctrace_wants(). */
static __always_inline u32 ctrace_sides_both(const struct ctrace_who *first, const struct ctrace_who *second)
{
	if (ctrace_container_same(first->container, second->container))
		return ~0u;
	smp_rmb();	/* the flag is seen if the session is: pairs with ctrace_option_session_begin() */
	return READ_ONCE(ctrace_neighbour_sessions);
}

/*
 * The sessions in mask that may be shown, in an event of container c, a task of container cid: a neighbour
 * only those without views of one container.
 */
static __always_inline u32 ctrace_sides_see(u32 mask, const struct ctrace_container *c, u32 cid)
{
	if (cid == c->cid && cid != CTRACE_CID_UNKNOWN)
		return mask;
	smp_rmb();	/* as in ctrace_sides_both() */
	return mask & READ_ONCE(ctrace_neighbour_sessions);
}

/*
 * Writes what the sessions in wants get. who: the two owners; the second may be NULL, for an event of the
 * first alone. show: part of what arg points to. both: ctrace_sides_both(). no_stack: one without frames, of
 * this id. The stack that leads here is current's, so a record of the other side alone has none. Context: as
 * ctrace_emit().
 */
static __always_inline void ctrace_emit_sides(u32 wants, u32 both, const struct ctrace_stack_waited *no_stack,
					      const struct ctrace_who *const who[2],
					      u32 payload, void (*fill)(void *payload, const void *arg),
					      const void *arg, struct ctrace_sides *show)
{
	u32 mask, some;
	bool hidden;
	int i;

	for (i = 0; i < 2 && who[i]; i++) {
		mask = ctrace_wanted(wants, who[i]->container, who[i]->task);
		wants &= ~(mask & both);	/* these have the event now */
		for (; mask; mask &= ~some) {
			some = mask & both ?: mask;
			show->first = some & both || !i;
			show->second = some & both || i;
			hidden = !(some & both) && who[i]->task != current;
			if (hidden)
				__this_cpu_write(ctrace_stack_waited, no_stack);
			ctrace_emit(some, no_stack->of, who[i], payload, fill, arg);
			if (hidden)
				__this_cpu_write(ctrace_stack_waited, NULL);
		}
	}
}

#endif
