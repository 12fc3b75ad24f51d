/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroups, read under RCU from any context.
 *
 * Why that is safe: a task's css_set is freed after a grace period. A cgroup (with
 * its kernfs node, and its parents, on which it holds references) is freed after
 * another grace period, which starts when the last css_set has let it go.
 */
#ifndef CTRACE_COMPAT_CGROUP_H
#define CTRACE_COMPAT_CGROUP_H

#include <linux/cgroup.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/kernfs.h>
#include <linux/nsproxy.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include "facts.h"

#define CTRACE_COMPAT_NR_SUBSYS	CGROUP_SUBSYS_COUNT

#if defined(CTRACE_HAVE_IO_SUBSYS_ID__BLKIO_CGRP)
#define CTRACE_COMPAT_IO_SSID	blkio_cgrp_id
#elif defined(CTRACE_HAVE_IO_SUBSYS_ID__BLKIO_SUBSYS)
#define CTRACE_COMPAT_IO_SSID	blkio_subsys_id
#else
#define CTRACE_COMPAT_IO_SSID	io_cgrp_id
#endif

/* Preemption off. */
static __always_inline const struct css_set *ctrace_compat_task_cset(const struct task_struct *p)
{
	return rcu_dereference_raw(p->cgroups);
}

/*
 * Is p exiting and has the kernel moved it to the root cgroups? True as well if p was in the
 * roots all along: the two look the same.
 */
static inline bool ctrace_compat_cset_taken(const struct task_struct *p)
{
#ifdef CTRACE_HAVE_CGROUP_EXIT__MOVES
	return (p->flags & PF_EXITING) && p->cgroups == init_task.cgroups;
#else
	return false;
#endif
}

#ifdef CTRACE_HAVE_CGROUP_DFL__NONE
/* Stands for the unified hierarchy's root where the kernel has none: every task is in it. */
extern struct cgroupfs_root ctrace_compat_no_dfl;
#endif

/* cset's cgroup in the unified hierarchy, v2's. */
static __always_inline struct cgroup *ctrace_compat_cset_dfl(const struct css_set *cset)
{
#ifdef CTRACE_HAVE_CGROUP_DFL__NONE
	return &ctrace_compat_no_dfl.top_cgroup;
#else
	return cset->dfl_cgrp;
#endif
}

static inline bool ctrace_compat_cgroup_is_dfl(const struct cgroup *cgrp)
{
#ifdef CTRACE_HAVE_CGROUP_DFL__NONE
	return cgrp->root == &ctrace_compat_no_dfl;
#else
	return cgrp->root == cgrp_dfl_root.cgrp.root;
#endif
}

/* Has the unified hierarchy any cgroup but its root? */
static inline bool ctrace_compat_cgroup_dfl_used(void)
{
#ifdef CTRACE_HAVE_CGROUP_DFL__NONE
	return false;
#else
	return atomic_read(&cgrp_dfl_root.nr_cgrps) > 1;
#endif
}

/* NULL: the controller is not built or has no state yet. */
static inline struct cgroup *ctrace_compat_cset_subsys(const struct css_set *cset, int ssid)
{
	const struct cgroup_subsys_state *css = cset->subsys[ssid];

	return css ? css->cgroup : NULL;
}

/*
 * An id that is unique in the cgroup's hierarchy for ever. Older kernels give a removed directory's
 * number to the next one made: there the number is the lower half, and the upper half tells the two
 * apart. Before 3.14 it is the inode number, which may repeat: the kernel counts the inodes of all
 * diskless file systems with 32 bits, and wraps around.
 */
static __always_inline u64 ctrace_compat_cgroup_id(const struct cgroup *cgrp)
{
#if defined(CTRACE_HAVE_CGROUP_ID__PLAIN)
	return cgrp->kn->id;
#elif defined(CTRACE_HAVE_CGROUP_ID__GENERATION)
	return cgrp->kn->id.id;
#elif defined(CTRACE_HAVE_CGROUP_ID__SERIAL)
	return cgrp->self.serial_nr << 32 | cgrp->kn->ino;
#else
	/* neither is NULL until the cgroup is removed; the dentry's memory lives as long as the cgroup's */
	const struct dentry *dentry = READ_ONCE(cgrp->dentry);
	const struct inode *inode = dentry ? READ_ONCE(dentry->d_inode) : NULL;

	return inode ? inode->i_ino : 0;
#endif
}

/* The part of such an id that is the directory's number. */
static inline u64 ctrace_compat_cgroup_number(u64 id)
{
#if defined(CTRACE_HAVE_CGROUP_ID__GENERATION) || defined(CTRACE_HAVE_CGROUP_ID__SERIAL)
	return (u32)id;
#else
	return id;
#endif
}

static inline struct cgroup *ctrace_compat_cgroup_parent(const struct cgroup *cgrp)
{
#ifdef CTRACE_HAVE_CGROUP_PARENT__CSS
	const struct cgroup_subsys_state *up = cgrp->self.parent;

	return up ? container_of(up, struct cgroup, self) : NULL;
#else
	return cgrp->parent;
#endif
}

/* How many levels cgrp is below its hierarchy's root. */
static inline int ctrace_compat_cgroup_level(const struct cgroup *cgrp)
{
#ifdef CTRACE_HAVE_CGROUP_LEVEL
	return cgrp->level;
#else
	int level = 0;

	while ((cgrp = ctrace_compat_cgroup_parent(cgrp)))
		level++;
	return level;
#endif
}

#define CTRACE_COMPAT_CLIMB	1024	/* steps up, where the kernel has no array of ancestors */

/*
 * cgrp, if it is at most `level` levels below its hierarchy's root; else its ancestor that is. NULL: that is
 * too many steps up.
 */
static inline const struct cgroup *ctrace_compat_cgroup_ancestor(const struct cgroup *cgrp, int level)
{
#ifdef CTRACE_HAVE_CGROUP_ANCESTORS
	return cgrp->level > level ? cgrp->ancestors[level] : cgrp;
#else
	const struct cgroup *above = cgrp;
	int i;

	for (i = 0; above && i <= level; i++)
		above = ctrace_compat_cgroup_parent(above);
	/* `above` is level + 1 levels above cgrp: once it is past the root, cgrp has arrived */
	for (i = 0; above && i < CTRACE_COMPAT_CLIMB; i++) {
		above = ctrace_compat_cgroup_parent(above);
		cgrp = ctrace_compat_cgroup_parent(cgrp);
	}
	return above ? NULL : cgrp;
#endif
}

static inline int ctrace_compat_cgroup_hierarchy(const struct cgroup *cgrp)
{
	return cgrp->root->hierarchy_id;
}

/* False as soon as cgrp's removal has begun. */
static inline bool ctrace_compat_cgroup_online(const struct cgroup *cgrp)
{
#ifdef CTRACE_HAVE_CGROUP_ONLINE__CSS
	return READ_ONCE(cgrp->self.flags) & CSS_ONLINE;
#elif defined(CTRACE_HAVE_CGROUP_ONLINE__DEAD)
	return !test_bit(CGRP_DEAD, &cgrp->flags);
#else
	return !test_bit(CGRP_REMOVED, &cgrp->flags);
#endif
}

#define CTRACE_COMPAT_CGROUP_NAME	256	/* bytes, with the NUL: the kernel's NAME_MAX + 1 */

/*
 * Copies the name of a cgroup that may be renamed, and its name freed, during the copy; "?" if that happens.
 * Returns buf.
 */
const char *ctrace_compat_cgroup_copy_name(const struct cgroup *cgrp, char *buf);

/*
 * Never NULL, and never changed or freed while RCU is held; CTRACE_COMPAT_CGROUP_NAME bytes at most. It may
 * be in buf, which has as many. Up to 3.13, and since 6.15, the kernel frees a name after a grace period. In
 * between it frees it at once, but only if a v1 cgroup is renamed: v2 has no rename.
 */
static inline const char *ctrace_compat_cgroup_name(const struct cgroup *cgrp, char *buf)
{
	const char *name;

#if defined(CTRACE_HAVE_CGROUP_NAME__MEMBER)
	const struct cgroup_name *of = rcu_dereference_raw(cgrp->name);

	name = of ? of->name : NULL;
#elif defined(CTRACE_HAVE_KERNFS_NAME_RCU)
	name = rcu_dereference_raw(cgrp->kn->name);
#else
	if (!ctrace_compat_cgroup_is_dfl(cgrp))
		return ctrace_compat_cgroup_copy_name(cgrp, buf);
	name = READ_ONCE(cgrp->kn->name);
#endif
	return name ? name : "";
}

/*
 * The root css_set of p's cgroup namespace. p is current, or its task_lock is held.
 * NULL: p is dying, or is in the initial namespace.
 */
static inline const struct css_set *ctrace_compat_cgroup_ns_root(const struct task_struct *p)
{
#ifdef CTRACE_HAVE_CGROUP_NS__NONE
	return NULL;
#else
	const struct nsproxy *nsproxy = p->nsproxy;

	if (!nsproxy || nsproxy->cgroup_ns == init_task.nsproxy->cgroup_ns)
		return NULL;
	return nsproxy->cgroup_ns->root_cset;
#endif
}

/* Probes of cgroup_rmdir and similar tracepoints. CTRACE_PROBE_CGROUP_PATH NULL: the kernel gives no path. */
#ifndef CTRACE_HAVE_CGROUP_RMDIR__PLAIN
#define CTRACE_PROBE_CGROUP_EVENT(fn)	fn(void *data, struct cgroup *cgrp, const char *path)
#define CTRACE_PROBE_CGROUP_PATH	path
#else
#define CTRACE_PROBE_CGROUP_EVENT(fn)	fn(void *data, struct cgroup *cgrp)
#define CTRACE_PROBE_CGROUP_PATH	NULL
#endif

/*
 * p's mount namespace, for comparisons only: it may be gone. p is current, or its task_lock is held. NULL:
 * the one that the machine booted with, or p is dying.
 */
static inline const void *ctrace_compat_mount_ns(const struct task_struct *p)
{
	const struct nsproxy *nsproxy = p->nsproxy;

	return !nsproxy || nsproxy->mnt_ns == init_task.nsproxy->mnt_ns ? NULL : nsproxy->mnt_ns;
}

/* Does p's next child begin a pid namespace? p as above. */
static inline bool ctrace_compat_begins_pid_ns(struct task_struct *p)
{
	const struct nsproxy *nsproxy = p->nsproxy;

#ifdef CTRACE_HAVE_NSPROXY_PID_NS__FOR_CHILDREN
	return nsproxy && nsproxy->pid_ns_for_children != task_active_pid_ns(p);
#else
	return nsproxy && nsproxy->pid_ns != task_active_pid_ns(p);
#endif
}

/*
 * ctrace_compat_mount_ns() of a task that RCU keeps, without waiting for its lock. Returns false if *ns is
 * not known. Not in an NMI.
 */
static inline bool ctrace_compat_try_mount_ns(struct task_struct *p, const void **ns)
{
	if (p == current) {
		*ns = ctrace_compat_mount_ns(p);
		return true;
	}
#if defined(CONFIG_PREEMPT_RT) || defined(CONFIG_PREEMPT_RT_FULL)
	return false;		/* preemption is off, and the lock sleeps */
#else
	if (!spin_trylock(&p->alloc_lock))
		return false;
	*ns = ctrace_compat_mount_ns(p);
	spin_unlock(&p->alloc_lock);
	return true;
#endif
}

#endif /* CTRACE_COMPAT_CGROUP_H */
