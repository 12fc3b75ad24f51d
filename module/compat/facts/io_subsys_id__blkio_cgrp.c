// SPDX-License-Identifier: GPL-2.0-only
/* 3.15 to 4.1 */
#include <linux/cgroup.h>
#ifndef CONFIG_BLK_CGROUP
#error no
#endif
int ctrace_fact = blkio_cgrp_id;
