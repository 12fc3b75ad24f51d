// SPDX-License-Identifier: GPL-2.0-only
/* before 3.15 */
#include <linux/cgroup.h>
#ifndef CONFIG_CGROUP_SCHED
#error no
#endif
int ctrace_fact = cpu_cgroup_subsys_id;
