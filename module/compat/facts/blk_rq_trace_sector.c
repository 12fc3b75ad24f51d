// SPDX-License-Identifier: GPL-2.0-only
/* since 4.12 */
#include <linux/blkdev.h>
#include <linux/blk-mq.h>
#include <linux/blktrace_api.h>
sector_t ctrace_fact(struct request *rq);
sector_t ctrace_fact(struct request *rq) { return blk_rq_trace_sector(rq) + blk_rq_trace_nr_sectors(rq); }
