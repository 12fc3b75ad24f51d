// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "session/target.h"
#include "event/event.h"
#include "identity/hierarchy.h"
#include "identity/identity.h"
#include "identity/parts.h"
#include "compat/cgroup_fd.h"
#include "compat/rcu.h"
#include "compat/vmalloc.h"

/* masks of sessions; written under ctrace_lock */
static u32 all_sessions, birth_sessions;
static u32 next_target_id;		/* protected by ctrace_lock */

static u32 mask_of(u32 was, u32 bit, bool on)
{
	return on ? was | bit : was & ~bit;
}

static void mask_change(u32 *mask, u32 bit, bool on)
{
	WRITE_ONCE(*mask, mask_of(*mask, bit, on));
}

/*
 * A container inside a wanted one is wanted, and inside a denied one denied. The host does
 * not count: every container is inside it.
 */
static void born(struct ctrace_container *c, const struct ctrace_container *parent)
{
	u32 wanted = READ_ONCE(all_sessions), denied = 0;

	c->born = READ_ONCE(birth_sessions);
	wanted |= c->born;
	if (parent && parent->cid != CTRACE_CID_HOST) {
		wanted |= parent->wanted;
		denied = parent->denied;
	}
	WRITE_ONCE(c->denied, denied);
	WRITE_ONCE(c->wanted, wanted & ~denied);
}

const struct ctrace_container_watcher ctrace_target_watcher = { .born = born };

static bool target_matches(const struct ctrace_target *t, const struct ctrace_container *c)
{
	switch (t->kind) {
	case CTRACE_TARGET_ALL:
		return true;
	case CTRACE_TARGET_CID:
		return c->cid == t->cid;
	}
	return false;
}

/*
 * Updates the masks of one container and of its parts. let_go: s no longer wants it for its birth alone.
 * Takes ident_lock, because probes change these masks and its parent's, too (ctrace_container_inherit()).
 */
static void update_one(struct ctrace_session *s, struct ctrace_container *c, u32 bit, bool let_go)
{
	struct ctrace_container *parent;
	bool want = false, deny = false;
	struct ctrace_target *t;
	unsigned long flags;

	/* ctrace_lock keeps the list: interrupts are not off for its length */
	list_for_each_entry(t, &s->targets, list)
		if (target_matches(t, c))
			*(t->not ? &deny : &want) = true;
	ctrace_ident_lock(&flags);
	if (let_go)
		c->born &= ~bit;
	want |= c->born & bit;
	parent = c->parent == CTRACE_CID_HOST ? NULL : ctrace_container_find_get(c->parent);
	if (parent) {
		want |= parent->wanted & bit;
		deny |= parent->denied & bit;
		ctrace_container_put(parent);
	}
	/*
	 * In this order: once c is not wanted, ctrace_wanted() looks at denied for a task followed by its
	 * pid.
	 */
	WRITE_ONCE(c->denied, mask_of(c->denied, bit, deny));
	WRITE_ONCE(c->wanted, mask_of(c->wanted, bit, want && !deny));
	ctrace_parts_unchoose(c, bit);
	ctrace_ident_unlock(flags);
}

/*
 * Brings every container's masks up to date with the targets of s. Containers come in the
 * order of their cids, so a parent comes before its children. The caller has already given identity the
 * cgroups that s names, and those it no longer names.
 */
static void update(struct ctrace_session *s)
{
	u32 bit = 1u << s->index;
	struct ctrace_container *c = NULL;
	struct ctrace_target *t;
	bool all = false, pids = false, some = false, births = false;
	unsigned long flags;
	u32 n = 0;

	list_for_each_entry(t, &s->targets, list) {
		all |= t->kind == CTRACE_TARGET_ALL;
		pids |= t->kind == CTRACE_TARGET_PID;
		some |= t->kind == CTRACE_TARGET_CID;
		births |= t->kind == CTRACE_TARGET_BORN;
	}
	mask_change(&all_sessions, bit, all);
	mask_change(&birth_sessions, bit, births);
	mask_change(&ctrace_pid_sessions, bit, pids);
	mask_change(&ctrace_container_unknown.wanted, bit, all);
	/*
	 * A container that is being born may have taken its masks from the old state, and may not be in the
	 * table yet. Births run with preemption off, so after a grace period it is. By then probes are also
	 * done with parts that they found before those began to end.
	 */
	ctrace_compat_synchronize();
	while ((c = ctrace_container_next(c))) {
		update_one(s, c, bit, !births);
		if (++n % 256 == 0)
			cond_resched();
	}
	/* Its own mask has changed above; now its parts' masks do. */
	ctrace_ident_lock(&flags);
	ctrace_parts_unchoose(&ctrace_container_unknown, bit);
	ctrace_ident_unlock(flags);
	/*
	 * A container that moved into a target has another parent: it inherits when its place is looked up
	 * next.
	 */
	if (some)
		ctrace_identity_relearn();
	ctrace_container_rewanted();	/* last: it waits until no task is spared that is wanted now */
	ctrace_tasks_sweep();
}

/* --- one kind each ----------------------------------------------------------- */

static int add_cid(struct ctrace_target *t, u32 cid, char *why)
{
	if (!ctrace_container_exists(cid))
		return ctrace_why(why, -ENOENT, "CTRACE_A_TARGET_CID: no container %u", cid);
	t->cid = cid;
	return 0;
}

static int add_cgroup(struct ctrace_target *t, struct ctrace_session *s, int fd, char *why)
{
	u32 bit = 1u << s->index;
	int err;

	t->cgrp = ctrace_compat_cgroup_from_fd(fd);
	if (IS_ERR(t->cgrp)) {
		err = PTR_ERR(t->cgrp);
		t->cgrp = NULL;
		return ctrace_why(why, err,
				  "CTRACE_A_TARGET_CGROUP: descriptor %d is not a cgroup's directory",
				  fd);
	}
	*(t->not ? &t->named.deny : &t->named.want) = bit;
	err = ctrace_identity_name(t->cgrp, &t->named, t->path, sizeof(t->path));
	if (!err)
		return 0;
	cgroup_put(t->cgrp);
	t->cgrp = NULL;
	return ctrace_why(why, err,
			  err == -EINVAL ?
			  "CTRACE_A_TARGET_CGROUP: the root cgroup holds everything: use the target 'all'" :
			  err == -EOPNOTSUPP ?
			  "CTRACE_A_TARGET_CGROUP: the cgroup's hierarchy has no controller: name it in a hierarchy with one" :
			  err == -ENAMETOOLONG ?
			  "CTRACE_A_TARGET_CGROUP: the cgroup is deeper than 64 levels: name one above it" :
			  "CTRACE_A_TARGET_CGROUP: error %d", err);
}

static int add_pid(struct ctrace_target *t, struct ctrace_session *s, u32 nr, char *why)
{
	u32 bit = 1u << s->index;
	struct task_struct *p;
	int err, n;

	rcu_read_lock();
	p = ctrace_compat_pid_leader(find_vpid(nr));
	if (p)
		get_task_struct(p);
	rcu_read_unlock();
	if (!p)
		return ctrace_why(why, -ESRCH, "CTRACE_A_TARGET_PID: no process %u", nr);
	t->pid = task_tgid_nr(p);
	err = ctrace_tasks_start();
	if (err) {
		ctrace_why(why, err, "CTRACE_A_TARGET_PID: error %d", err);
		goto put_task;
	}
	n = ctrace_tasks_target_new(bit);
	if (n < 0) {
		err = ctrace_why(why, n, "CTRACE_A_TARGET_PID: all %u pid targets are in use", CTRACE_PID_TARGETS);
		goto put_task;
	}
	t->led = n;
	/* The mask first: from then on the fork hook follows the children of tasks in the set. */
	mask_change(&ctrace_pid_sessions, bit, true);
	err = ctrace_tasks_add_group(p, n);
	if (err) {
		ctrace_tasks_target_del(n);
		ctrace_why(why, err, "CTRACE_A_TARGET_PID: too many tasks are followed already");
	}
put_task:
	put_task_struct(p);
	return err;
}

/* Before update(), which waits for probes that still look at t, and for forks that still hand it on. */
static void take_out(struct ctrace_session *s, struct ctrace_target *t)
{
	list_del(&t->list);
	s->ntargets--;
	if (t->cgrp)
		ctrace_identity_unname(&t->named);
	if (t->kind == CTRACE_TARGET_PID)
		ctrace_tasks_target_del(t->led);
}

/* After update(). */
static void free_target(struct ctrace_target *t)
{
	if (t->cgrp)
		cgroup_put(t->cgrp);
	kfree(t);
}

struct ctrace_target *ctrace_target_add(struct ctrace_session *s, u32 kind, u32 arg, bool not, char *why)
{
	struct ctrace_target *t;
	int err = 0;

	lockdep_assert_held(&ctrace_lock);
	if (not && kind != CTRACE_TARGET_CID && kind != CTRACE_TARGET_CGROUP) {
		return ERR_PTR(ctrace_why(why, -EINVAL,
			"CTRACE_A_TARGET_NOT: only containers and cgroups can be left out, not kind %u", kind));
	}
	if (s->ntargets == CTRACE_TARGETS_MAX)
		return ERR_PTR(ctrace_why(why, -ENOSPC,
			"session %u has %u targets, as many as it may have: name a cgroup that holds several, or delete some",
			s->id, s->ntargets));
	t = kzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);
	if (!t)
		return ERR_PTR(-ENOMEM);
	t->kind = kind;
	t->not = not;
	t->id = ++next_target_id;
	switch (kind) {
	case CTRACE_TARGET_CID:
		err = add_cid(t, arg, why);
		break;
	case CTRACE_TARGET_CGROUP:
		err = add_cgroup(t, s, arg, why);
		break;
	case CTRACE_TARGET_PID:
		err = add_pid(t, s, arg, why);
		break;
	}
	if (!err) {
		list_add_tail(&t->list, &s->targets);
		s->ntargets++;
	} else {
		kfree(t);	/* it holds no reference yet */
	}
	update(s);
	return err ? ERR_PTR(err) : t;
}

struct ctrace_target *ctrace_target_find(struct ctrace_session *s, u32 id)
{
	struct ctrace_target *t;

	lockdep_assert_held(&ctrace_lock);
	list_for_each_entry(t, &s->targets, list)
		if (t->id == id)
			return t;
	return NULL;
}

void ctrace_target_del(struct ctrace_session *s, struct ctrace_target *t)
{
	lockdep_assert_held(&ctrace_lock);
	take_out(s, t);
	update(s);
	free_target(t);
}

int ctrace_target_let_go(struct ctrace_session *s, const struct ctrace_target *t, u32 cid, char *why)
{
	struct ctrace_container *c;

	lockdep_assert_held(&ctrace_lock);
	if (t->kind != CTRACE_TARGET_BORN)
		return ctrace_why(why, -EINVAL,
				  "CTRACE_A_TARGET_CID: target %u is not of kind BORN: delete it without a container",
				  t->id);
	c = ctrace_container_find_get(cid);
	if (!c)
		return ctrace_why(why, -ENOENT, "CTRACE_A_TARGET_CID: no container %u", cid);
	/*
	 * Only this one, whatever lies in it, so that the work does not grow with their number. No grace
	 * period either: born() has run for c, as it is called in the same section of ident_lock that puts c
	 * into the table.
	 */
	update_one(s, c, 1u << s->index, true);
	ctrace_container_put(c);
	ctrace_identity_forget_tasks();
	return 0;
}

void ctrace_target_del_all(struct ctrace_session *s)
{
	struct ctrace_target *t, *n;
	LIST_HEAD(gone);

	lockdep_assert_held(&ctrace_lock);
	list_for_each_entry_safe(t, n, &s->targets, list) {
		take_out(s, t);
		list_add(&t->list, &gone);
	}
	update(s);
	list_for_each_entry_safe(t, n, &gone, list)
		free_target(t);
}
