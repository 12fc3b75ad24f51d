/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_MAP_H
#define CTRACE_MAP_H

struct task_struct;

/* At sched_process_fork: the child has the parent's mappings, or shares them. Preemption off. */
void ctrace_map_fork(struct task_struct *parent, struct task_struct *child);

#endif
