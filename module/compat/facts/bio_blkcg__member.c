// SPDX-License-Identifier: GPL-2.0-only
/* before 4.2: what a blkcg is made of is the block layer's own, but not what the bio holds */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/blk-cgroup.h>
#include <linux/cgroup.h>
#ifdef CONFIG_BLK_CGROUP
struct cgroup *ctrace_fact(struct bio *bio);
struct cgroup *ctrace_fact(struct bio *bio) { return bio->bi_css->cgroup; }
#endif
int bio_blkcg, bio_blkcg_css;
