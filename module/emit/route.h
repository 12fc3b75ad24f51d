/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The route of a task's system calls: what a CPU remembers of the task whose call it traced last, so that the
 * next call need not ask again whose it is, which sessions want it, and where its record goes. emit/short.h
 * and short_call.h take the routes.
 *
 * Only a system call's probes read and write it: they run in task context, with preemption off, so no other
 * code of this CPU comes in between. The key is that of ctrace_idcache (identity/identity.h), and is right
 * for the same reasons: a task is known by its address and start time, and all but `calm` holds as long as
 * the generation is the current one.
 *
 * Both caches exist because they forget at different times: ctrace_idcache has the task that any event met
 * last, the route has the one that made a call.
 */
#ifndef CTRACE_ROUTE_H
#define CTRACE_ROUTE_H

#include "identity/identity.h"

struct ctrace_begun;
struct ctrace_one_of;
struct ctrace_option;
struct ctrace_ring_desc;

#define CTRACE_CALM_UNKNOWN	(1ull << 63)	/* no number of migrations, nor the complement of one */

/*
 * A value that matches no session mask << 32, not even the empty one: a probe may be removed between two
 * reads of what sessions want, and "no session" must then not pass for the one whose options are known.
 */
#define CTRACE_ASKS_NONE	(1ull << 31)

/*
 * The only session that wants the task asks for one of N entries and exits. Probes count them first of all.
 */
#define CTRACE_WAY_SAMPLED	(-1ll)

struct ctrace_route {
	const struct task_struct *task;
	u64 start;		/* the task's start time */
	u64 gen;		/* ctrace_identity_gen before its container was looked up; 0: no task */
	s64 way;		/* for entries and exits of its calls: wanted, or CTRACE_WAY_SAMPLED */
	u32 wanted;		/* the sessions that may want a call of the task */
	u32 only;		/* one plain session whose events can take the short way, or 0 */
	struct ctrace_ring_desc *ring;	/* that session's ring for c */
	u64 cid;		/* of c */
	union ctrace_ids ids;
	/* of whole calls, see emit/short_call.h: */
	u64 calm;		/* has the task a call under way? Its migrations, or CTRACE_CALM_* */
	const void **key;	/* the place where its calls are noted */
	struct ctrace_begun *begun;	/* the same */
	u32 begins;		/* wanted, if a whole call can begin the short way, or 0 */

	u32 pair;		/* two plain sessions, or 0 */
	struct ctrace_ring_desc *rings[2];	/* their rings, the lower bit's first */
	/* one session << 32 with options that may count a call or leave it out at once, or _NONE */
	u64 asks;
	struct ctrace_option **options;	/* of that session */
	struct ctrace_one_of __percpu *sampled;	/* how it counts all entries and exits, if way says so */
	u32 asked;		/* the sessions whose gates have been asked about the task */
	u32 noted;		/* ctrace_options_note() has nothing more to learn of these sessions */
	struct ctrace_container *c;	/* or a part */
};
DECLARE_PER_CPU_ALIGNED(struct ctrace_route, ctrace_route);

/*
 * Is this CPU's route that of p, which is current? What depends on the generation may be out of date.
 * Preemption off.
 */
static __always_inline bool ctrace_route_remembered(const struct task_struct *p)
{
	return __this_cpu_read(ctrace_route.task) == p && __this_cpu_read(ctrace_route.start) == ctrace_compat_task_start(p);
}

/* Is it up to date? */
static __always_inline bool ctrace_route_current(void)
{
	return __this_cpu_read(ctrace_route.gen) == atomic64_read(&ctrace_identity_gen);
}

/*
 * Both. Uses no stack, because a system call's probe asks this before it sets up anything. For a container
 * that no session wants, this is nearly the whole cost of a call.
 */
static __always_inline bool ctrace_route_known(void)
{
	return likely(ctrace_route_remembered(current) && ctrace_route_current());
}

/* After ctrace_route_known() returned false: makes current's route. Returns what that returns now. */
bool ctrace_route_learn(void);

/* The route, if it is who's, for whom an event was resolved; else NULL. */
static inline struct ctrace_route *ctrace_route_of(const struct ctrace_who *who)
{
	struct ctrace_route *r = this_cpu_ptr(&ctrace_route);

	return ctrace_route_remembered(who->task) && r->c == who->container ? r : NULL;
}

#endif
