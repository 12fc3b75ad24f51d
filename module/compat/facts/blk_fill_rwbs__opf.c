// SPDX-License-Identifier: GPL-2.0-only
/* since 5.12: (text, flags) */
#include <linux/blktrace_api.h>
void ctrace_fact(char *text, struct bio *bio);
void ctrace_fact(char *text, struct bio *bio) { blk_fill_rwbs(text, bio->bi_opf); }
