// SPDX-License-Identifier: GPL-2.0-only
/* since 3.15 */
#include <linux/cgroup.h>
#ifdef CONFIG_CGROUP_SCHED
int ctrace_fact = cpu_cgrp_id;
#endif
