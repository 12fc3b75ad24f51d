/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a session wants, decided as early as possible: a container carries a mask of the
 * sessions that want it, made at its birth and updated when targets change. A probe only ands
 * masks. A cgroup is not a container: if a target names a cgroup, each container in it has a part
 * with masks of its own (container.h).
 */
#ifndef CTRACE_TARGET_H
#define CTRACE_TARGET_H

#include <linux/list.h>
#include "session/session.h"
#include "session/tasks.h"
#include "identity/container.h"
#include "identity/rules.h"

struct cgroup;

/* of a session: each change looks at all of them, for each container */
#define CTRACE_TARGETS_MAX	1024

struct ctrace_target {
	struct list_head list;		/* session's; ctrace_lock */
	u32 id;				/* unique within the module; grows: a dump continues after it */
	u32 kind;			/* enum ctrace_target_kind */
	bool not;			/* leaves out what it names; CID and CGROUP only */
	u32 cid;			/* CID */
	u32 pid;			/* PID: thread group, initial namespace */
	u32 led;			/* PID: its number in session/tasks.c, until take_out() */
	struct cgroup *cgrp;		/* CGROUP: a reference; else NULL */
	struct ctrace_named named;	/* CGROUP: in identity's table from add_cgroup() to take_out() */
	char path[CTRACE_CONTAINER_PATH]; /* CGROUP: as dumps show it */
};

/*
 * Process context, ctrace_lock held. not: the target leaves out what it names; CID and CGROUP only.
 * ERR_PTR on error, and why gets a sentence. After a CGROUP the caller unlocks and calls
 * ctrace_identity_scan(), which makes the parts of the tasks that exist: samples come as NMIs, which
 * cannot make parts. Hooks make the parts of tasks that are born or moved later.
 */
struct ctrace_target *ctrace_target_add(struct ctrace_session *s, u32 kind, u32 arg, bool not, char *why);
struct ctrace_target *ctrace_target_find(struct ctrace_session *s, u32 id);	/* NULL: s has none */
void ctrace_target_del(struct ctrace_session *s, struct ctrace_target *t);	/* s's; frees it */
/*
 * t, of kind BORN, wants container cid no more. Nothing is left of it: t is one object for all births. 0, or
 * -errno and why gets a sentence.
 */
int ctrace_target_let_go(struct ctrace_session *s, const struct ctrace_target *t, u32 cid, char *why);
void ctrace_target_del_all(struct ctrace_session *s);

extern const struct ctrace_container_watcher ctrace_target_watcher;

/*
 * Returns the sessions in mask that want this event of task p (NULL: of no task) in container c.
 * Any context incl. NMI, preemption off.
 */
static __always_inline u32 ctrace_wanted(u32 mask, const struct ctrace_container *c,
					 const struct task_struct *p)
{
	u32 wanted = READ_ONCE(c->wanted);
	u32 pids = mask & READ_ONCE(ctrace_pid_sessions) & ~wanted;

	if (unlikely(pids) && p)
		wanted |= ctrace_tasks_mask(p) & pids & ~READ_ONCE(c->denied);
	return mask & wanted;
}

#endif
