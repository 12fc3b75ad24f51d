// SPDX-License-Identifier: GPL-2.0-only
/* Looks at tasks that exist: at one, for a hook, or at all, to find the containers of those not seen yet. */
#include <linux/cgroup.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include "identity/hierarchy.h"
#include "identity/identity_internal.h"
#include "identity/look.h"
#include "identity/netns.h"
#include "identity/rules.h"
#include "identity/scan.h"
#include "identity/kernel.h"
#include "compat/task.h"

/* --- one task ---------------------------------------------------------------- */

void ctrace_scan_learn(struct task_struct *p, bool exec, const void *mnt)
{
	const struct pid *pid = ctrace_compat_task_pid(p);
	const struct css_set *cset = ctrace_compat_task_cset(p);
	const void *ns;
	u64 v2, v1;
	bool whole;

	if (!pid)
		return;
	ns = pid->numbers[pid->level].ns;
	v2 = ctrace_compat_cgroup_id(ctrace_compat_cset_dfl(cset));
	v1 = ctrace_identity_v1_key(cset);
	if (exec)
		ctrace_identity_decide(cset, ns, v2, v1, exec, mnt, &whole);
	else
		ctrace_identity_learn_place(cset, ns, v2, v1, mnt);
}

const void *ctrace_scan_task_ns(const struct task_struct *p)
{
	const struct pid *pid = ctrace_compat_task_pid(p);

	return pid ? pid->numbers[pid->level].ns : NULL;
}

/*
 * Fills in the cgroup namespace's root in each hierarchy, except where that is the hierarchy's own root.
 * Returns how many.
 */
static int ns_roots(const struct css_set *root, const void **roots)
{
	u32 i, n = smp_load_acquire(&ctrace_ident_state.nr_v1);	/* as in v1_cgroup() */
	struct cgroup *cg = ctrace_compat_cset_dfl(root);
	int found = 0;

	if (ctrace_compat_cgroup_parent(cg))
		roots[found++] = cg;
	for (i = 0; i < n; i++) {
		cg = ctrace_compat_cset_subsys(root, READ_ONCE(ctrace_ident_state.v1_ssid[i]));
		if (cg && ctrace_compat_cgroup_parent(cg))
			roots[found++] = cg;
	}
	return found;
}

static bool in_roots(const struct task_struct *p, const void *const *roots, int n)
{
	struct ctrace_place at;
	int i;

	ctrace_identity_place(ctrace_compat_task_cset(p), NULL, &at);
	for (i = 0; i < n; i++)
		if (ctrace_look_place_below(&ctrace_rules, &at, roots[i]))
			return true;
	return false;
}

/*
 * Do the roots hold a container, and not a login session in which a user unshared
 * the cgroup namespace? They do if the parent of the container's first process is outside.
 * The first process is the init of the pid namespace ns, or, if ns is the initial one, p itself
 * as it executes the container's program. (The ancestors' own cgroup namespaces would show more, but reading
 * them takes a lock that sleeps on PREEMPT_RT.)
 */
static bool made_from_outside(struct task_struct *p, const void *ns, const void *const *roots,
			      int n)
{
	struct task_struct *first = p;

	if (((const struct pid_namespace *)ns)->parent)
		first = ctrace_compat_pidns_reaper(ns);
	return first && in_roots(first, roots, n) &&
	       !in_roots(rcu_dereference(first->real_parent), roots, n);
}

void ctrace_scan_cgroup_ns(struct task_struct *p, const struct css_set *root)
{
	const void *roots[CTRACE_COMPAT_NR_SUBSYS + 1];
	const void *ns = ctrace_scan_task_ns(p);
	int n = ns_roots(root, roots);
	struct ctrace_place at;

	if (!ns || !n)
		return;
	/*
	 * Each exec in each container that has a cgroup namespace comes here. If p is inside a boundary, and
	 * that is all but the first, nothing can be learned. A boundary above p cannot go before p has gone,
	 * so this needs no lock.
	 */
	ctrace_identity_place(ctrace_compat_task_cset(p), ns, &at);
	if (ctrace_rules_bounded(&ctrace_rules, &at) || !made_from_outside(p, ns, roots, n))
		return;
	ctrace_rules_cgroup_ns(&ctrace_rules, &at, roots, n);
}

/* --- all tasks -------------------------------------------------------------------- */

/* One task; RCU read side. */
static void scan_task(struct task_struct *p, bool own_ns)
{
	const struct css_set *root;
	const struct pid_namespace *ns = ctrace_scan_task_ns(p);

	if (!ns || !!ns->parent != own_ns)
		return;
	/* Keeps p's cgroup namespace alive. Before preemption is off: the lock sleeps on PREEMPT_RT. */
	task_lock(p);
	root = ctrace_compat_cgroup_ns_root(p);
	preempt_disable();
	if (root)
		ctrace_scan_cgroup_ns(p, root);
	ctrace_scan_learn(p, false, CTRACE_MNT_UNKNOWN);
	preempt_enable();
	task_unlock(p);
}

static const void *mounts_of(struct task_struct *p, bool *starter)
{
	const void *mnt;

	task_lock(p);
	mnt = ctrace_compat_mount_ns(p);
	*starter = ctrace_compat_begins_pid_ns(p);
	task_unlock(p);
	return mnt;
}

/*
 * The exec of a container's program, which shows that the container has no pid namespace of its own, was
 * before the module. It has been if p, which has executed a program, has mounts other than its parent, which
 * is the runtime, or what the runtime left behind. But if p's next child begins a pid namespace, p is a
 * starter, on its way to a program that will have that namespace. RCU read side.
 */
static void settle(struct task_struct *p)
{
	struct ctrace_who who;
	bool unsettled, starter, parent;
	const void *mnt;

	preempt_disable();
	ctrace_identity_resolve_task(p, &who);
	unsettled = ctrace_look_unsettled(ctrace_container_base(who.container));
	preempt_enable();
	if (!unsettled)
		return;
	mnt = mounts_of(p, &starter);
	if (starter || mnt == mounts_of(rcu_dereference(p->real_parent), &parent))
		return;
	preempt_disable();
	ctrace_scan_learn(p, true, mnt);
	preempt_enable();
}

/*
 * The exec that shows whose p's network namespace is was before the module, or its owner has died since. RCU
 * read side.
 */
static void scan_net(struct task_struct *p)
{
	struct ctrace_who who;

	task_lock(p);
	preempt_disable();
	ctrace_identity_resolve_task(p, &who);
	ctrace_netns_learn(p, &who);
	preempt_enable();
	task_unlock(p);
}

static void scan_program(struct task_struct *p)
{
	if (p->flags & PF_FORKNOEXEC)
		return;
	settle(p);
	scan_net(p);
}

static void scan_in_ns(struct task_struct *p)
{
	scan_task(p, true);
}

static void scan_outside(struct task_struct *p)
{
	scan_task(p, false);
}

/*
 * Lets others run between two batches. False: group or p has been released since, so the walk cannot continue
 * from it.
 */
static bool rest(struct task_struct *group, struct task_struct *p)
{
	bool alive;

	get_task_struct(group);
	get_task_struct(p);
	rcu_read_unlock();
	cond_resched();
	rcu_read_lock();
	alive = pid_alive(group) && pid_alive(p);
	put_task_struct(p);
	put_task_struct(group);
	return alive;
}

static void scan_pass(void (*look)(struct task_struct *p))
{
	struct task_struct *group, *p;
	int tries = 4, batch;

again:
	batch = 0;
	rcu_read_lock();
	ctrace_compat_for_each_process_thread(group, p) {
		look(p);
		if (++batch % 128 == 0 && !rest(group, p)) {
			rcu_read_unlock();
			/*
			 * A few tries do: hooks see new tasks, and a task missed here is seen at its first
			 * event.
			 */
			if (tries--)
				goto again;
			return;
		}
	}
	rcu_read_unlock();
}

void ctrace_identity_scan(void)
{
	ctrace_identity_refresh();
	/*
	 * Tasks in a pid namespace first: they show which namespace is a boundary's own. After that pass,
	 * tasks without a pid namespace of their own can be resolved.
	 */
	scan_pass(scan_in_ns);
	scan_pass(scan_outside);
	scan_pass(scan_program);
}
