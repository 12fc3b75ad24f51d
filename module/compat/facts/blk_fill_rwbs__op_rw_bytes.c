// SPDX-License-Identifier: GPL-2.0-only
/* 4.8 to 4.9: (text, operation, flags, bytes) */
#include <linux/blktrace_api.h>
void ctrace_fact(char *text, struct bio *bio);
void ctrace_fact(char *text, struct bio *bio) { blk_fill_rwbs(text, bio_op(bio), bio->bi_opf, bio->bi_iter.bi_size); }
