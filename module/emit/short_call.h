/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The short way of a whole call, in pieces: what probe/call.c need not ask again, because the CPU remembers
 * the answer beside the task (ctrace_route).
 *
 *	begins	the entry takes a place for the sessions in ctrace_event_wants[] and in this mask, without
 *		more questions
 *	calm	the task's migrations: it has no call under way, so its return has nothing to look for. Their
 *		complement (busy): its call has this place, in the row where the search for one begins
 *	key,	that place; while it is calm, its last call's, which the next one tries first
 *	begun
 *
 * At the return, a call that one session without options alone wants is recorded as in emit/short.h. If that
 * session has options, they may count the call, or leave it out.
 *
 * Any other call takes the general way. Both leave the same in the table of calls, so an entry need not know
 * which way the return will take, and both count in the same rows.
 *
 * All of it but "calm" is asked anew once the task's generation is not the current one, as everything that is
 * remembered of what sessions want. The generation changes when the table of calls is made, too
 * (ctrace_inflight_get()). That the task is calm holds across generations. Only the task itself takes or
 * gives a place. If it does so on this CPU, calm is written; if on another, it has migrated, so that its
 * migrations are more by now. A new task at the same address has another start time. calm is unknown when a
 * task is remembered anew, and the next return finds it out.
 *
 * Only tasks write what the CPU remembers, and the remembered task is running.
 */
#ifndef CTRACE_EMIT_SHORT_CALL_H
#define CTRACE_EMIT_SHORT_CALL_H

#include "emit/short.h"
#include "session/inflight.h"

/*
 * Call after ctrace_wanted() at the entry. The short way asks neither for pid targets, nor for calls on files
 * alone, nor for what is read at the entry of a call that closes a descriptor.
 */
static inline void ctrace_short_call_begins(const struct ctrace_who *who)
{
	struct ctrace_route *r = ctrace_route_of(who);
	u32 others = READ_ONCE(ctrace_pid_sessions) | READ_ONCE(ctrace_detailed_sessions) | READ_ONCE(ctrace_file_sessions);

	if (r && !(r->wanted & others))
		r->begins = r->wanted;
}

/*
 * The options of the remembered task's call, whose place says wanted, and the call's id; NULL: take another
 * way. That the session still wants the call need not be asked: the generation is the current one, which
 * changes when a probe is disarmed.
 */
static __always_inline const struct ctrace_option *ctrace_short_call_option(u64 wanted, u64 *id)
{
	u64 n = wanted - __this_cpu_read(ctrace_route.asks);

	/* not begun for that session alone, or with a flag */
	if (unlikely(n >= CTRACE_EVENT_IDS))
		return NULL;
	*id = n;
	return ctrace_short_option(n);
}

#define CTRACE_WHOLE_CALM	0ull
#define CTRACE_WHOLE_BUSY	(~0ull)

/*
 * The state of current, a remembered task with that many migrations: CTRACE_WHOLE_*; any other value: look
 * its call up.
 */
static __always_inline u64 ctrace_short_call_state(u64 migrations)
{
	return __this_cpu_read(ctrace_route.calm) ^ migrations;
}

static __always_inline void ctrace_short_call_set(u64 migrations, u64 state)
{
	__this_cpu_write(ctrace_route.calm, migrations ^ state);
}

static inline void ctrace_short_call_place(const struct ctrace_inflight *t, u32 place, u64 calm)
{
	__this_cpu_write(ctrace_route.key, &t->keys[place]);
	__this_cpu_write(ctrace_route.begun, ctrace_inflight_at(t, place));
	__this_cpu_write(ctrace_route.calm, calm);
}

/* On any way: p, which is current, has taken this place of t. row: where its search begins. */
static inline void ctrace_short_call_begun(const struct ctrace_inflight *t, const struct task_struct *p, u32 row, u32 place)
{
	if (ctrace_route_remembered(p))
		ctrace_short_call_place(t, place, place / CTRACE_INFLIGHT_ROW == row ? ~ctrace_compat_task_migrations(p) :
				   CTRACE_CALM_UNKNOWN);
}

/* The same: p has no place any more. */
static inline void ctrace_short_call_ended(const struct ctrace_inflight *t, const struct task_struct *p, u32 row)
{
	if (ctrace_route_remembered(p))
		ctrace_short_call_place(t, row * CTRACE_INFLIGHT_ROW, ctrace_compat_task_migrations(p));
}

#endif
