/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel, as look.c sees it, and where a task is in it. */
#ifndef CTRACE_VIEW_H
#define CTRACE_VIEW_H

#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include "identity/look.h"
#include "compat/cgroup.h"

struct ctrace_ident_state {
	u32 cache_gen;		/* generation of what is cached about places; never 0 */
	u32 nr_v1;		/* v1 hierarchies in use */
	u8 v1_ssid[CTRACE_COMPAT_NR_SUBSYS]; /* one controller of each */
	u32 v1_hierarchy[CTRACE_COMPAT_NR_SUBSYS]; /* the number of each. ident_lock */
	/* v1 hierarchies where a target names a cgroup, except the first one: that is looked at anyway */
	u32 nr_also;
	u8 also_ssid[CTRACE_COMPAT_NR_SUBSYS];
	bool moves_told;	/* the kernel says when a task is moved to another cgroup */
};
extern struct ctrace_ident_state ctrace_ident_state;

extern const struct ctrace_view ctrace_identity_view;

static inline u64 ctrace_view_key(const struct cgroup *cgrp)
{
	return ctrace_key(ctrace_identity_view.cg_hierarchy(cgrp), ctrace_compat_cgroup_id(cgrp));
}

/*
 * Older kernels call a tracepoint's probes with preemption off; the newest call them
 * under SRCU alone. The code below must stay on its CPU, in an RCU read-side section.
 */
static inline void ctrace_view_enter(void)
{
	preempt_disable_notrace();
	rcu_read_lock();
}

static inline void ctrace_view_leave(void)
{
	rcu_read_unlock();
	preempt_enable_notrace();
}

/* Any context, preemption off. Fills in the place of a task that has this css_set and the pid namespace ns. */
void ctrace_identity_place(const struct css_set *cset, const void *ns, struct ctrace_place *at);
/*
 * Any context, preemption off. A key of those v1 cgroups that ctrace_identity_place() finds; 0: there are none,
 * as all of them are roots.
 */
u64 ctrace_identity_v1_key(const struct css_set *cset);

#endif /* CTRACE_VIEW_H */
