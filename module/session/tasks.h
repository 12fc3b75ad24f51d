/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tasks that pid targets follow: a set of (task, the targets that led to it, mask of their sessions). A
 * fork adds to it. The freeing of a task's memory takes from it, so an entry never means another task at the
 * same address.
 */
#ifndef CTRACE_TASKS_H
#define CTRACE_TASKS_H

#include <linux/types.h>

#define CTRACE_PID_TARGETS	256	/* of all sessions together */

struct task_struct;

/* Process context, ctrace_lock held. */
/* Makes the table. To be called before a bit in ctrace_pid_sessions lets probes look. 0, -ENOMEM, ... */
int ctrace_tasks_start(void);
/* The number of a new pid target of that session (a mask with its bit); -ENOSPC: all are in use. */
int ctrace_tasks_target_new(u32 session);
/* Follows all threads of leader's process for that target. After ctrace_tasks_start(). 0, -ENOSPC */
int ctrace_tasks_add_group(struct task_struct *leader, u32 target);
/* Takes the target away. Until the sweep, its tasks may stay wanted and its number is not given again. */
void ctrace_tasks_target_del(u32 target);
/* For all targets that were taken away, after ctrace_compat_synchronize(). */
void ctrace_tasks_sweep(void);
void ctrace_tasks_exit(void);

/* Any context, preemption off. */
u32 ctrace_tasks_mask(const struct task_struct *p);

#endif
