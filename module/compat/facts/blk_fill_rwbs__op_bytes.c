// SPDX-License-Identifier: GPL-2.0-only
/* before 5.12: (text, flags, bytes) */
#include <linux/blktrace_api.h>
void ctrace_fact(char *text, struct bio *bio);
void ctrace_fact(char *text, struct bio *bio) { blk_fill_rwbs(text, bio->bi_opf, bio->bi_iter.bi_size); }
