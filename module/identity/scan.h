/* SPDX-License-Identifier: GPL-2.0-only */
/* Looking at tasks that exist. */
#ifndef CTRACE_SCAN_H
#define CTRACE_SCAN_H

#include <linux/types.h>

struct css_set;
struct task_struct;

/* Looks which v1 hierarchies exist, and at all tasks. For session creation and dumps. Sleeps. */
void ctrace_identity_scan(void);

/* --- one task; RCU read side, preemption off ---------------------------------- */

/* Lets the rules learn where p is. exec, mnt: see struct ctrace_place */
void ctrace_scan_learn(struct task_struct *p, bool exec, const void *mnt);
/* Lets them learn from p's cgroup namespace; root: of that namespace. */
void ctrace_scan_cgroup_ns(struct task_struct *p, const struct css_set *root);
const void *ctrace_scan_task_ns(const struct task_struct *p);	/* its pid namespace; NULL: p is dead */

#endif /* CTRACE_SCAN_H */
