/* SPDX-License-Identifier: GPL-2.0-only */
/* pid namespaces and struct pid */
#ifndef CTRACE_COMPAT_PIDNS_H
#define CTRACE_COMPAT_PIDNS_H

#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include "facts.h"

/* The number of a namespace of any kind. */
#ifdef CTRACE_HAVE_NS_INUM__COMMON
#define ctrace_compat_inum(of)	((of)->ns.inum)
#else
#define ctrace_compat_inum(of)	((of)->proc_inum)
#endif

/* NULL once p has been released. struct pid is freed after a grace period. */
static __always_inline const struct pid *ctrace_compat_task_pid(const struct task_struct *p)
{
#ifdef CTRACE_HAVE_TASK_PID__THREAD
	return READ_ONCE(p->thread_pid);
#else
	return READ_ONCE(p->pids[PIDTYPE_PID].pid);
#endif
}

/* The process with that number; NULL: no task has it, or a thread other than a leader. RCU read side. */
static inline struct task_struct *ctrace_compat_pid_leader(struct pid *pid)
{
#ifdef CTRACE_HAVE_PIDTYPE_TGID
	return pid_task(pid, PIDTYPE_TGID);
#else
	struct task_struct *p = pid_task(pid, PIDTYPE_PID);

	return p && thread_group_leader(p) ? p : NULL;
#endif
}

/*
 * A namespace ends in two steps. Closed: its init is exiting, and no process can be
 * added. Empty: closed, and the last process has been reaped; this is final.
 * ns->pid_allocated (before 4.15 nr_hashed) counts processes; its top bit is set until init exits.
 */
static inline bool ctrace_compat_pidns_closed(const struct pid_namespace *ns)
{
#ifdef CTRACE_HAVE_PIDNS_NUMBERS__IDR
	return !(READ_ONCE(ns->pid_allocated) & PIDNS_ADDING);
#else
	return !(READ_ONCE(ns->nr_hashed) & PIDNS_HASH_ADDING);
#endif
}

static inline bool ctrace_compat_pidns_empty(const struct pid_namespace *ns)
{
#ifdef CTRACE_HAVE_PIDNS_NUMBERS__IDR
	return READ_ONCE(ns->pid_allocated) == 0;
#else
	return READ_ONCE(ns->nr_hashed) == 0;
#endif
}

static inline u32 ctrace_compat_pidns_inum(const struct pid_namespace *ns)
{
	return ctrace_compat_inum(ns);
}

/*
 * The init of ns. It exists as long as any process of ns does: init waits for the
 * others before it can be reaped. So ns must be the pid namespace of a task that has
 * not been released, or an ancestor of it; call this in the RCU section where that was seen.
 */
static inline struct task_struct *ctrace_compat_pidns_reaper(const struct pid_namespace *ns)
{
	return READ_ONCE(ns->child_reaper);
}

#endif /* CTRACE_COMPAT_PIDNS_H */
