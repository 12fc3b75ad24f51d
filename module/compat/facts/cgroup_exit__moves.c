// SPDX-License-Identifier: GPL-2.0-only
/*
 * before 4.4: a task that exits is put into the roots. Since then it keeps what it was in until a function
 * lets go of it, whose name is free here; so is that of a member that came soon after (4.5)
 */
#include <linux/cgroup.h>
int cgroup_free, cgroup_task_free;
struct ctrace_fact {
	struct cgroup;
	int level;
} ctrace_fact;
