// SPDX-License-Identifier: GPL-2.0-only
/*
 * A wait is cut on the CPU in whose queue the task waits, in an interrupt. That CPU does not switch then, so
 * its ring of blame.c stays as it is, and the task does not run there. Another CPU may take the task away at
 * that moment. Both take the time since the wait's last cut by an atomic operation, and one of them gets it.
 * If the other CPU even runs the task before this one has read that time, the microsecond between counts
 * twice.
 *
 * A task that waited already when the session began has no place, as the beginning of its wait was not seen.
 * The kernel's account has since when it has waited, and the session up to when such waits were written.
 */
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include "probe/blame.h"
#include "probe/sched_cut.h"
#include "probe/sched_span_short.h"
#include "session/session.h"
#include "compat/clock.h"
#include "compat/ns.h"
#include "compat/task.h"

#define AT_ONCE	64	/* tasks that are looked at under RCU, at most */

struct cut {
	const struct ctrace_session *s;
	struct task_struct *p;	/* with a reference */
	u64 now;		/* the same for all, so that the next cut counts nothing twice */
};

/* Can it run? It may do so. */
static bool runnable(const struct task_struct *p)
{
	return ctrace_compat_task_state(p) == TASK_RUNNING && !ctrace_compat_asleep(p);
}

static void blame(const struct cut *c, u32 mask, u32 reason, u64 since)
{
	struct ctrace_who who;

	ctrace_identity_resolve_task(c->p, &who);
	mask = ctrace_wanted(mask, who.container, c->p);
	if (mask)
		ctrace_blame_wait(mask, c->p, smp_processor_id(), &who, reason, since, c->now, true);
}

/* For all sessions that want the wait. */
static void cut_followed(const struct cut *c, struct ctrace_span *s)
{
	u64 wanted = READ_ONCE(s->begun.wanted), since = READ_ONCE(s->wait.since);
	u32 mask = wanted >> 32 & ctrace_wants(CTRACE_ID_SCHED_BLAME);

	if ((u16)wanted == CTRACE_ID_SCHED_WAIT && mask && since < c->now &&
	    cmpxchg64(&s->wait.since, since, c->now) == since)
		blame(c, mask, s->wait.reason, since);
}

/* For this one. */
static void cut_unfollowed(const struct cut *c)
{
	u32 mask = ctrace_wants(CTRACE_ID_SCHED_BLAME) & 1u << c->s->index;
	u64 ran, queued, since = c->s->cut;

	ctrace_compat_task_ran(c->p, &ran, &queued);
	if (!mask || !queued)
		return;
	if (c->now - since > queued)
		since = c->now - queued;
	if (since < c->now)
		blame(c, mask, CTRACE_WAIT_BEFORE, since);
}

static void cut_here(void *arg)
{
	const struct cut *c = arg;
	struct task_struct *p = c->p;
	u32 place;

	/* what this CPU runs does not wait */
	if (task_cpu(p) != smp_processor_id() || p == current || !runnable(p))
		return;
	place = ctrace_inflight_find(&ctrace_sched_spans, ctrace_inflight_row(&ctrace_sched_spans, p), p);
	if (place == CTRACE_INFLIGHT_NONE)
		cut_unfollowed(c);
	else
		cut_followed(c, ctrace_inflight_at(&ctrace_sched_spans, place));
}

/*
 * The next task from number *nr on that can run, with a reference, if one of the next few can. False: no
 * more.
 */
static bool next_runnable(int *nr, struct task_struct **found)
{
	struct task_struct *p;
	bool more = true;
	int n;

	*found = NULL;
	rcu_read_lock();
	for (n = 0; n < AT_ONCE && !*found && more; n++, ++*nr) {
		more = ctrace_compat_next_task(nr, &p);
		if (more && p && runnable(p)) {
			get_task_struct(p);
			*found = p;
		}
	}
	rcu_read_unlock();
	return more;
}

void ctrace_sched_cut(struct ctrace_session *s)
{
	struct cut c = { .s = s, .now = ctrace_compat_clock() };
	int nr = 1;

	lockdep_assert_held(&ctrace_lock);	/* the table and the rings stay */
	if (!s->recording || !(ctrace_wants(CTRACE_ID_SCHED_BLAME) & 1u << s->index))
		return;
	while (next_runnable(&nr, &c.p)) {
		if (c.p) {
			smp_call_function_single(task_cpu(c.p), cut_here, &c, true);
			put_task_struct(c.p);
		}
		cond_resched();
	}
	s->cut = c.now;
}
