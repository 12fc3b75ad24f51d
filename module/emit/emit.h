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

#include "emit/record.h"
#include "session/option.h"
#include "session/session.h"
#include "session/target.h"
#include "event/event.h"
#include "identity/identity.h"

/* emit/options.c: ctrace_emit() for the sessions in mask, which have options. Context: the same. */
void ctrace_emit_options(u32 mask, u32 id, const struct ctrace_who *who, u32 payload,
			 void (*fill)(void *payload, const void *arg), const void *arg);

/* Notes for the sessions in mask that an event of container cid found no scratch. Context: the same. */
void ctrace_emit_lost(u32 mask, u32 id, u32 cid);

/*
 * Counts the event in the tables of those sessions in mask that ask for no more of it than its first nfields
 * fields, which are payload, len bytes. Returns the other sessions. Context: the same.
 */
u32 ctrace_emit_counted(u32 mask, u32 id, const struct ctrace_who *who, const void *payload, u32 len, u32 nfields);

/*
 * Where the session in mask, if it is one alone, counts events of type id in line; else NULL. Context: the
 * same. It stays until preemption is enabled: it goes only after the session does not want the events any
 * more, and a grace period.
 */
static __always_inline const struct ctrace_aggregate *ctrace_emit_quick(u32 mask, u32 id)
{
	const struct ctrace_session *s = mask & (mask - 1) ? NULL : READ_ONCE(ctrace_sessions[__ffs(mask)]);
	/* pairs with ctrace_option_new() */
	struct ctrace_option **options = s ? smp_load_acquire(&s->options) : NULL;
	const struct ctrace_option *sel;

	if (!options)
		return NULL;
	sel = smp_load_acquire(&options[id]);	/* pairs with ctrace_option_publish() */
	return sel ? sel->quick : NULL;
}

/*
 * The sessions in mask without those whose filters refuse the event, as far as its owner and its first fields
 * decide: payload has the fields of CTRACE_CALL_FIELDS, len bytes. The rest is filled for them alone.
 * Context: the same.
 */
u32 ctrace_emit_passing(u32 mask, u32 id, const struct ctrace_who *who, const void *payload, u32 len);

/*
 * For ctrace_short_note(): what the CPU remembers of current, if that is who, and mask is what
 * ctrace_wanted() returned. In a call; preemption off.
 *
 * Asks the gates of the sessions in mask (session/option.h): a session whose gate refuses the task does not
 * want its calls, as long as it is remembered. None of the fields that a gate may test can change while the
 * task is cached: an exec that changes the tid also changes the start time.
 *
 * If what is left of mask is one session without options or details that wants this container, caches the
 * session and its ring: the next event of current that only this session wants can go straight to that ring.
 * If it has options, caches these.
 *
 * Giving a session options, changing its gate, or making a container unwanted drops the cache, as does the
 * session's end, which then waits for probes before the options go. But the ring may be given to another
 * container at any time, so its users compare the ring's cid.
 */
void ctrace_options_note(u32 mask, const struct ctrace_who *who);

/* Which stacks sessions in mask want with event id: CTRACE_PROBE_F_STACK, _USER_STACK. Context: the same. */
u32 ctrace_options_stack(u32 mask, u32 id);

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
	u32 with_options = mask & READ_ONCE(ctrace_options_sessions);
	u32 cid = who->container->cid;

	if (unlikely(with_options)) {
		ctrace_emit_options(with_options, id, who, payload, fill, arg);
		mask &= ~with_options;
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
