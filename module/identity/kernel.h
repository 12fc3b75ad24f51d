/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel, as look.c sees it, and where a task is in it. */
#ifndef CTRACE_IDENTITY_KERNEL_H
#define CTRACE_IDENTITY_KERNEL_H

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
	bool tells[CTRACE_COMPAT_NR_SUBSYS]; /* of each: see ctrace_kernel_tells(). ident_lock */
	/*
	 * v1 hierarchies that are in a place's key, too, although the task may be at no root in an earlier
	 * one
	 */
	u32 nr_also;
	u8 also_ssid[CTRACE_COMPAT_NR_SUBSYS];
	bool moves_told;	/* the kernel says when a task is moved to another cgroup */
};
extern struct ctrace_ident_state ctrace_ident_state;

extern const struct ctrace_kernel ctrace_identity_kernel;

static inline u64 ctrace_kernel_key(const struct cgroup *cgrp)
{
	return ctrace_key(ctrace_identity_kernel.cg_hierarchy(cgrp), ctrace_compat_cgroup_id(cgrp));
}

/*
 * Older kernels call a tracepoint's probes with preemption off; the newest call them
 * under SRCU alone. The code below must stay on its CPU, in an RCU read-side section.
 */
static inline void ctrace_kernel_enter(void)
{
	preempt_disable_notrace();
	rcu_read_lock();
}

static inline void ctrace_kernel_leave(void)
{
	rcu_read_unlock();
	preempt_enable_notrace();
}

/*
 * Any context, preemption off. Fills in the place of a task that has this css_set and the pid namespace ns.
 */
void ctrace_identity_place(const struct css_set *cset, const void *ns, struct ctrace_place *at);
/*
 * Any context, preemption off. A key of a place's v1 cgroups; 0: there are none, as all of them are roots.
 * All events ask for it, so it has only the cgroups of hierarchies that have shown a container so far: the
 * first, and the hierarchies of also_ssid[]. When another hierarchy shows one, it joins them, and every place
 * is decided anew.
 */
u64 ctrace_identity_v1_key(const struct css_set *cset);

/*
 * ident_lock held. look_also: lists one controller of each hierarchy that is in the key beside the first.
 * tells: the boundary that decided a place is in this v1 hierarchy, and not in the place's first one; false:
 * that is known. After the first, and after the second if it says true, the caller invalidates all aliases.
 */
void ctrace_kernel_look_also(const struct ctrace_rules *r);
bool ctrace_kernel_tells(const struct ctrace_rules *r, u32 hierarchy);

#endif /* CTRACE_IDENTITY_KERNEL_H */
