// SPDX-License-Identifier: GPL-2.0-only
/* since 4.11 */
#include <linux/blkdev.h>
#include <linux/blk-mq.h>
bool ctrace_fact(struct request *rq);
bool ctrace_fact(struct request *rq) { return blk_rq_is_passthrough(rq); }
