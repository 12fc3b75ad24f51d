/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Identity: which container is a task in? The first step of every event.
 *
 * The answer is a function of the task's cgroups (v2's, and the first v1
 * hierarchy where it is not at the root) and of its own pid namespace:
 *
 *   per-CPU cache of one entry  ->  alias table  ->  rules.c, under Lock
 *   (here, inline)                  (RCU)            (first sight)
 *
 * What makes it right although the kernel reuses its pointers:
 *  - a cgroup is known by hierarchy and 64-bit id, which is never reused;
 *  - a pid namespace is known by address, and whoever records that (container,
 *    node) holds a reference, so that the address stays taken;
 *  - a css_set is never recorded;
 *  - the cache holds pointers without references: it counts only while its gen
 *    is the current one, and the GC changes that, then waits for a grace period,
 *    before it frees anything.
 */
#ifndef CTRACE_IDENTITY_H
#define CTRACE_IDENTITY_H

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include "compat/cgroup.h"
#include "compat/pidns.h"
#include "container.h"

struct cgroup;

/*
 * Written by the CPU it belongs to, in any context. A nested writer finds busy
 * set and leaves it alone; a nested reader finds gen 0 and misses. A reader interrupted
 * half-way may mix two entries, but then takes the container that was
 * resolved during the interrupt for the same current, which is right.
 */
struct ctrace_idcache {
	u64 v2;
	u64 v1;
	const void *ns;
	struct ctrace_container *c;
	u32 gen;		/* 0: nothing here */
	u32 busy;
};
DECLARE_PER_CPU_ALIGNED(struct ctrace_idcache, ctrace_idcache);

struct ctrace_ident_state {
	/* cache_gen; with v1 hierarchies CTRACE_GEN_NEVER: the inline path need not ask */
	u32 fast_gen;
	u32 cache_gen;		/* neither 0 nor CTRACE_GEN_NEVER */
	u32 nr_v1;		/* v1 hierarchies in use */
	u8 v1_ssid[CTRACE_COMPAT_NR_SUBSYS]; /* one controller of each */
};

#define CTRACE_GEN_NEVER	(~0u)
extern struct ctrace_ident_state ctrace_ident_state;

/* Out of line; same context as their callers below. */
u64 ctrace_identity_v1_key(const struct css_set *cset);
struct ctrace_container *ctrace_identity_slow(const struct css_set *cset, u64 v2,
					      const struct pid_namespace *ns);
struct ctrace_container *ctrace_identity_dead(struct task_struct *p, s32 *vtid);

/* Whose event it is. */
struct ctrace_who {
	struct ctrace_container *container;	/* never NULL; good until preemption is enabled */
	const struct task_struct *task;		/* whose it is; NULL: no task's */
	s32 tid;		/* in the initial pid namespace */
	s32 vtid;		/* in the task's own; 0 if that is not known any more */
};

/*
 * What the cache says of current, with its number in its own pid namespace; or NULL. Any context
 * incl. NMI; preemption off. Takes no stack: a system call's probe asks it before it sets up
 * anything, which is all that a container costs that no session wants.
 */
static __always_inline struct ctrace_container *ctrace_identity_cached(const struct upid **upid)
{
	const struct task_struct *p = current;
	const struct pid *pid = ctrace_compat_task_pid(p);

	if (unlikely(!pid))
		return NULL;
	*upid = &pid->numbers[pid->level];
	if (likely(__this_cpu_read(ctrace_idcache.gen) == READ_ONCE(ctrace_ident_state.fast_gen) &&
		   __this_cpu_read(ctrace_idcache.ns) == (*upid)->ns &&
		   __this_cpu_read(ctrace_idcache.v2) == ctrace_compat_cgroup_id(
			   ctrace_compat_cset_dfl(ctrace_compat_task_cset(p)))))
		return __this_cpu_read(ctrace_idcache.c);
	return NULL;
}

/* c: what ctrace_identity_cached() said just now. Same context. */
static __always_inline void ctrace_identity_current(struct ctrace_who *who,
						    struct ctrace_container *c)
{
	struct task_struct *p = current;
	const struct pid *pid = ctrace_compat_task_pid(p);
	const struct css_set *cset;
	const struct upid *upid;

	who->task = p;
	who->tid = p->pid;
	if (unlikely(!pid)) {
		who->container = ctrace_identity_dead(p, &who->vtid);
		return;
	}
	upid = &pid->numbers[pid->level];
	who->vtid = upid->nr;
	if (unlikely(!c)) {
		cset = ctrace_compat_task_cset(p);
		c = ctrace_identity_slow(cset, ctrace_compat_cgroup_id(ctrace_compat_cset_dfl(cset)),
					 upid->ns);
	}
	who->container = c;
}

/* Any context incl. NMI; preemption off. */
static __always_inline void ctrace_identity_resolve_current(struct ctrace_who *who)
{
	const struct upid *upid;

	ctrace_identity_current(who, ctrace_identity_cached(&upid));
}

/* An event that is nobody's. */
static __always_inline void ctrace_identity_host(struct ctrace_who *who)
{
	who->container = &ctrace_container_host;
	who->task = NULL;
	who->tid = 0;
	who->vtid = 0;
}

/*
 * Whoever runs this code: current, but never the task that an interrupt came upon.
 * Any context incl. NMI; preemption off.
 */
static __always_inline void ctrace_identity_resolve_context(struct ctrace_who *who)
{
	if (likely(in_task()))
		ctrace_identity_resolve_current(who);
	else
		ctrace_identity_host(who);
}

/*
 * The same for a handler that an exception brought from where regs are, a kprobe's. A breakpoint
 * in the kernel counts as an NMI and as a hard interrupt (on x86 since 5.8), so current seems
 * interrupted although it met the breakpoint itself. It did if the exception's frame lies on its
 * own stack, as interrupts and NMIs have others, and if without the exception it would be in task
 * context. (An NMI upon user mode, too, is on that stack, but then its kprobes are no breakpoints,
 * or count twice; a jump that took a breakpoint's place there is taken for the task's.)
 */
static __always_inline void ctrace_identity_resolve_trap(struct ctrace_who *who, bool breakpoint,
							 const struct pt_regs *regs)
{
	if (unlikely(breakpoint && in_nmi() && object_is_on_stack(regs) &&
		     (preempt_count() & (NMI_MASK | HARDIRQ_MASK)) == NMI_OFFSET + HARDIRQ_OFFSET &&
		     !in_serving_softirq()))
		ctrace_identity_resolve_current(who);
	else
		ctrace_identity_resolve_context(who);
}

/* The same for any task that cannot be freed meanwhile (RCU, or the caller's word). */
void ctrace_identity_resolve_task(struct task_struct *p, struct ctrace_who *who);

/*
 * No task's, but a cgroup's (of any hierarchy; it cannot be freed meanwhile): the known
 * container that it lies in, else the host. Any context incl. NMI; preemption off. Slower than
 * the others: it walks up the cgroups.
 */
void ctrace_identity_resolve_cgroup(const struct cgroup *cgrp, struct ctrace_who *who);

/* --- process context ----------------------------------------------------- */

/*
 * init: registers the hooks and looks at every task. stop: hooks off,
 * synchronised, no announcement any more; tasks can still be resolved (for probes not
 * yet detached). exit: when nobody resolves any more and nobody holds a container.
 */
int ctrace_identity_init(void);
void ctrace_identity_stop(void);
void ctrace_identity_exit(void);

/*
 * Looks at all tasks that exist, and at which v1 hierarchies do. For session creation
 * and dumps. Sleeps.
 */
void ctrace_identity_scan(void);

/*
 * Makes cgrp (reference held by the caller during the call) a boundary because a
 * session named it; as many del as add. add: the container's cid in *cid.
 * -ENOMEM: pool empty, try later; -ENOENT: being removed; -EINVAL: a hierarchy's root.
 */
int ctrace_identity_boundary_add(struct cgroup *cgrp, u32 *cid);
void ctrace_identity_boundary_del(struct cgroup *cgrp);

/* Nothing remembered about places holds: each is looked at once more when an event comes from there. */
void ctrace_identity_relearn(void);

/* 1 v1, 2 v2, 3 hybrid: CTRACE_A_INFO_CGROUP_MODE */
u32 ctrace_identity_cgroup_mode(void);

#endif /* CTRACE_IDENTITY_H */
