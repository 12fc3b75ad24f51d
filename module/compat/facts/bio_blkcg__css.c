// SPDX-License-Identifier: GPL-2.0-only
/* since 5.19: struct blkcg is private to the block layer */
#include <linux/bio.h>
#include <linux/blk-cgroup.h>
struct cgroup_subsys_state *ctrace_fact(struct bio *bio);
struct cgroup_subsys_state *ctrace_fact(struct bio *bio) { return bio_blkcg_css(bio); }
