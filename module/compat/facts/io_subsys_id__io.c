// SPDX-License-Identifier: GPL-2.0-only
/* since 4.2 */
#include <linux/cgroup.h>
#ifdef CONFIG_BLK_CGROUP
int ctrace_fact = io_cgrp_id;
#endif
