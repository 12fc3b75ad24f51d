/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The short way of a system call's event, in pieces: the sentence of emit.h where all of it is known beforehand.
 *
 * probe/syscall.c's enter() and leave() take it, for nearly all calls:
 *  - a 64-bit call whose arguments are numbers alone, or strings (enter_string());
 *  - the CPU remembers its task (ctrace_idcache);
 *  - only one session wants the event, and it has no options (it is not special);
 *  - no other record is being written in that session's ring.
 *
 * Any other call jumps to enter_any() or leave_any(). Only tasks write what the CPU remembers, and the
 * remembered task is running, so that does not change until the end.
 *
 * If there are only numbers, all variables stay in registers, which takes three things. No function is called except as the last
 * step, by a jump. noclone keeps all arguments of a probe, so that they stay in the registers they came
 * in. And the clock, read in line, needs many registers, so OPTIMIZER_HIDE_VAR() after it makes the
 * compiler compute what follows from a variable once more, rather than save it across the clock.
 */
#ifndef CTRACE_ALONE_H
#define CTRACE_ALONE_H

#include "emit/emit.h"

/*
 * Call after ctrace_wanted(), which returned mask. If mask is one plain (not special or detailed) session that wants
 * this container, caches the session and its ring for current: the next event of current that only this
 * session wants can go straight to that ring.
 *
 * Making a session special, or a container unwanted, drops the cache. But the ring may be given to
 * another container meanwhile, so its users compare the ring's cid.
 */
static inline void ctrace_alone_note(u32 mask, const struct ctrace_who *who)
{
	struct ctrace_idcache *cache = this_cpu_ptr(&ctrace_idcache);
	const struct ctrace_container *c = who->container;
	struct ctrace_ring_desc *d;

	if (mask & (mask - 1) || mask & ~READ_ONCE(c->wanted) ||
	    mask & (READ_ONCE(ctrace_special_sessions) | READ_ONCE(ctrace_detailed_sessions)) ||
	    cache->task != who->task || cache->c != c)
		return;
	d = ctrace_arena_ring(__ffs(mask), c->cid);
	WRITE_ONCE(cache->ring, d);
	WRITE_ONCE(cache->only, d->cid == c->cid ? mask : 0);
}

/* 1: one plain session alone wants it, *d is its ring. 0: no session wants it. -1: take the general way. */
static __always_inline int ctrace_alone_ring(struct ctrace_ring_desc **d, u32 id)
{
	u32 mask = ctrace_wants(id) & __this_cpu_read(ctrace_idcache.wanted);

	if (!mask)
		return 0;
	if (unlikely(mask != __this_cpu_read(ctrace_idcache.only)))
		return -1;
	*d = __this_cpu_read(ctrace_idcache.ring);
	/* only this CPU writes d->cid, and once it is ours it stays so: see ctrace_arena_ring() */
	return likely(data_race((*d)->cid) == __this_cpu_read(ctrace_idcache.cid)) ? 1 : -1;
}

static __always_inline void ctrace_alone_stamp(struct ctrace_record *rec, u32 id)
{
	rec->id = id;
	rec->cid = __this_cpu_read(ctrace_idcache.cid);
	BUILD_BUG_ON(offsetof(struct ctrace_record, vtid) != offsetof(struct ctrace_record, tid) + 4);
	*(u64 *)&rec->tid = __this_cpu_read(ctrace_idcache.ids.both);
}

/* The same as the end of ctrace_emit_one(). */
static noinline void ctrace_alone_end_any(struct ctrace_ring_desc *d)
{
	ctrace_ring_leave(d);
	if (READ_ONCE(*READ_ONCE(d->wake)))
		ctrace_ring_wake(d);
}

static __always_inline void ctrace_alone_end(struct ctrace_ring_desc *d, u64 till, u64 time)
{
	if (unlikely(!ctrace_ring_commit_alone(d, till, time)))
		ctrace_alone_end_any(d);
	/* as in ctrace_emit_one(): a late look at the word is early enough, see ring/wake.c */
	else if (unlikely(data_race(*READ_ONCE(d->wake))))
		ctrace_ring_wake(d);
}

#endif
