// SPDX-License-Identifier: GPL-2.0-only
/*
 * A wait is cut on the CPU in whose queue the task waits, in an interrupt. That CPU does not switch then, so
 * its ring of blame.c stays as it is, and the task does not run there. Another CPU may take the task away at
 * that moment. Both take the time since the wait's last cut by an atomic operation, and one of them gets it.
 * If the other CPU even runs the task before this one has read that time, the microsecond between counts
 * twice.
 *
 * A session that begins within a wait has not seen it begin. If another session has, the wait has a place,
 * whose `since` says up to when all sessions have got it. Otherwise there is none: then the kernel's account
 * has since when the task has waited, and the session up to when such waits were written. The walk over the
 * tasks takes a while, in which such a wait may end. The walk goes up their numbers, and notes the last one
 * whose wait it cut while it is on the CPU that would end it. A CPU that stood still between its looks at
 * cut_nr and cutting, for as long as it takes from one walk to the next, would take the wrong one.
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
	struct ctrace_session *s;
	struct task_struct *p;	/* with a reference */
	u64 now;		/* the same for all, so that the next cut counts nothing twice */
};

/* Can it run? It may do so. */
static bool runnable(const struct task_struct *p)
{
	return ctrace_compat_task_state(p) == TASK_RUNNING && !ctrace_compat_asleep(p);
}

u64 ctrace_sched_cut_since(const struct task_struct *p)
{
	u64 ran, queued;

	ctrace_compat_task_ran(p, &ran, &queued);
	return queued ? ctrace_compat_clock() - queued : U64_MAX;
}

void ctrace_sched_cut_unseen(u32 mask, struct task_struct *p, int cpu, const struct ctrace_who *who,
			     const struct ctrace_span *s, u64 since, u64 now, bool open)
{
	const struct ctrace_session *session;
	u64 from;

	for (; mask; mask &= mask - 1) {
		session = READ_ONCE(ctrace_sessions[__ffs(mask)]);
		/* without a place, it may not have been followed from a beginning that the session saw */
		if (!session || (!since && atomic64_read(&session->unfollowed)))
			continue;
		/* partner: cut_here(), ctrace_sched_cut() */
		from = p->pid < smp_load_acquire(&session->cut_nr) ? READ_ONCE(session->cutting) :
								    READ_ONCE(session->cut);
		from = from > since ? from : since;
		if (from < now)
			ctrace_blame_wait(mask & -mask, p, cpu, who, s ? s->wait.reason : CTRACE_WAIT_BEFORE,
					  from, now, open);
	}
}

/* has: the sessions that have seen the wait begin. */
static void blame(const struct cut *c, u32 mask, u32 has, const struct ctrace_span *s, u64 since)
{
	struct ctrace_who who;

	ctrace_identity_resolve_task(c->p, &who);
	mask = ctrace_wanted(mask, who.container, c->p);
	if (mask & has)
		ctrace_blame_wait(mask & has, c->p, smp_processor_id(), &who, s->wait.reason, since, c->now,
				  true);
	ctrace_sched_cut_unseen(mask & ~has, c->p, smp_processor_id(), &who, s, since, c->now, true);
}

/* For all sessions that want the wait. */
static void cut_followed(const struct cut *c, struct ctrace_span *s)
{
	u64 wanted = READ_ONCE(s->begun.wanted), since = READ_ONCE(s->wait.since);

	if ((u16)wanted == CTRACE_ID_SCHED_WAIT && since < c->now &&
	    cmpxchg64(&s->wait.since, since, c->now) == since)
		blame(c, ctrace_wants(CTRACE_ID_SCHED_BLAME), wanted >> 32, s, since);
}

/* For this one. */
static void cut_unfollowed(const struct cut *c)
{
	blame(c, ctrace_wants(CTRACE_ID_SCHED_BLAME) & 1u << c->s->index, 0, NULL,
	      ctrace_sched_cut_since(c->p));
	/* Release: cutting is known. Pairs with ctrace_sched_cut_unseen() */
	smp_store_release(&c->s->cut_nr, c->p->pid + 1);
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
	WRITE_ONCE(s->cutting, c.now);
	while (next_runnable(&nr, &c.p)) {
		if (c.p) {
			smp_call_function_single(task_cpu(c.p), cut_here, &c, true);
			put_task_struct(c.p);
		}
		cond_resched();
	}
	WRITE_ONCE(s->cut, c.now);
	smp_store_release(&s->cut_nr, 0);	/* as above: cut is known */
}
