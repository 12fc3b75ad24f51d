/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a session wants. Decided as early as can be: a container carries a mask
 * of the sessions that want it, made at its birth and kept up when targets change; a
 * probe only ands masks. A cgroup is no container: of what is in one that a target names, each
 * container has a part with masks of its own (container.h).
 */
#ifndef CTRACE_FILTER_H
#define CTRACE_FILTER_H

#include <linux/list.h>
#include "session/session.h"
#include "session/tasks.h"
#include "identity/container.h"
#include "identity/rules.h"

struct cgroup;

struct ctrace_target {
	struct list_head list;		/* session's; ctrace_lock */
	u32 id;				/* grows; a dump's place */
	u32 kind;			/* enum ctrace_target_kind */
	bool not;			/* takes away; CID and CGROUP only */
	u32 cid;			/* CID */
	u32 pid;			/* PID: thread group, initial namespace */
	struct cgroup *cgrp;		/* CGROUP: a reference; else NULL */
	struct ctrace_named named;	/* CGROUP: among identity's as long as cgrp is set */
	char path[CTRACE_CONTAINER_PATH]; /* CGROUP: for who asks */
};

/*
 * Process context, ctrace_lock held. not: takes away what it names, CID and CGROUP only.
 * why gets a sentence on error.
 */
int ctrace_target_add(struct ctrace_session *s, u32 kind, u32 arg, bool not, char *why);
int ctrace_target_del(struct ctrace_session *s, u32 kind, u32 arg, bool not, char *why);
void ctrace_target_del_all(struct ctrace_session *s);

extern const struct ctrace_container_watcher ctrace_target_watcher;

/*
 * Which of the sessions in mask want this event of task p (NULL: no task's) in container c.
 * Any context incl. NMI, preemption off. Returns a subset of mask.
 */
static __always_inline u32 ctrace_filter(u32 mask, const struct ctrace_container *c,
					 const struct task_struct *p)
{
	u32 wanted = READ_ONCE(c->wanted);
	u32 pids = mask & READ_ONCE(ctrace_pid_sessions) & ~wanted;

	if (unlikely(pids) && p)
		wanted |= ctrace_tasks_mask(p) & pids & ~READ_ONCE(c->denied);
	return mask & wanted;
}

#endif
