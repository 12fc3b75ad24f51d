// SPDX-License-Identifier: GPL-2.0-only
/* since 5.12, and before 4.14: a bio points to its block device; between, to the disk */
#include <linux/blkdev.h>
#include <linux/bio.h>
struct request_queue *ctrace_fact(struct bio *bio);
struct request_queue *ctrace_fact(struct bio *bio) { return bdev_get_queue(bio->bi_bdev); }
