/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks that pid targets follow: a set of (task, mask of sessions), grown at
 * fork, shrunk when a task's memory is freed, so that a pointer in it is never another
 * task's.
 */
#ifndef CTRACE_TASKS_H
#define CTRACE_TASKS_H

#include <linux/types.h>

struct task_struct;

/* Process context, ctrace_lock held. */
int ctrace_tasks_start(void);	/* before anybody asks for a task, so before a bit is in ctrace_pid_sessions; 0, -ENOMEM, ... */
int ctrace_tasks_add_group(struct task_struct *leader, u32 bit);	/* all threads, started; 0, -ENOSPC */
void ctrace_tasks_del_session(u32 bit);
void ctrace_tasks_exit(void);

/* Any context, preemption off. */
u32 ctrace_tasks_mask(const struct task_struct *p);

#endif
