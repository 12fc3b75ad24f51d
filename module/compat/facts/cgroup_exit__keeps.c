// SPDX-License-Identifier: GPL-2.0-only
/* since 4.4: a task that exits keeps its cgroups until cgroup_free() */
#include <linux/cgroup.h>
void ctrace_fact(struct task_struct *p);
void ctrace_fact(struct task_struct *p) { cgroup_free(p); }
int cgroup_task_free;
