// SPDX-License-Identifier: GPL-2.0-only
/* Which cgroup hierarchies are looked at: the v1 ones that exist, and the ones in a place's key. */
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include "identity/hierarchy.h"
#include "identity/identity_internal.h"
#include "identity/learn.h"
#include "identity/parts.h"
#include "identity/rules.h"
#include "identity/kernel.h"
#include "compat/cgroup_event.h"

static DEFINE_MUTEX(refresh_mutex);	/* protects the table of v1 hierarchies */

/*
 * Has the hierarchy shown a container, or may it? It may if it was mounted after the module was loaded: tasks
 * may have been moved in it before we looked at it. ident_lock held.
 */
static bool tells(u32 hierarchy, bool came_later)
{
	const struct ctrace_ident_state *st = &ctrace_ident_state;
	u32 i;

	for (i = 0; i < st->nr_v1; i++)
		if (st->v1_hierarchy[i] == hierarchy)
			return st->tells[i];
	return came_later;
}

/* Lists one controller of each v1 hierarchy, as init's css_set shows them. */
void ctrace_identity_refresh(void)
{
	struct ctrace_ident_state *st = &ctrace_ident_state;
	u8 ssid[CTRACE_COMPAT_NR_SUBSYS];
	bool tell[CTRACE_COMPAT_NR_SUBSYS];
	u32 of[CTRACE_COMPAT_NR_SUBSYS], h;
	const struct css_set *cset;
	static bool again;		/* refresh_mutex */
	struct cgroup *cg;
	unsigned long flags;
	u32 n = 0, i, s;
	bool changed;

	mutex_lock(&refresh_mutex);
	rcu_read_lock();
	cset = ctrace_compat_task_cset(&init_task);
	for (s = 0; s < CTRACE_COMPAT_NR_SUBSYS; s++) {
		cg = ctrace_compat_cset_subsys(cset, s);
		h = cg ? ctrace_identity_kernel.cg_hierarchy(cg) : 0;
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
		for (i = 0; i < n; i++)
			tell[i] = tells(of[i], again);
		/*
		 * A reader may make a key from a mixture of old and new, which is not remembered:
		 * ctrace_kernel_look_also()
		 */
		memcpy(st->v1_ssid, ssid, n);
		memcpy(st->v1_hierarchy, of, n * sizeof(*of));
		memcpy(st->tells, tell, n);
		ctrace_rules.v1 = n;
		smp_store_release(&st->nr_v1, n);	/* after the table; pairs with v1_cgroup() */
		ctrace_kernel_look_also(&ctrace_rules);
		ctrace_identity_forget_cached();
		ctrace_ident_changed();
		ctrace_ident_unlock(flags);
	}
	again = true;
	mutex_unlock(&refresh_mutex);
}

static void set_moves_told(bool told)
{
	unsigned long flags;

	if (ctrace_ident_state.moves_told == told)
		return;
	ctrace_ident_lock(&flags);	/* never fails in process context */
	WRITE_ONCE(ctrace_ident_state.moves_told, told);
	ctrace_kernel_look_also(&ctrace_rules);
	ctrace_learn_forget(&ctrace_rules);
	ctrace_ident_unlock(flags);
}

static bool moves_hooked;	/* set once, by ctrace_hooks_start() */

void ctrace_identity_moves_beat(void)
{
	if (READ_ONCE(moves_hooked))
		set_moves_told(!ctrace_compat_cgroup_events_blind());
}

void ctrace_identity_moves_told(void)
{
	set_moves_told(!ctrace_compat_cgroup_events_blind());
	WRITE_ONCE(moves_hooked, true);
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
	if (ctrace_compat_cgroup_ancestor(cgrp, CTRACE_CGROUP_DEPTH) != cgrp)
		return -ENAMETOOLONG;
	ctrace_identity_refresh();
	n->key = ctrace_kernel_key(cgrp);
	n->hierarchy = ctrace_identity_kernel.cg_hierarchy(cgrp);
	ctrace_kernel_enter();
	ctrace_ident_lock(&flags);	/* never fails in process context */
	if (!seen_from_tasks(n->hierarchy)) {
		err = -EOPNOTSUPP;
	} else if (!ctrace_compat_cgroup_online(cgrp)) {
		err = -ENOENT;
	} else {
		ctrace_look_path(&ctrace_rules, cgrp, path, size);
		ctrace_rules_name(&ctrace_rules, n);
		ctrace_kernel_look_also(&ctrace_rules);
		ctrace_learn_forget(&ctrace_rules);
	}
	ctrace_ident_unlock(flags);
	ctrace_kernel_leave();
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
	ctrace_kernel_look_also(&ctrace_rules);
	ctrace_learn_forget(&ctrace_rules);
	ctrace_ident_unlock(flags);
	ctrace_container_kick();
}

u32 ctrace_identity_cgroup_mode(void)
{
	if (!READ_ONCE(ctrace_ident_state.nr_v1))
		return CTRACE_CGROUP_V2;
	return ctrace_compat_cgroup_dfl_used() ? CTRACE_CGROUP_HYBRID : CTRACE_CGROUP_V1;
}
