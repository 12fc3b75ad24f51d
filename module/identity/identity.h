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
 *
 * A file of this room calls only those before it in this list: container with its table cids, parts, lftable,
 * runtime_name, look (reads what is recorded), learn (records), rules (decides) with named (what sessions
 * chose), kernel (the kernel, as those three see it), identity (resolves a task), netns (whose is a network
 * namespace), hierarchy (v1's, and cgroups that targets name), scan (looks at tasks), hooks, gc, cgroup, life
 * (begins and ends it all).
 */
#ifndef CTRACE_IDENTITY_H
#define CTRACE_IDENTITY_H

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include "identity/container.h"
#include "identity/kernel.h"
#include "compat/cgroup.h"
#include "compat/hash.h"
#include "compat/pidns.h"
#include "compat/task.h"

/*
 * Per-CPU cache of the task that the CPU saw last. Only that CPU writes it, in task context only. So a
 * task always reads a consistent entry; an interrupt in the middle of an update finds gen == 0 and takes
 * the slow path.
 */
struct ctrace_idcache {
	const struct task_struct *task;
	u64 start;		/* the task's start time */
	u64 gen;		/* ctrace_identity_gen before the look-up; 0: no task is cached */
	u64 unwanted;		/* gen, if no session wants an event of the task; else 0 */
	struct ctrace_container *c;
	union ctrace_ids {
		struct {
			s32 tid;	/* in the initial pid namespace */
			s32 vtid;	/* in the task's own */
		};
		u64 both;	/* in a record's layout */
	} ids;

	/* The place where c was found: c is right for any task in it. */
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
 * Is p, which is current, the task in this CPU's cache? What depends on the generation may be out of date.
 * Context: as below.
 */
static __always_inline bool ctrace_identity_remembered(const struct task_struct *p)
{
	return __this_cpu_read(ctrace_idcache.task) == p &&
	       __this_cpu_read(ctrace_idcache.start) == ctrace_compat_task_start(p);
}

/* Is current the task in this CPU's cache, and is that valid? Any context incl. NMI; preemption off. */
static __always_inline bool ctrace_identity_known(void)
{
	return likely(ctrace_identity_remembered(current) &&
		      __this_cpu_read(ctrace_idcache.gen) == atomic64_read(&ctrace_identity_gen));
}

/*
 * Is it certain that no session wants an event of current? Less than ctrace_identity_known(), and all that a
 * neighbour's event has to ask. Not for an interrupt, whose events are not current's. Context: the same.
 */
static __always_inline bool ctrace_identity_unwanted(void)
{
	return likely(ctrace_identity_remembered(current) &&
		      __this_cpu_read(ctrace_idcache.unwanted) == atomic64_read(&ctrace_identity_gen));
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
 * Sets *who to current, which wakes a task here. Returns false, and leaves *who as it is, if no task does: in
 * an interrupt, and on an idle CPU that does another CPU's work. Any context incl. NMI; preemption off.
 */
static __always_inline bool ctrace_identity_resolve_waker(struct ctrace_who *who)
{
	if (!in_task() || !current->pid)
		return false;
	ctrace_identity_resolve_current(who);
	return true;
}

/*
 * As ctrace_identity_resolve_context(), for a kprobe's handler. breakpoint: the kprobe is one, and regs is
 * the exception's frame.
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

/*
 * What the CPU remembers of tasks that it met as others', by address: the scheduler's events are of two
 * tasks. An entry is right on the same conditions as ctrace_idcache. Interrupts and NMIs write here, too: an
 * interrupt during an update sees `writes` odd and changes nothing; one during a reading leaves another
 * number behind.
 */
#define CTRACE_IDOTHERS_BITS	6

struct ctrace_idothers {
	u32 writes;		/* odd: one is under way */
	struct ctrace_idother {
		const struct task_struct *task;
		u64 start;
		u64 gen;
		u64 unwanted;	/* as in ctrace_idcache. Written last, and 0 until then */
		struct ctrace_container *c;
		union ctrace_ids ids;
		u64 unused[2];	/* so that an entry is a cache line */
	} e[1 << CTRACE_IDOTHERS_BITS] ____cacheline_aligned;
};
DECLARE_PER_CPU_ALIGNED(struct ctrace_idothers, ctrace_idothers);

/* p's container and numbers, if this CPU remembers them; else NULL. Context: as below. */
static __always_inline struct ctrace_container *ctrace_identity_other(const struct task_struct *p, union ctrace_ids *ids)
{
	struct ctrace_idothers *others = this_cpu_ptr(&ctrace_idothers);
	const struct ctrace_idother *e = &others->e[ctrace_hash_ptr(p, CTRACE_IDOTHERS_BITS)];
	u32 writes = READ_ONCE(others->writes);
	struct ctrace_container *c;

	barrier();	/* only this CPU writes, so the compiler's order is enough */
	OPTIMIZER_HIDE_VAR(e);	/* or the compiler computes it twice */
	if (unlikely(writes & 1 || READ_ONCE(e->task) != p || READ_ONCE(e->start) != ctrace_compat_task_start(p) ||
		     READ_ONCE(e->gen) != atomic64_read(&ctrace_identity_gen)))
		return NULL;
	ids->both = READ_ONCE(e->ids.both);
	c = READ_ONCE(e->c);
	barrier();
	return likely(READ_ONCE(others->writes) == writes) ? c : NULL;
}

/*
 * Is it certain that no session wants an event of p? Needs no look at whether `writes` is odd: during
 * another's update, unwanted is 0 or the entry's old value. Context: as below.
 */
static __always_inline bool ctrace_identity_other_unwanted(const struct task_struct *p)
{
	struct ctrace_idothers *others = this_cpu_ptr(&ctrace_idothers);
	const struct ctrace_idother *e = &others->e[ctrace_hash_ptr(p, CTRACE_IDOTHERS_BITS)];
	u32 writes = READ_ONCE(others->writes);

	barrier();	/* as above */
	OPTIMIZER_HIDE_VAR(e);
	if (unlikely(READ_ONCE(e->task) != p || READ_ONCE(e->start) != ctrace_compat_task_start(p) ||
		     READ_ONCE(e->unwanted) != atomic64_read(&ctrace_identity_gen)))
		return false;
	barrier();
	return likely(READ_ONCE(others->writes) == writes);
}

/* Resolves p without what is remembered, and remembers the result if it is final. Context: as below. */
void ctrace_identity_look_task(struct task_struct *p, struct ctrace_who *who);

/*
 * The owner of a task's events. The task cannot be freed: RCU, or the caller, keeps it. Any context incl.
 * NMI; preemption off.
 */
static __always_inline void ctrace_identity_resolve_task(struct task_struct *p, struct ctrace_who *who)
{
	union ctrace_ids ids;
	struct ctrace_container *c = ctrace_identity_other(p, &ids);

	if (unlikely(!c)) {
		ctrace_identity_look_task(p, who);
		return;
	}
	who->container = c;
	who->task = p;
	who->tid = ids.tid;
	who->vtid = ids.vtid;
}

/* Invalidates all that is remembered about places: each is looked at again when an event comes from it. */
void ctrace_identity_relearn(void);

#endif /* CTRACE_IDENTITY_H */
