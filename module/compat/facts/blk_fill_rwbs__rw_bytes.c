// SPDX-License-Identifier: GPL-2.0-only
/* before 4.8: (text, flags, bytes); the flags have other names */
#include <linux/blkdev.h>
#include <linux/blktrace_api.h>
void ctrace_fact(char *text, struct bio *bio);
void ctrace_fact(char *text, struct bio *bio) { blk_fill_rwbs(text, bio->bi_rw, 0); }
