// SPDX-License-Identifier: GPL-2.0-only
/* before 3.15 */
#include <linux/cgroup.h>
#ifndef CONFIG_BLK_CGROUP
#error no
#endif
int ctrace_fact = blkio_subsys_id;
