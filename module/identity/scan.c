// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks and scans, which make a container known before its first event. The hooks are on
 * as long as the module is loaded; a scan looks at all tasks that exist.
 *
 * The rules learn from the birth of a namespace (fork), from an arrival in a cgroup (attach)
 * and from the end of a start-up (exec). There the hooks ask the rules, not the alias table.
 */
#include <linux/cgroup.h>
#include <linux/binfmts.h>
#include <linux/mutex.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include "identity/scan.h"
#include "identity/parts.h"
#include "identity/learn.h"
#include "compat/task.h"
#include "compat/tracepoint.h"

static DEFINE_MUTEX(refresh_mutex);	/* protects the table of v1 hierarchies */

static u64 cgroup_key(const struct cgroup *cgrp)
{
	return ctrace_key(ctrace_identity_view.cg_hierarchy(cgrp), ctrace_compat_cgroup_id(cgrp));
}

/* --- one task ---------------------------------------------------------------- */

/* preemption off */
static void learn(struct task_struct *p, bool exec)
{
	const struct pid *pid = ctrace_compat_task_pid(p);
	const struct css_set *cset = ctrace_compat_task_cset(p);
	bool whole;

	if (pid)
		ctrace_identity_decide(cset, pid->numbers[pid->level].ns,
				       ctrace_compat_cgroup_id(ctrace_compat_cset_dfl(cset)),
				       ctrace_identity_v1_key(cset), exec, &whole);
}

static const void *task_ns(const struct task_struct *p)
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
	for (i = 0; i < n; i++) {
		u64 key = cgroup_key(roots[i]);

		if (ctrace_look_below(&ctrace_rules, at.cg[0], key) ||
		    ctrace_look_below(&ctrace_rules, at.cg[1], key))
			return true;
	}
	return false;
}

/*
 * Do the roots hold a container, and not a login session in which a user unshared
 * the cgroup namespace? They do if the parent of the container's first process is outside.
 * The first process is the init of the pid namespace ns, or, if ns is the initial one, p itself
 * as it executes the container's program. (The ancestors' own cgroup namespaces would tell
 * more, but reading them takes a lock that sleeps on PREEMPT_RT.)
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

/* RCU read side, preemption off; root: of p's cgroup namespace */
static void learn_cgroup_ns(struct task_struct *p, const struct css_set *root)
{
	const void *roots[CTRACE_COMPAT_NR_SUBSYS + 1];
	const void *ns = task_ns(p);
	int n = ns_roots(root, roots);
	struct ctrace_place at;
	unsigned long flags;

	if (!ns || !n || !made_from_outside(p, ns, roots, n))
		return;
	ctrace_identity_place(ctrace_compat_task_cset(p), ns, &at);
	if (!ctrace_ident_lock(&flags))
		return;
	ctrace_rules_cgroup_ns(&ctrace_rules, &at, roots, n);
	ctrace_ident_unlock(flags);
}

/* --- hooks -------------------------------------------------------------------- */

/*
 * Older kernels call a tracepoint's probes with preemption off; the newest call them
 * under SRCU alone. The code below must stay on its CPU, in an RCU read-side section.
 */
static void hook_enter(void)
{
	preempt_disable_notrace();
	rcu_read_lock();
}

static void hook_leave(void)
{
	rcu_read_unlock();
	preempt_enable_notrace();
}

/* Must c still learn from an exec which pid namespace it lives in? */
static bool unsettled(const struct ctrace_container *c)
{
	return READ_ONCE(c->key) && !READ_ONCE(c->ns) && !READ_ONCE(c->ns_fixed);
}

static void hook_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	const struct pid *pid;
	struct ctrace_who who;

	hook_enter();
	pid = ctrace_compat_task_pid(child);
	/* A namespace's first task may decide which container the namespace is; the others follow it. */
	if (pid && pid->level && pid->numbers[pid->level].nr == 1)
		learn(child, false);
	else
		ctrace_identity_resolve_task(child, &who);
	hook_leave();
}

static void learn_init_path(struct task_struct *p)
{
	const void *ns = task_ns(p);
	struct ctrace_place at;
	unsigned long flags;

	if (!ns || !((const struct pid_namespace *)ns)->parent)
		return;
	ctrace_identity_place(ctrace_compat_task_cset(p), ns, &at);
	if (ctrace_ident_lock(&flags)) {
		ctrace_learn_init_execs(&ctrace_rules, &at);
		ctrace_ident_unlock(flags);
	}
}

static void hook_exec(void *data, struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm)
{
	const struct ctrace_container *c;
	const struct css_set *root;
	struct ctrace_who who;

	hook_enter();
	root = ctrace_compat_cgroup_ns_root(p);		/* p is current */
	if (root)
		learn_cgroup_ns(p, root);
	ctrace_identity_resolve_task(p, &who);
	c = ctrace_container_base(who.container);
	/*
	 * Only a program with a mount namespace of its own counts: runc executes itself once more, out of
	 * a sealed copy, in the container's cgroup but before it has made any namespace.
	 */
	if (unsettled(c) && ctrace_compat_own_mount_ns(p))
		learn(p, true);
	if (who.vtid == 1 && !READ_ONCE(c->key))
		learn_init_path(p);
	/* p was not its group's leader, and has taken over the leader's numbers and start time */
	if (old_pid != p->pid)
		ctrace_identity_forget_tasks();
	hook_leave();
}

static void CTRACE_PROBE_SCHED_PROCESS_EXIT(hook_exit)
{
	const struct pid *pid;
	struct ctrace_who who;

	hook_enter();
	pid = ctrace_compat_task_pid(p);
	ctrace_identity_resolve_task(p, &who);
	ctrace_identity_note_exit(p, &who);
	if (pid && pid->level && pid->numbers[pid->level].nr == 1)
		ctrace_container_kick();	/* a pid namespace ends */
	hook_leave();
}

static void CTRACE_PROBE_CGROUP_ATTACH_TASK(hook_attach)
{
	hook_enter();
	learn(p, false);
	ctrace_identity_forget_tasks();
	hook_leave();
}

static void CTRACE_PROBE_CGROUP_EVENT(hook_rmdir)
{
	unsigned long flags;

	hook_enter();
	if (ctrace_ident_lock(&flags)) {
		ctrace_learn_cgroup_gone(&ctrace_rules, cgroup_key(cgrp));
		ctrace_ident_unlock(flags);
		ctrace_container_kick();
	}
	hook_leave();
}

static const struct hook {
	const char *name;
	void *probe;
	bool optional;		/* kernels before 4.9 do not have it */
} hooks[] = {
	{ "sched_process_fork", hook_fork },
	{ "sched_process_exec", hook_exec },
	{ "sched_process_exit", hook_exit },
	{ "cgroup_attach_task", hook_attach, true },
	{ "cgroup_transfer_tasks", hook_attach, true },
	{ "cgroup_rmdir", hook_rmdir, true },
};

static void unhook(unsigned int n)
{
	while (n--)
		ctrace_compat_tracepoint_unregister(hooks[n].name, hooks[n].probe, NULL);
	ctrace_compat_tracepoint_sync();
}

static int hook(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		err = ctrace_compat_tracepoint_register(hooks[i].name, hooks[i].probe, NULL);
		if (err && !(hooks[i].optional && err == -ENOENT)) {
			unhook(i);
			return err;
		}
		if (!err && hooks[i].probe == hook_attach)
			ctrace_ident_state.moves_told = true;
	}
	return 0;
}

/* --- scans -------------------------------------------------------------------- */

/*
 * Lists a controller of each v1 hierarchy, but for the first, in which a target names a cgroup. ident_lock held;
 * the caller then calls ctrace_identity_forget_cached(). A reader may see a mixture of the old list and the
 * new one, but has read the generations before: what it caches is never found, and ctrace_identity_decide()
 * makes the key anew before it records an alias.
 */
static void look_also(void)
{
	struct ctrace_ident_state *st = &ctrace_ident_state;
	u32 i, n = 0;

	for (i = 1; i < st->nr_v1; i++)
		if (ctrace_rules_names(&ctrace_rules, st->v1_hierarchy[i]))
			WRITE_ONCE(st->also_ssid[n++], st->v1_ssid[i]);
	smp_store_release(&st->nr_also, n);	/* after the table; pairs with ctrace_identity_v1_key() */
}

/* Lists one controller of each v1 hierarchy, as init's css_set shows them. */
void ctrace_identity_refresh(void)
{
	struct ctrace_ident_state *st = &ctrace_ident_state;
	u8 ssid[CTRACE_COMPAT_NR_SUBSYS];
	u32 of[CTRACE_COMPAT_NR_SUBSYS], h;
	const struct css_set *cset;
	struct cgroup *cg;
	unsigned long flags;
	u32 n = 0, i, s;
	bool changed;

	mutex_lock(&refresh_mutex);
	rcu_read_lock();
	cset = ctrace_compat_task_cset(&init_task);
	for (s = 0; s < CTRACE_COMPAT_NR_SUBSYS; s++) {
		cg = ctrace_compat_cset_subsys(cset, s);
		h = cg ? ctrace_identity_view.cg_hierarchy(cg) : 0;
		for (i = 0; i < n && of[i] != h; i++)
			;
		if (!h || i < n)
			continue;
		of[n] = h;
		ssid[n++] = s;
	}
	rcu_read_unlock();
	changed = n != READ_ONCE(st->nr_v1) || memcmp(ssid, st->v1_ssid, n);
	if (changed) {
		ctrace_ident_lock(&flags);
		/* A reader may make a key from a mixture of old and new: it is not remembered, see look_also(). */
		memcpy(st->v1_ssid, ssid, n);
		memcpy(st->v1_hierarchy, of, n * sizeof(*of));
		ctrace_rules.v1 = n;
		smp_store_release(&st->nr_v1, n);	/* after the table; pairs with v1_cgroup() */
		look_also();
		ctrace_identity_forget_cached();
		ctrace_ident_unlock(flags);
	}
	mutex_unlock(&refresh_mutex);
}

/* One task; RCU read side. */
static void scan_task(struct task_struct *p, bool own_ns)
{
	const struct css_set *root;
	const struct pid_namespace *ns = task_ns(p);

	if (!ns || !!ns->parent != own_ns)
		return;
	/* Keeps p's cgroup namespace alive. Before preemption is off: the lock sleeps on PREEMPT_RT. */
	task_lock(p);
	root = ctrace_compat_cgroup_ns_root(p);
	preempt_disable();
	if (root)
		learn_cgroup_ns(p, root);
	learn(p, false);
	preempt_enable();
	task_unlock(p);
}

/*
 * Lets others run between two batches. False: group or p has been released meanwhile, so the
 * walk cannot go on from it.
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

static void scan_pass(bool own_ns)
{
	struct task_struct *group, *p;
	int tries = 4, batch;

again:
	batch = 0;
	rcu_read_lock();
	ctrace_compat_for_each_process_thread(group, p) {
		scan_task(p, own_ns);
		if (++batch % 128 == 0 && !rest(group, p)) {
			rcu_read_unlock();
			/* A few tries do: hooks see new tasks, and a task missed here is seen at its first event. */
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
	/* Tasks in a pid namespace first: they tell which namespace is a boundary's own. */
	scan_pass(true);
	scan_pass(false);
}

/* --- what targets name -------------------------------------------------------- */

static bool seen_from_tasks(u32 hierarchy)
{
	const struct ctrace_ident_state *st = &ctrace_ident_state;
	u32 i;

	for (i = 0; i < st->nr_v1; i++)
		if (st->v1_hierarchy[i] == hierarchy)
			return true;
	return !hierarchy;
}

int ctrace_identity_name(const struct cgroup *cgrp, struct ctrace_named *n, char *path, size_t size)
{
	unsigned long flags;
	int err = 0;

	if (!ctrace_compat_cgroup_parent(cgrp))
		return -EINVAL;
	ctrace_identity_refresh();
	n->key = cgroup_key(cgrp);
	n->hierarchy = ctrace_identity_view.cg_hierarchy(cgrp);
	hook_enter();
	ctrace_ident_lock(&flags);	/* never fails in process context */
	if (!seen_from_tasks(n->hierarchy)) {
		err = -EOPNOTSUPP;
	} else if (!ctrace_compat_cgroup_online(cgrp)) {
		err = -ENOENT;
	} else {
		ctrace_look_path(&ctrace_rules, cgrp, path, size);
		ctrace_rules_name(&ctrace_rules, n);
		look_also();
		ctrace_learn_forget(&ctrace_rules);
	}
	ctrace_ident_unlock(flags);
	hook_leave();
	return err;
}

/*
 * All of it in one section under ident_lock, so that a place that another target still wants is wanted
 * without a gap. Before the section a place leads to the part that this session chose, too. After it the
 * place is decided anew, and gets a part for the cgroups that are still named around it.
 */
void ctrace_identity_unname(struct ctrace_named *n)
{
	unsigned long flags;

	ctrace_ident_lock(&flags);	/* never fails in process context */
	ctrace_rules_unname(&ctrace_rules, n);
	ctrace_parts_take_back(n->want | n->deny);
	look_also();
	ctrace_learn_forget(&ctrace_rules);
	ctrace_ident_unlock(flags);
	ctrace_container_kick();
}

u32 ctrace_identity_cgroup_mode(void)
{
	if (!READ_ONCE(ctrace_ident_state.nr_v1))
		return 2;
	return ctrace_compat_cgroup_dfl_used() ? 3 : 1;
}

/* --- life ------------------------------------------------------------------------ */

/* More nodes than there are containers in the pool: each container has several places. */
#define NODES	8192

int ctrace_identity_init(void)
{
	int err;

	err = ctrace_rules_init(&ctrace_rules, &ctrace_identity_view,
				ctrace_identity_forget_cached, NODES);
	if (err)
		return err;
	ctrace_container_start(&ctrace_rules);
	ctrace_identity_refresh();
	err = hook();
	if (err) {
		ctrace_container_stop();
		ctrace_identity_exit();
		return err;
	}
	ctrace_identity_scan();
	return 0;
}

void ctrace_identity_stop(void)
{
	unhook(ARRAY_SIZE(hooks));
	ctrace_container_stop();
}

static void put_ns(const void *ns)
{
	put_pid_ns((struct pid_namespace *)ns);
}

void ctrace_identity_exit(void)
{
	ctrace_compat_synchronize();
	ctrace_rules_exit(&ctrace_rules, put_ns);
}
