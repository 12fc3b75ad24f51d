// SPDX-License-Identifier: GPL-2.0-only
/* before 5.19 */
#include <linux/blkdev.h>
#include <linux/blk-cgroup.h>
struct blkcg *ctrace_fact(struct bio *bio);
struct blkcg *ctrace_fact(struct bio *bio) { return bio_blkcg(bio); }
