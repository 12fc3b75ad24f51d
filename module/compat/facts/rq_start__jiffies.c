// SPDX-License-Identifier: GPL-2.0-only
/* before 4.18: in jiffies; what there is in ns is by the scheduler's clock, and with CONFIG_BLK_CGROUP alone */
#include <linux/blkdev.h>
unsigned long ctrace_fact(const struct request *rq);
unsigned long ctrace_fact(const struct request *rq) { return rq->start_time; }
