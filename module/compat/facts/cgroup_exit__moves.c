// SPDX-License-Identifier: GPL-2.0-only
/*
 * before 4.4: a task that exits is moved to the root cgroups. Later it keeps its cgroups until cgroup_free()
 * or cgroup_task_free(), which do not exist here; nor does the member cgroup.level of 4.5
 */
#include <linux/cgroup.h>
int cgroup_free, cgroup_task_free;
struct ctrace_fact {
	struct cgroup;
	int level;
} ctrace_fact;
