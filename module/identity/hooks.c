// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks, which make a container known before its first event, as long as the module is loaded.
 *
 * The rules learn from the birth of a namespace (fork), from an arrival in a cgroup (attach)
 * and from the end of a start-up (exec). There the hooks ask the rules, not the alias table.
 */
#include <linux/binfmts.h>
#include <linux/kernel.h>
#include <linux/pid_namespace.h>
#include "identity/hierarchy.h"
#include "identity/hooks.h"
#include "identity/identity_internal.h"
#include "identity/learn.h"
#include "identity/netns.h"
#include "identity/scan.h"
#include "identity/kernel.h"
#include "compat/task.h"
#include "compat/tracepoint.h"

static void hook_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	const struct pid *pid;
	struct ctrace_who who;

	ctrace_kernel_enter();
	pid = ctrace_compat_task_pid(child);
	/*
	 * A namespace's first task may decide which container the namespace is; the others follow it. And a
	 * runtime may make a task in a cgroup at once (CLONE_INTO_CGROUP).
	 */
	if ((pid && pid->level && pid->numbers[pid->level].nr == 1) ||
	    ctrace_compat_task_cset(child) != ctrace_compat_task_cset(parent))
		ctrace_scan_learn(child, false, ctrace_compat_mount_ns(parent));	/* current's */
	else
		ctrace_identity_resolve_task(child, &who);
	ctrace_kernel_leave();
}

static void learn_init_path(struct task_struct *p)
{
	const void *ns = ctrace_scan_task_ns(p);
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

/*
 * The mounts of the runtime that made c, in which current executes a program. As long as no task is known to
 * have put another into c, the mounts of current's parent count: the kernel moves a task into its cgroup
 * first and reports that a moment later, and runc executes itself again just in between, as the runtime's
 * child. The same holds where the kernel does not report moves (before 4.9). If the parent's are not known
 * either: the machine's first ones, as in rules.c.
 */
static const void *runtime_mounts(const struct ctrace_container *c)
{
	const void *mnt = READ_ONCE(c->runtime_mnt);

	if (mnt != CTRACE_MNT_UNKNOWN)
		return mnt;
	return ctrace_compat_try_mount_ns(rcu_dereference(current->real_parent), &mnt) ? mnt : NULL;
}

static void hook_exec(void *data, struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm)
{
	const struct ctrace_container *c;
	const struct css_set *root;
	struct ctrace_who who;

	ctrace_kernel_enter();
	root = ctrace_compat_cgroup_ns_root(p);		/* p is current */
	if (root)
		ctrace_scan_cgroup_ns(p, root);
	ctrace_identity_resolve_task(p, &who);
	c = ctrace_container_base(who.container);
	/*
	 * Only a program with mounts other than the runtime's counts: runc executes itself once more, out of
	 * a sealed copy, in the container's cgroup but before it has made any namespace.
	 */
	if (ctrace_look_unsettled(c) && ctrace_compat_mount_ns(p) != runtime_mounts(c))
		ctrace_scan_learn(p, true, ctrace_compat_mount_ns(p));
	if (who.vtid == 1 && !READ_ONCE(c->key))
		learn_init_path(p);
	ctrace_netns_learn(p, &who);
	/*
	 * If p was not its group's leader, it has taken over the leader's numbers. CPUs may have cached p
	 * with its own. But with the numbers it took over the leader's start time (de_thread()), which is
	 * earlier than its own: so what they cached is not found, and nothing needs to be forgotten.
	 */
	ctrace_kernel_leave();
}

static void CTRACE_PROBE_SCHED_PROCESS_EXIT(hook_exit)
{
	const struct pid *pid;
	struct ctrace_who who;
	unsigned long flags;

	ctrace_kernel_enter();
	pid = ctrace_compat_task_pid(p);
	ctrace_identity_resolve_task(p, &who);
	ctrace_identity_note_exit(p, &who);
	if (pid && pid->level && pid->numbers[pid->level].nr == 1 && ctrace_ident_lock(&flags)) {
		/* a pid namespace ends */
		ctrace_learn_init_exits(&ctrace_rules, pid->numbers[pid->level].ns);
		ctrace_ident_unlock(flags);
		ctrace_container_kick();
	}
	ctrace_kernel_leave();
}

/*
 * p is put into a cgroup by its runtime, or by systemd for its runtime. The runtime is p's parent, or at
 * least has the same mounts.
 */
static void CTRACE_PROBE_CGROUP_ATTACH_TASK(hook_attach)
{
	const void *mnt;

	ctrace_kernel_enter();
	/* a task that has been released keeps the address of its parent, which may be freed */
	if (!ctrace_compat_task_pid(p) || !ctrace_compat_try_mount_ns(rcu_dereference(p->real_parent), &mnt))
		mnt = ctrace_compat_mount_ns(current);
	ctrace_scan_learn(p, false, mnt);
	ctrace_identity_forget_tasks();
	ctrace_kernel_leave();
}

static void CTRACE_PROBE_CGROUP_EVENT(hook_rmdir)
{
	unsigned long flags;

	ctrace_kernel_enter();
	if (ctrace_ident_lock(&flags)) {
		ctrace_learn_cgroup_gone(&ctrace_rules, ctrace_kernel_key(cgrp));
		ctrace_ident_unlock(flags);
		ctrace_container_kick();
	}
	ctrace_kernel_leave();
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

int ctrace_hooks_start(void)
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
			ctrace_identity_moves_told();
	}
	return 0;
}

void ctrace_hooks_stop(void)
{
	unhook(ARRAY_SIZE(hooks));
}
