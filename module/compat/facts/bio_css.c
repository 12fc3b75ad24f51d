// SPDX-License-Identifier: GPL-2.0-only
/* before 5.0: a bio that is charged to nobody has none, and bio_blkcg() then takes the running task's */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/cgroup.h>
#ifdef CONFIG_BLK_CGROUP
struct cgroup *ctrace_fact(struct bio *bio);
struct cgroup *ctrace_fact(struct bio *bio) { return bio->bi_css->cgroup; }
#endif
