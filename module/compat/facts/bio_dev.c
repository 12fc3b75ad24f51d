// SPDX-License-Identifier: GPL-2.0-only
/* since 4.14 */
#include <linux/bio.h>
#include <linux/blkdev.h>
dev_t ctrace_fact(struct bio *bio);
dev_t ctrace_fact(struct bio *bio) { return bio_dev(bio); }
