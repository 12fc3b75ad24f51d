// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cgroup tracepoints for kernels that have none (before 4.9): kprobes on the functions behind
 * them, which call the same probes with the same arguments. No compiler can check the arguments of these
 * functions. The ones used here stayed the same from 3.10 to 4.8, except the functions on directories, which
 * differ with and without kernfs.
 *
 *	tracepoint		is reported when
 *
 *	cgroup_attach_task	cgroup_attach_task(cgrp, task, ...) has returned 0: one call per process
 *	cgroup_transfer_tasks	cgroup_transfer_tasks(to, from) has returned; names no task, so the
 *				caller is reported
 *	cgroup_mkdir		cgroup_mkdir() has returned 0: reports the directory's new child of that name
 *	cgroup_rmdir		kernfs_remove() is called on a cgroup's directory: the cgroup is offline by
 *				then. Without kernfs: cgroup_rmdir() has returned 0
 */
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "compat/cgroup_event.h"
#include "compat/cgroup.h"
#include "compat/tracepoint.h"

#ifdef CTRACE_HAVE_CGROUP_RMDIR__NONE

/* Changed under ctrace_lock or at module init and exit; read with preemption off. */
#define LISTENERS	4
struct listener {
	void *probe;		/* NULL: a free place. Written last, cleared first */
	void *data;
};

/* A function's arguments, kept until it returns. */
struct call {
	unsigned long arg[2];
};

struct event {
	const char *name;	/* the tracepoint's */
	struct kretprobe ret;	/* either this one has a symbol and a handler, */
	struct kprobe entry;	/* or this one */
	u32 users;
	struct listener listeners[LISTENERS];
};

static unsigned long arg(const struct pt_regs *regs, unsigned int n)
{
#if defined(CONFIG_X86_64)
	return n ? regs->si : regs->di;
#elif defined(CONFIG_ARM64)
	return regs->regs[n];
#else
	return 0;
#endif
}

static int keep_args(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *c = (void *)ri->data;

	c->arg[0] = arg(regs, 0);
	c->arg[1] = arg(regs, 1);
	return 0;
}

/* --- notifying -------------------------------------------------------------------- */

typedef void (*cgroup_fn)(void *data, struct cgroup *cgrp, const char *path);
typedef void (*attach_fn)(void *data, struct cgroup *dst, const char *path, struct task_struct *p,
			  bool group);

#define tell(e, fn_type, ...)							\
do {										\
	struct listener *l_;							\
										\
	ctrace_compat_rcu_begin();						\
	for (l_ = (e)->listeners; l_ < (e)->listeners + LISTENERS; l_++) {	\
		/* partner: ctrace_compat_cgroup_event_add() */			\
		fn_type fn_ = smp_load_acquire(&l_->probe);			\
										\
		if (fn_)							\
			fn_(l_->data, __VA_ARGS__);				\
	}									\
	ctrace_compat_rcu_end();						\
} while (0)

static struct event *event_of(struct kretprobe_instance *ri)
{
	return container_of(ri->rp, struct event, ret);
}

static int attached(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct call *c = (const void *)ri->data;

	if (!regs_return_value(regs))
		tell(event_of(ri), attach_fn, (struct cgroup *)c->arg[0], NULL,
		     (struct task_struct *)c->arg[1], false);
	return 0;
}

static int transferred(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct call *c = (const void *)ri->data;

	tell(event_of(ri), attach_fn, (struct cgroup *)c->arg[0], NULL, current, false);
	return 0;
}

#ifdef CTRACE_HAVE_CGROUP_ID__INODE

/* Arguments: (inode of the directory, dentry, ...). The caller holds the dentry, which holds the cgroup. */
static int made_or_removed(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct call *c = (const void *)ri->data;
	const struct dentry *dentry = (const void *)c->arg[1];

	if (!regs_return_value(regs) && dentry->d_fsdata)
		tell(event_of(ri), cgroup_fn, dentry->d_fsdata, NULL);
	return 0;
}

#else

/* The cgroup behind kn, or NULL if kn is a directory of another kernfs file system, such as sysfs. */
static struct cgroup *cgroup_of(struct kernfs_node *kn)
{
	const struct kernfs_root *root;

	if (!kn || kernfs_type(kn) != KERNFS_DIR)
		return NULL;
	root = kn->parent ? kn->parent->dir.root : kn->dir.root;
	return root->syscall_ops == cgrp_dfl_root.kf_root->syscall_ops ? kn->priv : NULL;
}

/*
 * Arguments: (node of the parent, name, ...). The caller holds the parent and keeps others from
 * making or removing anything in it. The newest child of that name is the last in the list.
 */
static int made(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct call *c = (const void *)ri->data;
	struct cgroup *up = cgroup_of((struct kernfs_node *)c->arg[0]), *cgrp, *found = NULL;
	struct cgroup_subsys_state *css;
	char copy[CTRACE_COMPAT_CGROUP_NAME];

	if (regs_return_value(regs) || !up)
		return 0;
	rcu_read_lock();
	list_for_each_entry_rcu(css, &up->self.children, sibling) {
		cgrp = container_of(css, struct cgroup, self);
		if (ctrace_compat_cgroup_online(cgrp) &&
		    !strcmp(ctrace_compat_cgroup_name(cgrp, copy), (const char *)c->arg[1]))
			found = cgrp;
	}
	if (found)
		tell(event_of(ri), cgroup_fn, found, NULL);
	rcu_read_unlock();
	return 0;
}

static int removed(struct kprobe *kp, struct pt_regs *regs)
{
	struct cgroup *cgrp = cgroup_of((struct kernfs_node *)arg(regs, 0));

	if (cgrp && ctrace_compat_cgroup_parent(cgrp))
		tell(container_of(kp, struct event, entry), cgroup_fn, cgrp, NULL);
	return 0;
}

#endif

/* --- listeners ------------------------------------------------------------------------ */

/*
 * How many calls of each function may be under way, at 64 bytes each. The kernel's default is about as
 * many as there are CPUs. It would miss further calls while all of those wait for a lock inside the
 * function, which happens in cgroup_mkdir() and cgroup_rmdir().
 */
#define CALLS	512

#define ON_RETURN(function, fn)							\
	.ret = { .kp.symbol_name = function, .entry_handler = keep_args, .handler = fn,	\
		 .data_size = sizeof(struct call), .maxactive = CALLS }

static struct event events[] = {
	{ .name = "cgroup_attach_task", ON_RETURN("cgroup_attach_task", attached) },
	{ .name = "cgroup_transfer_tasks", ON_RETURN("cgroup_transfer_tasks", transferred) },
#ifdef CTRACE_HAVE_CGROUP_ID__INODE
	{ .name = "cgroup_mkdir", ON_RETURN("cgroup_mkdir", made_or_removed) },
	{ .name = "cgroup_rmdir", ON_RETURN("cgroup_rmdir", made_or_removed) },
#else
	{ .name = "cgroup_mkdir", ON_RETURN("cgroup_mkdir", made) },
	{ .name = "cgroup_rmdir", .entry = { .symbol_name = "kernfs_remove", .pre_handler = removed } },
#endif
};

static struct event *find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		if (!strcmp(events[i].name, name))
			return &events[i];
	return NULL;
}

static int attach(struct event *e)
{
	int err;

	if (e->ret.handler) {
		err = register_kretprobe(&e->ret);
		e->ret.kp.addr = err ? NULL : e->ret.kp.addr;
	} else {
		err = register_kprobe(&e->entry);
		e->entry.addr = err ? NULL : e->entry.addr;
	}
	return err;
}

/* Waits until no handler runs. addr and flags are reset, as the kernel refuses a used structure. */
static void detach(struct event *e)
{
	if (e->ret.handler) {
		unregister_kretprobe(&e->ret);
		e->ret.kp.addr = NULL;
		e->ret.kp.flags = 0;
	} else {
		unregister_kprobe(&e->entry);
		e->entry.addr = NULL;
		e->entry.flags = 0;
	}
}

int ctrace_compat_cgroup_event_add(const char *name, void *probe, void *data)
{
	struct event *e = find(name);
	unsigned int i;
	int err;

	if (!e)
		return -ENOENT;
	for (i = 0; i < LISTENERS && e->listeners[i].probe; i++)
		;
	if (i == LISTENERS)
		return -EBUSY;
	err = e->users ? 0 : attach(e);
	if (err)
		return err;
	e->users++;
	e->listeners[i].data = data;
	smp_store_release(&e->listeners[i].probe, probe);	/* partner: tell() */
	return 0;
}

int ctrace_compat_cgroup_event_del(const char *name, void *probe, void *data)
{
	struct event *e = find(name);
	unsigned int i;

	for (i = 0; e && i < LISTENERS; i++)
		if (e->listeners[i].probe == probe && e->listeners[i].data == data) {
			WRITE_ONCE(e->listeners[i].probe, NULL);
			if (!--e->users)
				detach(e);
			/* tell() may have read the old probe: wait before its place gets another's data */
			ctrace_compat_tracepoint_sync();
			return 0;
		}
	return -ENOENT;
}

void ctrace_compat_cgroup_event_check(void)
{
	static int told;
	unsigned int i;
	int missed = 0;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		missed += READ_ONCE(events[i].ret.nmissed);
	if (missed > told)
		pr_warn("ctrace: missed %d cgroup changes, as %d were under way at once: ended containers may stay listed\n",
			missed - told, CALLS);
	told = missed;
}

bool ctrace_compat_cgroup_event_exists(const char *name)
{
	const struct event *e = find(name);

	return e && (e->users || kallsyms_lookup_name(e->ret.handler ? e->ret.kp.symbol_name :
						      e->entry.symbol_name));
}

#endif
