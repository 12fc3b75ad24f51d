/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups whose quota of CPU time has run out. struct cfs_rq is private to the scheduler. */
#ifndef CTRACE_COMPAT_THROTTLE_H
#define CTRACE_COMPAT_THROTTLE_H

#include <linux/cgroup.h>
#include <linux/sched.h>
#include <linux/sched/rt.h>
#include <linux/stddef.h>
#include "compat/kprobe.h"
#include "facts.h"

#ifdef CONFIG_CFS_BANDWIDTH

#define CTRACE_COMPAT_THROTTLE_LACKS	NULL

/*
 * unthrottle_cfs_rq() may return without having done anything. It may since the release that throttles tasks
 * one by one.
 */
#ifdef CTRACE_HAVE_THROTTLED_TASKS
#define CTRACE_COMPAT_UNTHROTTLE_FAILS	true
#else
#define CTRACE_COMPAT_UNTHROTTLE_FAILS	false
#endif

#ifdef CTRACE_HAVE_CPU_SUBSYS_ID__SUBSYS
#define CTRACE_COMPAT_CPU_SUBSYS	cpu_cgroup_subsys_id
#else
#define CTRACE_COMPAT_CPU_SUBSYS	cpu_cgrp_id
#endif

/*
 * The cgroup of the CPU controller's state at css; NULL: there is none. A state knows its cgroup, and that
 * knows its states. css may be any word: all is read so that it must not be there. Any context.
 */
static inline const struct cgroup *ctrace_compat_cpu_cgroup(u64 css)
{
	unsigned long cgrp, back;

	if (ctrace_compat_read_kernel(&cgrp, css + offsetof(struct cgroup_subsys_state, cgroup), sizeof(cgrp)) ||
	    ctrace_compat_read_kernel(&back, cgrp + offsetof(struct cgroup, subsys[CTRACE_COMPAT_CPU_SUBSYS]),
				      sizeof(back)))
		return NULL;
	return cgrp && back == css ? (const struct cgroup *)cgrp : NULL;
}

/* The queue where a task, or a group, is; the group whose queue that is, in the same form, or NULL. */
static inline const void *ctrace_compat_sched_queue(const struct sched_entity *se)
{
	return se->cfs_rq;
}

static inline const struct sched_entity *ctrace_compat_sched_parent(const struct sched_entity *se)
{
	return se->parent;
}

#else

#define CTRACE_COMPAT_THROTTLE_LACKS	"this kernel is built without CONFIG_CFS_BANDWIDTH"
#define CTRACE_COMPAT_UNTHROTTLE_FAILS	false

static inline const struct cgroup *ctrace_compat_cpu_cgroup(u64 css)
{
	return NULL;
}

static inline const void *ctrace_compat_sched_queue(const struct sched_entity *se)
{
	return NULL;
}

static inline const struct sched_entity *ctrace_compat_sched_parent(const struct sched_entity *se)
{
	return NULL;
}

#endif

#endif
