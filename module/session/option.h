/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options of sessions and probes: a filter expression, one of N events, a stack with each event, a limit
 * on their rate. A session without any pays one load for them (ctrace_options_sessions in emit.h). A
 * probe with a filter pays a copy of each record, which is filled before the filter decides. Two options of
 * system calls are asked before that: one of N, if there is no filter (first), and how long a whole call took
 * at least (longer).
 *
 * A session's gate is the filter of all its system calls, if that asks only which task makes them. A CPU asks
 * it once, and remembers the answer beside the task (emit/short.h). Sessions with whole calls have none: such
 * a call is filtered at its return, and a move or an exec may have changed the answer since its entry.
 */
#ifndef CTRACE_OPTION_H
#define CTRACE_OPTION_H

#include "aggregate/aggregate.h"
#include "lang/expr.h"

struct ctrace_detail;
struct ctrace_limit;
struct ctrace_probe;
struct ctrace_probe_opts;
struct ctrace_session;

/* For one of N, on each CPU. */
struct ctrace_one_of {
	s64 left;	/* events before the next one that is kept */
	u32 turn;	/* how many have been kept */
};

/* Options of one event type in one session. Immutable except for seen. */
struct ctrace_option {
	struct ctrace_expr *expr;	/* or NULL */
	struct ctrace_agg *agg;		/* or NULL: events are recorded */
	struct ctrace_aggregate *table;	/* of agg; the probe's */
	struct ctrace_aggregate *quick;	/* table, if agg is plain and its probe counts in line; else NULL */
	u64 longer;			/* minimum duration that expr can accept; 0: not known */
	/* expr asks for nothing but how long a call took and what it returned */
	bool early;
	/* agg is all that is asked for, and needs nothing but $words and the fields below agg->head */
	bool plain;
	struct ctrace_one_of __percpu *seen;	/* for one_of */
	struct ctrace_one_of __percpu *first;	/* the same, if no filter is asked before; else NULL */
	u32 one_of;			/* 0: all */
	u32 flags;			/* CTRACE_PROBE_F_* */
	u32 copy;			/* bytes of the program's stack, for CTRACE_PROBE_F_USER_COPY */
	/* whose rings CTRACE_PROBE_F_FREEZE freezes, with a reference; NULL: its own */
	struct ctrace_session *freezes;
};

/* The stacks that it records, or counts by: CTRACE_PROBE_F_STACK, _USER_STACK. */
static inline u32 ctrace_option_stacks(const struct ctrace_option *sel)
{
	u32 flags = sel->flags;

	if (sel->agg)
		flags |= (sel->agg->stack ? CTRACE_PROBE_F_STACK : 0) |
			 (sel->agg->ustack ? CTRACE_PROBE_F_USER_STACK : 0);
	return flags & (CTRACE_PROBE_F_STACK | CTRACE_PROBE_F_USER_STACK);
}

/* Mask of the sessions whose events go to ctrace_emit_options(). Written under ctrace_lock. */
extern u32 ctrace_options_sessions;
/*
 * Mask of the ones among them that count events by their first fields alone (struct ctrace_option, plain).
 * The same.
 */
extern u32 ctrace_counting_sessions;
/* Mask of the sessions with something in their ctrace_detail. Written under ctrace_lock. */
extern u32 ctrace_detailed_sessions;
/* Mask of the sessions with CTRACE_SESSION_F_NEIGHBOURS. Written under ctrace_lock; for emit/sides.h. */
extern u32 ctrace_neighbour_sessions;
/* Mask of the sessions with CTRACE_SESSION_F_FILES. Written under ctrace_lock. */
extern u32 ctrace_file_sessions;

/*
 * Mask of the sessions with a gate; and of the ones among them that have no other option. Written under
 * ctrace_lock.
 */
extern u32 ctrace_gated_sessions;
extern u32 ctrace_gated_short_sessions;

extern const struct ctrace_detail ctrace_no_detail;
/* if some are in ctrace_detailed_sessions */
u32 ctrace_next_detail_of(u32 *mask, const struct ctrace_detail **d);

/*
 * The next sessions of *mask that want the same of a call, which are taken out of it; *d: what they want. 0:
 * none is left. Any context; preemption off, as long as *d is used.
 */
static __always_inline u32 ctrace_next_detail(u32 *mask, const struct ctrace_detail **d)
{
	u32 all = *mask;

	if (unlikely(all & READ_ONCE(ctrace_detailed_sessions)))
		return ctrace_next_detail_of(mask, d);
	*mask = 0;
	*d = &ctrace_no_detail;
	return all;
}

/*
 * Leaves the event out, unless it is time for one. No event of these options may interrupt this one.
 * Preemption off.
 */
static __always_inline bool ctrace_option_skips(struct ctrace_one_of __percpu *p)
{
	if (__this_cpu_read(p->left) <= 0)
		return false;
	__this_cpu_dec(p->left);
	return true;
}

/* --- process context, ctrace_lock held ------------------------------------- */

/* Makes p->options for o. 0, or -errno; why then has a sentence unless out of memory. */
int ctrace_option_new(struct ctrace_probe *p, const struct ctrace_probe_opts *o, char *why);
/*
 * on: makes p->options visible to probe functions; to be called when p is in its session's list, before it is
 * armed. off: withdraws them; only after p was disarmed and ctrace_option_sync() returned, or a late probe
 * function would record what the options leave out. No other probe of the session has these events, so none
 * looks then.
 */
void ctrace_option_publish(struct ctrace_probe *p, bool on);
void ctrace_option_sync(void);
/*
 * s has a gate from now on, if its probes allow that. Call it when no function of a probe that was taken away
 * runs any more.
 */
void ctrace_option_gate(struct ctrace_session *s);
/* before a probe of s is taken away: the gate may be its filter */
void ctrace_option_no_gate(struct ctrace_session *s);
void ctrace_option_free(struct ctrace_probe *p);

/* Makes the session's own options, its filter and its limit, before it has a probe. Needs no lock. */
int ctrace_option_session(struct ctrace_session *s, const char *filter, u32 rate, char *why);
/* its options count from now on, if it has any */
void ctrace_option_session_begin(struct ctrace_session *s);
void ctrace_option_session_end(struct ctrace_session *s);	/* it has none any more */
void ctrace_option_session_free(struct ctrace_session *s);	/* all its options, when no probe sees them */

#endif
