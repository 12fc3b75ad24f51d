/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The short way of a system call's event, in pieces: the sentence of emit.h where all of it is known
 * beforehand.
 *
 * probe/syscall.c's enter() and leave() take it, for nearly all calls:
 *  - a 64-bit call whose arguments are numbers alone, or strings (enter_string());
 *  - the CPU remembers its task (ctrace_route);
 *  - one session or two want the event, and they have no options, or none but a gate that the task has
 *    passed;
 *  - no other record is being written in these sessions' rings.
 *
 * Any other call jumps to enter_any() or leave_any(). Only tasks write what the CPU remembers, and the
 * remembered task is running, so that does not change until the end.
 *
 * If there are only numbers, all variables stay in registers, which takes three things. No function is called
 * except as the last step, by a jump. noclone keeps all arguments of a probe, so that they stay in the
 * registers they came in. And the clock, read in line, needs many registers, so OPTIMIZER_HIDE_VAR() after it
 * makes the compiler compute what follows from a variable once more, rather than save it across the clock.
 */
#ifndef CTRACE_EMIT_SHORT_H
#define CTRACE_EMIT_SHORT_H

#include "emit/emit.h"
#include "emit/route.h"

/* Is d the ring of the remembered container? */
static __always_inline bool ctrace_short_owns(const struct ctrace_ring_desc *d)
{
	/* only this CPU writes d->cid, and once it is ours it stays so: see ctrace_arena_ring() */
	return likely(data_race(d->cid) == __this_cpu_read(ctrace_route.cid));
}

static __always_inline bool ctrace_short_is_pair(u32 mask)
{
	return mask && mask == __this_cpu_read(ctrace_route.pair) && ctrace_short_owns(__this_cpu_read(ctrace_route.rings[0])) &&
	       ctrace_short_owns(__this_cpu_read(ctrace_route.rings[1]));
}

/* mask has one or two sessions. Is their short way, or the lack of one, still unknown? */
static inline bool ctrace_short_news(u32 mask)
{
	if (mask & (mask - 1))
		return !ctrace_short_is_pair(mask);
	return !(mask & __this_cpu_read(ctrace_route.noted)) &&
	       !(mask == __this_cpu_read(ctrace_route.only) && ctrace_short_owns(__this_cpu_read(ctrace_route.ring)));
}

/*
 * Call after ctrace_wanted(), which returned mask: notes what the next event of current need not ask again.
 */
static inline void ctrace_short_note(u32 mask, const struct ctrace_who *who)
{
	u32 but_one = mask & (mask - 1);

	if (unlikely(mask & READ_ONCE(ctrace_gated_sessions)) || (!(but_one & (but_one - 1)) && ctrace_short_news(mask)))
		ctrace_options_note(mask, who);
}

static __always_inline u32 ctrace_short_wants(u32 id)
{
	return ctrace_wants(id) & __this_cpu_read(ctrace_route.wanted);
}

/* 1: one plain session alone wants it, *d is its ring. 0: no session wants it. -1: take the general way. */
static __always_inline int ctrace_short_ring(struct ctrace_ring_desc **d, u32 id)
{
	u32 mask = ctrace_short_wants(id);

	if (!mask)
		return 0;
	if (unlikely(mask != __this_cpu_read(ctrace_route.only)))
		return -1;
	*d = __this_cpu_read(ctrace_route.ring);
	return ctrace_short_owns(*d) ? 1 : -1;
}

/* If ctrace_short_ring() returned -1: do two plain sessions want it, whose rings are ctrace_route.rings? */
static __always_inline bool ctrace_short_pair(u32 id)
{
	return ctrace_short_is_pair(ctrace_short_wants(id));
}

/*
 * Returns the options of the session in route.asks. Valid until preemption is enabled: they are freed after a
 * generation change and a grace period.
 */
static __always_inline const struct ctrace_option *ctrace_short_option(u32 id)
{
	struct ctrace_option **options = __this_cpu_read(ctrace_route.options);

	return smp_load_acquire(&options[id]);	/* pairs with ctrace_option_publish() */
}

/*
 * If ctrace_short_ring() returned -1: is this event of a call one that its session counts and leaves out, as
 * one_of asks?
 */
static __always_inline bool ctrace_short_skips(u32 id)
{
	const struct ctrace_option *sel;

	if ((u64)ctrace_short_wants(id) << 32 != __this_cpu_read(ctrace_route.asks))
		return false;
	sel = ctrace_short_option(id);
	return sel && sel->first && ctrace_option_skips(sel->first);
}

/*
 * Like ctrace_short_skips(), but called first, when the cached task is in sampled mode. Calls without a name
 * are other events, and so counted otherwise. The counter of the rest stays until preemption is enabled: see
 * sampled_calls() in emit/options.c.
 */
static __always_inline bool ctrace_short_leaves_out(long nr)
{
	return likely((unsigned long)nr < CTRACE_NR_SYSCALLS / 2 && !ctrace_compat_is_32bit_call()) &&
	       ctrace_syscall_layouts[0][ctrace_syscall_nospec(nr)].known &&
	       ctrace_option_skips(__this_cpu_read(ctrace_route.sampled));
}

static __always_inline void ctrace_short_stamp(struct ctrace_record *rec, u32 id)
{
	rec->id = id;
	rec->cid = __this_cpu_read(ctrace_route.cid);
	BUILD_BUG_ON(offsetof(struct ctrace_record, vtid) != offsetof(struct ctrace_record, tid) + 4);
	*(u64 *)&rec->tid = __this_cpu_read(ctrace_route.ids.both);
}

/* The same as the end of ctrace_emit_one(). */
static noinline void ctrace_short_end_any(struct ctrace_ring_desc *d)
{
	ctrace_ring_leave(d);
	if (READ_ONCE(*READ_ONCE(d->wake)))
		ctrace_ring_wake(d);
}

static __always_inline void ctrace_short_end(struct ctrace_ring_desc *d, u64 till, u64 time)
{
	if (unlikely(!ctrace_ring_commit_alone(d, till, time)))
		ctrace_short_end_any(d);
	/* as in ctrace_emit_one(): a late look at the word is early enough, see ring/wake.c */
	else if (unlikely(data_race(*READ_ONCE(d->wake))))
		ctrace_ring_wake(d);
}

#endif
