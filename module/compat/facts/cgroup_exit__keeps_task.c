// SPDX-License-Identifier: GPL-2.0-only
/* newest: the same, until cgroup_task_free() */
#include <linux/cgroup.h>
void ctrace_fact(struct task_struct *p);
void ctrace_fact(struct task_struct *p) { cgroup_task_free(p); }
int cgroup_free;
