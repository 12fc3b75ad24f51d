/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The short way of blame.c: for a session that counts who was to blame, as `ctrace blame` does, and for tasks
 * that this CPU remembers. In most waits one task had the CPU all the time: they are counted in line.
 *
 * Context: under the lock of this CPU's run queue, in sched_switch.
 */
#ifndef CTRACE_BLAME_SHORT_H
#define CTRACE_BLAME_SHORT_H

#include "probe/blame.h"
#include "probe/blame_walk.h"
#include "emit/sides.h"
#include "event/comm.h"
#include "compat/cputime.h"

/* When a queue last got quota again. */
extern u64 ctrace_blame_quota_last;

/*
 * s, the newest slot of r, this CPU's: the kernel has added to the lost time since the one before. Both note
 * it.
 */
void ctrace_blame_note_lost(struct ctrace_blame_ring *r, struct ctrace_blame_seen *s);

/* p is current, and this CPU does not remember it. */
void ctrace_blame_note_any(struct task_struct *p, struct ctrace_blame_seen *s);

/*
 * p, which is current, gives this CPU to next. *now: 0, if the clock was not read yet. Returns the CPU's
 * ring; NULL: no session has a probe of sched_blame.
 */
static __always_inline const struct ctrace_blame_ring *ctrace_blame_switch(struct task_struct *p, struct task_struct *next, u64 *now)
{
	/* pairs with rings_make() */
	struct ctrace_blame_ring __percpu *rings = smp_load_acquire(&ctrace_blame_rings);
	const struct ctrace_container *c;
	struct ctrace_blame_ring *r;
	struct ctrace_blame_seen *s;
	union ctrace_ids ids;

	if (likely(!rings))
		return NULL;
	if (!*now)
		*now = ctrace_compat_clock();
	r = this_cpu_ptr(rings);
	s = &r->slot[r->n++ % CTRACE_BLAME_SLOTS];
	OPTIMIZER_HIDE_VAR(s);	/* as in ctrace_identity_other() */
	s->until = *now;
	s->lost = 0;
	if (unlikely(ctrace_compat_cpu_lost() != r->lost))
		ctrace_blame_note_lost(r, s);
	r->running = next;
	if (!p->pid) {
		s->cid = CTRACE_CID_HOST;
		s->tid = 0;	/* this alone is read */
		return r;
	}
	c = ctrace_identity_other(p, &ids);
	if (unlikely(!c)) {
		ctrace_blame_note_any(p, s);
		return r;
	}
	s->cid = c->cid;
	s->tid = ids.tid;
	ctrace_put_comm(s->comm, p, true);
	s->wanted = READ_ONCE(c->wanted);
	return r;
}

/*
 * For the session in mask. A part has its container's number: if the session named a cgroup, the
 * rest of that container, or of the host, is another one.
 */
static __always_inline u32 ctrace_blame_kind(u32 mask, const struct ctrace_blame_seen *seen,
					     const struct ctrace_container *victim)
{
	if (!seen->tid)
		return CTRACE_CULPRIT_IDLE;
	if (seen->cid == victim->cid && seen->cid != CTRACE_CID_UNKNOWN &&
	    (likely(!victim->base) || seen->wanted & mask))
		return CTRACE_CULPRIT_SELF;
	return seen->cid == CTRACE_CID_HOST ? CTRACE_CULPRIT_HOST : CTRACE_CULPRIT_NEIGHBOUR;
}

/* Counts ns of a wait in container victim, for the session in mask, whose table is t. */
static __always_inline void ctrace_blame_count(const struct ctrace_aggregate *t, u32 mask, const struct ctrace_container *victim,
					       u32 culprit, const struct ctrace_blame_seen *seen, u64 ns)
{
	struct ctrace_aggregate_key k = { .w = { victim->cid, culprit } };

	if (culprit != CTRACE_CULPRIT_IDLE && seen && ctrace_sides_see(mask, victim, seen->cid)) {
		k.w[2] = seen->cid;
		memcpy(&k.w[3], seen->comm, CTRACE_COMM_LEN);
	}
	ctrace_aggregate_blame(t, &k, ns);
}

/* The same of the whole wait, in the parts that it has. */
void ctrace_blame_count_parts(const struct ctrace_aggregate *t, u32 mask, const struct ctrace_container *victim,
			      const struct ctrace_blame_ring *r, u64 from, u64 now);

/*
 * As ctrace_blame_wait(), of task p in container c that runs next on this CPU, whose ring is r. False:
 * nothing has been done, because the session in mask (or there are several) wants something else, or the task
 * may have had no quota, or is a real-time task.
 */
static __always_inline bool ctrace_blame_short(u32 mask, const struct task_struct *p,
					       const struct ctrace_container *c, const struct ctrace_blame_ring *r,
					       u64 from, u64 now)
{
	const struct ctrace_aggregate *t = ctrace_emit_quick(mask, CTRACE_ID_SCHED_BLAME);
	const struct ctrace_blame_seen *s;

	if (unlikely(!t || !r || READ_ONCE(ctrace_blame_quota_last) > from || p->prio < MAX_RT_PRIO))
		return false;
	s = ctrace_blame_only(r, from, now);
	if (unlikely(!s)) {
		ctrace_blame_count_parts(t, mask, c, r, from, now);
		return true;
	}
	OPTIMIZER_HIDE_VAR(s);
	ctrace_blame_count(t, mask, c, ctrace_blame_kind(mask, s, c), s, now - from);
	return true;
}

#endif
