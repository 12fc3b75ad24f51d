// SPDX-License-Identifier: GPL-2.0-only
/* since 4.18: by the monotonic clock; the function that read the scheduler's clock does not exist */
#include <linux/blkdev.h>
#include <linux/blk-mq.h>
u64 ctrace_fact(const struct request *rq);
u64 ctrace_fact(const struct request *rq) { return rq->start_time_ns; }
int set_start_time_ns;
