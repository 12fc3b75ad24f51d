/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way of an event: who is it, is it wanted, reserve, fill, commit.
 *
 * A probe asks ctrace_event_wants[] first, resolves whose event it is, and
 * hands a mask of sessions to ctrace_emit() with a function that fills the payload.
 * fill is always a known function, so all of this becomes one piece of code per probe.
 */
#ifndef CTRACE_EMIT_H
#define CTRACE_EMIT_H

#include "ring/arena.h"
#include "session/target.h"
#include "identity/identity.h"
#include "ring/ring.h"
#include "session/option.h"
#include "session/session.h"
#include "compat/clock.h"

#define CTRACE_ALIGN8(n)	(((n) + 7u) & ~7u)

/* Any context incl. NMI; preemption off. One record in the ring of the session with this index. */
static __always_inline void ctrace_emit_one(u32 index, u32 id, const struct ctrace_who *who,
					    u32 cid, u32 payload,
					    void (*fill)(void *payload, const void *arg),
					    const void *arg)
{
	struct ctrace_ring_desc *d = ctrace_arena_ring(index, cid);
	u32 len = sizeof(struct ctrace_record) + CTRACE_ALIGN8(payload);
	struct ctrace_record *rec;
	struct ctrace_writer w;

	rec = ctrace_ring_reserve(d, &w, len);
	if (likely(rec)) {
		rec->id = id;
		rec->cid = cid;
		rec->tid = who->tid;
		rec->vtid = who->vtid;
		if (payload & 7)	/* no stale byte leaves as padding */
			*(u64 *)((char *)rec + len - 8) = 0;
		fill(rec + 1, arg);
		ctrace_ring_commit(d, &w);
	}
	if (unlikely(READ_ONCE(d->arena->armed)))
		ctrace_arena_wake(d->arena);
}

/*
 * Any context incl. NMI; preemption off. mask is not 0. payload: bytes before
 * padding; fill writes exactly these. May drop: the ring counts it.
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

/*
 * After ctrace_filter(), which left mask: if that is a session that asks no more of an event than to
 * have it, notes its ring, and the next event that current has, and that this session alone wants,
 * may go straight there (probe/syscall.c). Context: a task's, not an interrupt's; preemption off.
 *
 * Whoever makes a session special, or a container unwanted, has all this forgotten. But for the ring: it
 * may go to another container, and is to be asked whose it is.
 */
static inline void ctrace_emit_note(u32 mask, const struct ctrace_who *who)
{
	struct ctrace_idcache *cache = this_cpu_ptr(&ctrace_idcache);
	const struct ctrace_container *c = who->container;
	struct ctrace_ring_desc *d;

	if (mask & (mask - 1) || mask & ~READ_ONCE(c->wanted) ||
	    mask & READ_ONCE(ctrace_special_sessions) || cache->task != who->task || cache->c != c)
		return;
	d = ctrace_arena_ring(__ffs(mask), c->cid);
	WRITE_ONCE(cache->ring, d);
	WRITE_ONCE(cache->only, d->cid == c->cid ? mask : 0);
}

/* The sessions that record event id at all. */
static __always_inline u32 ctrace_wants(u32 id)
{
	return READ_ONCE(ctrace_event_wants[id]);
}

#endif
