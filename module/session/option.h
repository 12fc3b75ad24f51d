/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a session asks of its events beyond wanting them: a filter expression, one
 * of so many, a stack with each, a limit on their rate. A session that asks nothing of the kind
 * pays a load for it (ctrace_special_sessions in emit.h); a probe with a filter pays
 * a copy of each record, which is filled before it is known whether it will be kept.
 */
#ifndef CTRACE_SELECT_H
#define CTRACE_SELECT_H

#include "lang/expr.h"

struct ctrace_limit;
struct ctrace_probe;
struct ctrace_probe_opts;
struct ctrace_session;

/* Options of one event type in one session. Immutable, but for seen. */
struct ctrace_select {
	struct ctrace_expr *expr;	/* or NULL */
	u32 __percpu *seen;		/* for one_of */
	u32 one_of;			/* 0: all */
	u32 flags;			/* CTRACE_PROBE_F_* */
};

/* Sessions of which emit.h must ask here. Written under ctrace_lock. */
extern u32 ctrace_special_sessions;

/* --- process context, ctrace_lock held ------------------------------------- */

/* Makes p->selects for o. 0, or -errno with a sentence in why. */
int ctrace_select_new(struct ctrace_probe *p, const struct ctrace_probe_opts *o, char *why);
/*
 * Probe functions begin to see p->selects: before p is armed. Or stop to: when it is disarmed and
 * ctrace_select_sync() has waited for those that saw it armed, who would record what
 * the options leave out. Nobody else in the session has these events, so nobody looks then.
 */
void ctrace_select_publish(struct ctrace_probe *p, bool on);
void ctrace_select_sync(void);
void ctrace_select_free(struct ctrace_probe *p);

/* The session's own: its filter and its limit. Before it has a probe; freed with it. */
int ctrace_select_session(struct ctrace_session *s, const char *filter, u32 rate, char *why);
void ctrace_select_session_end(struct ctrace_session *s);	/* probes stop to ask */
void ctrace_select_session_free(struct ctrace_session *s);

#endif
