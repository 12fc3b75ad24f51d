// SPDX-License-Identifier: GPL-2.0-only
/* before 4.18: in jiffies. A time in ns exists only with CONFIG_BLK_CGROUP, and by the scheduler's clock */
#include <linux/blkdev.h>
unsigned long ctrace_fact(const struct request *rq);
unsigned long ctrace_fact(const struct request *rq) { return rq->start_time; }
