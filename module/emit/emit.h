/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way of an event: whose is it, is it wanted, reserve, fill, commit.
 *
 * A probe checks ctrace_event_wants[] first and finds out whose event it is. Then it
 * calls ctrace_emit() with a mask of sessions and a function that fills the payload.
 * fill is always a constant, so the compiler inlines all of this into each probe.
 */
#ifndef CTRACE_EMIT_H
#define CTRACE_EMIT_H

#include "emit/one.h"
#include "session/option.h"
#include "session/session.h"
#include "session/target.h"
#include "event/event.h"
#include "identity/identity.h"

/* emit/special.c: ctrace_emit() for the sessions in mask, which are special. Context: the same. */
void ctrace_emit_special(u32 mask, u32 id, const struct ctrace_who *who, u32 payload,
			 void (*fill)(void *payload, const void *arg), const void *arg);

/* Does a session in mask record the kernel's stack with event id? Context: the same. */
bool ctrace_special_stack(u32 mask, u32 id);

/*
 * Writes one record for each session in mask, which is not 0. payload: bytes before padding;
 * fill writes exactly these. May drop the record: the ring counts that. Any context incl.
 * NMI; preemption off.
 */
static __always_inline void ctrace_emit(u32 mask, u32 id, const struct ctrace_who *who,
					u32 payload,
					void (*fill)(void *payload, const void *arg),
					const void *arg)
{
	u32 special = mask & READ_ONCE(ctrace_special_sessions);
	u32 cid = who->container->cid;

	if (unlikely(special)) {
		ctrace_emit_special(special, id, who, payload, fill, arg);
		mask &= ~special;
		if (!mask)
			return;
	}
	do {
		ctrace_emit_one(__ffs(mask), id, who, cid, payload, fill, arg);
		mask &= mask - 1;
	} while (unlikely(mask));
}

/* The sessions that record event id at all. */
static __always_inline u32 ctrace_wants(u32 id)
{
	return READ_ONCE(ctrace_event_wants[id]);
}

#endif
