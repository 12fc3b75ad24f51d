// SPDX-License-Identifier: GPL-2.0-only
/*
 * What makes a container known before its first event: hooks that are on as
 * long as the module is loaded, and scans over the tasks that exist.
 *
 * A hook goes past the alias table, since the rules learn from what it sees: a
 * namespace's birth (fork), an arrival in a cgroup (attach), the end of a
 * start-up (exec).
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
#include "identity/rules_internal.h"
#include "compat/task.h"
#include "compat/tracepoint.h"

static DEFINE_MUTEX(refresh_mutex);	/* of the table of v1 hierarchies */

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

/* The roots of a cgroup namespace, one in each hierarchy; those of hierarchies left out. */
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

		if (ctrace_rules_below(&ctrace_rules, at.cg[0], key) ||
		    ctrace_rules_below(&ctrace_rules, at.cg[1], key))
			return true;
	}
	return false;
}

/*
 * Does the cgroup hold a container, and not a login session in which somebody
 * unshared the cgroup namespace? Then whoever made the container's first
 * process stands outside. That process is the init of the pid namespace, or,
 * in the initial one, p itself as it executes the container's program.
 * (Ancestors' own cgroup namespaces would tell more, but to read them takes a lock
 * that sleeps on RT.)
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
 * Older kernels call a tracepoint's probes with preemption off. The newest do so
 * under SRCU alone, and everything below wants to stay on its CPU, in RCU.
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

/* Has the container at p yet to learn from an exec which pid namespace it lives in? */
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
	/* The first of its namespace may decide what that is; others just follow. */
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
		ctrace_rules_init_execs(&ctrace_rules, &at);
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
	 * Only a program inside counts: runc executes itself once more, out of a sealed
	 * copy, in the container's cgroup but before it has made any namespace.
	 */
	if (unsettled(c) && ctrace_compat_own_mount_ns(p))
		learn(p, true);
	if (who.vtid == 1 && !READ_ONCE(c->key))
		learn_init_path(p);
	/* a thread that was not the leader has taken the leader's numbers, and its start */
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
		ctrace_container_kick();	/* a namespace ends */
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
		ctrace_rules_cgroup_gone(&ctrace_rules, cgroup_key(cgrp));
		ctrace_ident_unlock(flags);
		ctrace_container_kick();
	}
	hook_leave();
}

static const struct hook {
	const char *name;
	void *probe;
	bool optional;		/* kernels before 4.9 have none */
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
 * Lock held; ctrace_identity_forget_cached() follows. Whoever mixes the old and the new for a moment has
 * looked at the generations before: it remembers that for nobody, and ctrace_identity_decide() looks again.
 */
static void look_also(void)
{
	struct ctrace_ident_state *st = &ctrace_ident_state;
	u32 i, n = 0;

	for (i = 1; i < st->nr_v1; i++)
		if (ctrace_rules_names(&ctrace_rules, st->v1_hierarchy[i]))
			WRITE_ONCE(st->also_ssid[n++], st->v1_ssid[i]);
	smp_store_release(&st->nr_also, n);	/* after the table: ctrace_identity_v1_key() */
}

/* One controller of each v1 hierarchy, as init's css_set shows them. */
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
		/* Who mixes old and new for a moment has a key that nobody remembers. */
		memcpy(st->v1_ssid, ssid, n);
		memcpy(st->v1_hierarchy, of, n * sizeof(*of));
		ctrace_rules.v1 = n;
		smp_store_release(&st->nr_v1, n);	/* after the table: v1_cgroup() */
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
	/* The namespace is held by what it belongs to as long as the lock is. */
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
 * Rests between batches. p may have been released meanwhile, and then leads
 * nowhere: false.
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
			/* What exists now was seen, or forks and is hooked; a few tries do. */
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
	/* Those in a namespace first: they tell what a boundary's own namespace is. */
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
	ctrace_ident_lock(&flags);	/* process context: it never fails */
	if (!seen_from_tasks(n->hierarchy)) {
		err = -EOPNOTSUPP;
	} else if (!ctrace_compat_cgroup_online(cgrp)) {
		err = -ENOENT;
	} else {
		ctrace_learn_path(&ctrace_rules, cgrp, path, size);
		ctrace_rules_name(&ctrace_rules, n);
		look_also();
		ctrace_rules_forget(&ctrace_rules);
	}
	ctrace_ident_unlock(flags);
	hook_leave();
	return err;
}

/*
 * All under one Lock. Before it, places are found to be parts that the session has chosen; after it they
 * are decided anew, and those that another cgroup is around still become parts that are made for
 * them. So such a place is wanted without a gap.
 */
void ctrace_identity_unname(struct ctrace_named *n)
{
	unsigned long flags;

	ctrace_ident_lock(&flags);	/* likewise */
	ctrace_rules_unname(&ctrace_rules, n);
	ctrace_parts_take_back(n->want | n->deny);
	look_also();
	ctrace_rules_forget(&ctrace_rules);
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

/* More than the pool of containers needs: each has some places. */
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
