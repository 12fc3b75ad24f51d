/* SPDX-License-Identifier: GPL-2.0-only */
/* pid namespaces and struct pid */
#ifndef CTRACE_COMPAT_PIDNS_H
#define CTRACE_COMPAT_PIDNS_H

#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include "facts.h"

/* A namespace's number, of whatever kind it is. */
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

/* The process of that number, or NULL: it is none, or that of a further thread. RCU read side. */
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
 * The two ends of a namespace. Closed: its init is exiting, it gets no further
 * process. Empty: closed, and the last process has been reaped; final.
 * ns->pid_allocated (before 4.15 nr_hashed) counts processes; its top bit stands until init exits.
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
 * Its init, which is there as long as any process is (init waits for the
 * others before it lets itself be reaped): call it for a namespace, or an ancestor of
 * one, that a task not yet released is in, inside the RCU section where that was seen.
 */
static inline struct task_struct *ctrace_compat_pidns_reaper(const struct pid_namespace *ns)
{
	return READ_ONCE(ns->child_reaper);
}

#endif /* CTRACE_COMPAT_PIDNS_H */
