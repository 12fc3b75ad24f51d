// SPDX-License-Identifier: GPL-2.0-only
/* before 4.2: struct blkcg is private to the block layer, but the bio points to its css */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/blk-cgroup.h>
#include <linux/cgroup.h>
#ifdef CONFIG_BLK_CGROUP
struct cgroup *ctrace_fact(struct bio *bio);
struct cgroup *ctrace_fact(struct bio *bio) { return bio->bi_css->cgroup; }
#endif
int bio_blkcg, bio_blkcg_css;
