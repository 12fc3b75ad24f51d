/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Identity: which container is a task in? The first step of every event.
 *
 * The answer is a function of the task's cgroups (v2's, and the first v1
 * hierarchy where it is not at the root) and of its own pid namespace:
 *
 *   the task that each CPU  ->  the place  ->  alias table  ->  rules.c, under Lock
 *   saw last (here, inline)     it had         (RCU)            (first sight)
 *
 * What sessions want of containers by naming cgroups is found on the same way, and never changes that
 * answer: all four may have a part of the container in its stead (container.h), which differs from it in its
 * masks alone. Whoever compares containers compares cids (ctrace_container_same()).
 *
 * What makes it right although the kernel reuses its pointers:
 *  - a cgroup is known by hierarchy and 64-bit id, which is never reused;
 *  - a pid namespace is known by address, and whoever records that (container,
 *    node) holds a reference, so that the address stays taken;
 *  - a css_set is never recorded;
 *  - a task is known by address and start: between two tasks at an address lies a grace period;
 *  - what is remembered holds pointers without references: it counts only while its gen
 *    is the current one, and the GC changes that, then waits for a grace period,
 *    before it frees anything. So does whoever moves a task, or changes who is wanted.
 */
#ifndef CTRACE_IDENTITY_H
#define CTRACE_IDENTITY_H

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include "identity/container.h"
#include "compat/cgroup.h"
#include "compat/pidns.h"
#include "compat/task.h"

struct cgroup;
struct ctrace_named;

struct ctrace_ring_desc;

/*
 * The task that this CPU saw last. Written by that CPU in task context alone; so a task
 * reads what is of one piece, and an interrupt either that, or gen 0, and misses.
 */
struct ctrace_idcache {
	const struct task_struct *task;
	u64 start;		/* of the task */
	u64 gen;		/* ctrace_identity_gen when all this was looked up; 0: nothing here */
	u32 wanted;		/* the sessions that may want an event of it */
	u32 only;		/* the one of them that records it in the simplest way, or 0, and */
	struct ctrace_ring_desc *ring;	/* its ring; ctrace_alone_note() writes both */
	struct ctrace_container *c;
	union ctrace_ids {
		struct {
			s32 tid;	/* in the initial pid namespace */
			s32 vtid;	/* in the task's own */
		};
		u64 both;	/* as a record has them */
	} ids;
	u32 cid;		/* of c */

	/* The place, that is any task of c that is there. */
	u32 place_gen;		/* cache_gen when c was looked up; 0: nothing here */
	u64 v2;
	u64 v1;
	const void *ns;
};
DECLARE_PER_CPU_ALIGNED(struct ctrace_idcache, ctrace_idcache);

struct ctrace_ident_state {
	u32 cache_gen;		/* of what is known of places; not 0 */
	u32 nr_v1;		/* v1 hierarchies in use */
	u8 v1_ssid[CTRACE_COMPAT_NR_SUBSYS]; /* one controller of each */
	u32 v1_hierarchy[CTRACE_COMPAT_NR_SUBSYS]; /* and its number. Lock */
	/* of those in which a target names a cgroup, but for the first: that is seen anyway */
	u32 nr_also;
	u8 also_ssid[CTRACE_COMPAT_NR_SUBSYS];
	bool moves_told;	/* the kernel says when a task is moved to another cgroup */
};
extern struct ctrace_ident_state ctrace_ident_state;

/* Of what is known of tasks; not 0. */
extern atomic64_t ctrace_identity_gen;

/*
 * Nothing that a CPU remembers of its task holds any more: it was moved, or others are wanted. What was
 * changed before is seen by who sees this; who runs with what was before is waited for
 * by a grace period. Any context.
 */
static inline void ctrace_identity_forget_tasks(void)
{
	atomic64_inc_return(&ctrace_identity_gen);	/* a full barrier; partner: ctrace_identity_look() */
}

/* Whose event it is. */
struct ctrace_who {
	struct ctrace_container *container;	/* or part. Never NULL; good until preemption is enabled */
	const struct task_struct *task;		/* whose it is; NULL: no task's */
	s32 tid;		/* in the initial pid namespace */
	s32 vtid;		/* in the task's own; 0 if that is not known any more */
};

/*
 * Is current the task that this CPU remembers? Any context incl. NMI; preemption off. Takes no stack: a
 * system call's probe asks it before it sets up anything, which is nearly all that a container costs
 * that no session wants.
 */
static __always_inline bool ctrace_identity_known(void)
{
	const struct task_struct *p = current;

	return likely(__this_cpu_read(ctrace_idcache.task) == p &&
		      __this_cpu_read(ctrace_idcache.gen) == atomic64_read(&ctrace_identity_gen) &&
		      __this_cpu_read(ctrace_idcache.start) == ctrace_compat_task_start(p));
}

/* Who current is, whatever is remembered; and remembers it. Any context incl. NMI; preemption off. */
void ctrace_identity_look(struct ctrace_who *who);
/* The same, after ctrace_identity_known() said no; what it says now. */
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
	if (unlikely(breakpoint && in_nmi() && object_is_on_stack((void *)regs) &&
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

/*
 * The path of cgrp below its hierarchy's root into buf, cut to size with its NUL. RCU read side; any context.
 * ..._path: of p's v2 cgroup, or, if that is its hierarchy's root, of its v1 cgroup: as identity chooses.
 */
void ctrace_identity_cgroup_path(const struct cgroup *cgrp, char *buf, size_t size);
void ctrace_identity_path(const struct task_struct *p, char *buf, size_t size);

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
 * n (its want and deny are set) names cgrp, of which the caller holds a reference: what is in there, or
 * below, is wanted or denied from now on. path gets the cgroup's. -ENOENT: it is being removed;
 * -EINVAL: a hierarchy's root; -EOPNOTSUPP: of a v1 hierarchy without a controller, where
 * nobody can see without locks which task is where.
 */
int ctrace_identity_name(const struct cgroup *cgrp, struct ctrace_named *n, char *path, size_t size);
/*
 * The other way round. Who was under way, and what is remembered of dead tasks and requests, may want
 * for n's session still, until a grace period later ctrace_parts_unchoose() has been called
 * for every container. Then n may be freed.
 */
void ctrace_identity_unname(struct ctrace_named *n);

/* Nothing remembered about places holds: each is looked at once more when an event comes from there. */
void ctrace_identity_relearn(void);

/* 1 v1, 2 v2, 3 hybrid: CTRACE_A_INFO_CGROUP_MODE */
u32 ctrace_identity_cgroup_mode(void);

#endif /* CTRACE_IDENTITY_H */
