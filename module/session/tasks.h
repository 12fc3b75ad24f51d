/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tasks that pid targets follow: a set of (task, mask of sessions). A fork adds to it. The freeing
 * of a task's memory takes from it, so an entry never means another task at the same address.
 */
#ifndef CTRACE_TASKS_H
#define CTRACE_TASKS_H

#include <linux/types.h>

struct task_struct;

/* Process context, ctrace_lock held. */
/* Makes the table. To be called before a bit in ctrace_pid_sessions lets probes look. 0, -ENOMEM, ... */
int ctrace_tasks_start(void);
/* Follows all threads of leader's process. After ctrace_tasks_start(). 0, -ENOSPC */
int ctrace_tasks_add_group(struct task_struct *leader, u32 bit);
void ctrace_tasks_del_session(u32 bit);
void ctrace_tasks_exit(void);

/* Any context, preemption off. */
u32 ctrace_tasks_mask(const struct task_struct *p);

#endif
