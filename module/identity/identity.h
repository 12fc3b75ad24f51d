/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Identity: which container is a task in? The first step of every event.
 *
 * The answer depends on the task's cgroups (in v2 and in v1's hierarchies) and on its own pid namespace.
 * Four steps are tried in turn:
 *
 *   the task that this CPU  ->  the place   ->  alias table  ->  rules.c, under ident_lock
 *   saw last (here, inline)     it was in       (RCU)            (first sight)
 *
 * The same steps find what sessions want of a container by naming cgroups, which never changes the
 * answer: each step may yield a part of the container instead (container.h), which differs from it in
 * its masks only. Code that compares containers compares cids (ctrace_container_same()).
 *
 * Why this is right although the kernel reuses its pointers:
 *  - a cgroup is known by its hierarchy and its 64-bit id, which is never reused (before 3.14 it may be:
 *    ctrace_compat_cgroup_id());
 *  - a pid namespace is known by its address; a container or node that records the address holds a
 *    reference, so no other namespace can get it;
 *  - a css_set is never recorded;
 *  - a task is known by its address and start time: before another task gets the address, a grace
 *    period passes, so their start times differ;
 *  - the per-CPU cache holds pointers without references. It is valid only while its generations are
 *    the current ones. Before the GC frees anything, it changes the generations and waits for a grace
 *    period. The tasks' generation also changes when a task is moved, or what sessions want changes.
 */
#ifndef CTRACE_IDENTITY_H
#define CTRACE_IDENTITY_H

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include "identity/container.h"
#include "identity/view.h"
#include "compat/cgroup.h"
#include "compat/pidns.h"
#include "compat/task.h"

struct ctrace_ring_desc;

/*
 * Per-CPU cache of the task that the CPU saw last. Only that CPU writes it, in task context only. So a
 * task always reads a consistent entry; an interrupt in the middle of an update finds gen == 0 and takes
 * the slow path.
 */
struct ctrace_idcache {
	const struct task_struct *task;
	u64 start;		/* the task's start time */
	u64 gen;		/* ctrace_identity_gen before the look-up; 0: no task is cached */
	u32 wanted;		/* the sessions that may want an event of the task */
	/* ctrace_alone_note() writes both: */
	u32 only;		/* one plain session whose events can take the short way, or 0 */
	struct ctrace_ring_desc *ring;	/* that session's ring for c */
	struct ctrace_container *c;
	union ctrace_ids {
		struct {
			s32 tid;	/* in the initial pid namespace */
			s32 vtid;	/* in the task's own */
		};
		u64 both;	/* in a record's layout */
	} ids;
	u32 cid;		/* of c */

	/* The place where c was found: c is right for any task that is there. */
	u32 place_gen;		/* cache_gen before the look-up of c; 0: no place is cached */
	u64 v2;
	u64 v1;
	const void *ns;
};
DECLARE_PER_CPU_ALIGNED(struct ctrace_idcache, ctrace_idcache);

/* The owner of an event. */
struct ctrace_who {
	struct ctrace_container *container;	/* or a part. Never NULL; valid until preemption is enabled */
	const struct task_struct *task;		/* the task; NULL: the event is no task's */
	s32 tid;		/* in the initial pid namespace */
	s32 vtid;		/* in the task's own pid namespace; 0: no task, or not known any more */
};

/*
 * Is current the task in this CPU's cache, and is that valid? Any context incl. NMI; preemption off. Uses
 * no stack, because a system call's probe asks this before it sets up anything. For a container that no
 * session wants, this is nearly the whole cost of a call.
 */
static __always_inline bool ctrace_identity_known(void)
{
	const struct task_struct *p = current;

	return likely(__this_cpu_read(ctrace_idcache.task) == p &&
		      __this_cpu_read(ctrace_idcache.gen) == atomic64_read(&ctrace_identity_gen) &&
		      __this_cpu_read(ctrace_idcache.start) == ctrace_compat_task_start(p));
}

/*
 * Resolves current without the cached task (but may use the cached place). In task context, caches the
 * result if it is final. Any context incl. NMI; preemption off.
 */
void ctrace_identity_look(struct ctrace_who *who);
/* The same, after ctrace_identity_known() returned false; returns what that returns now. */
bool ctrace_identity_learn(void);

/* Any context incl. NMI; preemption off. */
static __always_inline void ctrace_identity_resolve_current(struct ctrace_who *who)
{
	union ctrace_ids ids;

	if (unlikely(!ctrace_identity_known())) {
		ctrace_identity_look(who);
		return;
	}
	ids.both = __this_cpu_read(ctrace_idcache.ids.both);
	who->container = __this_cpu_read(ctrace_idcache.c);
	who->task = current;
	who->tid = ids.tid;
	who->vtid = ids.vtid;
}

/* For an event that is no task's: the host. */
static __always_inline void ctrace_identity_host(struct ctrace_who *who)
{
	who->container = &ctrace_container_host;
	who->task = NULL;
	who->tid = 0;
	who->vtid = 0;
}

/*
 * The task that runs this code: current, or in an interrupt no task (the host), never the task it
 * interrupted. Any context incl. NMI; preemption off.
 */
static __always_inline void ctrace_identity_resolve_context(struct ctrace_who *who)
{
	if (likely(in_task()))
		ctrace_identity_resolve_current(who);
	else
		ctrace_identity_host(who);
}

/*
 * The same for a kprobe's handler. breakpoint: the kprobe is one, and regs is the exception's frame.
 *
 * A breakpoint in the kernel counts as an NMI and as a hard interrupt (on x86 since 5.8). So current
 * seems interrupted although it hit the breakpoint itself. It did so if the frame is on current's own
 * stack (interrupts and NMIs have other stacks), and if current would be in task context without the
 * exception.
 *
 * An NMI that interrupts user mode is on current's stack, too. But kprobes in it are no breakpoints, or
 * are counted as a second NMI, and so are not taken for current's. One case is misjudged: a breakpoint
 * that was optimised into a jump is taken for current's even in such an NMI.
 */
static __always_inline void ctrace_identity_resolve_trap(struct ctrace_who *who, bool breakpoint,
							 const struct pt_regs *regs)
{
	if (unlikely(breakpoint && in_nmi() && object_is_on_stack((void *)regs) &&
		     (preempt_count() & (NMI_MASK | HARDIRQ_MASK)) == NMI_OFFSET + HARDIRQ_OFFSET &&
		     !in_serving_softirq()))
		ctrace_identity_resolve_current(who);
	else
		ctrace_identity_resolve_context(who);
}

/* The same for any task that cannot be freed meanwhile: RCU, or the caller, keeps it. */
void ctrace_identity_resolve_task(struct task_struct *p, struct ctrace_who *who);

/* Invalidates all that is remembered about places: each is looked at again when an event comes from it. */
void ctrace_identity_relearn(void);

#endif /* CTRACE_IDENTITY_H */
