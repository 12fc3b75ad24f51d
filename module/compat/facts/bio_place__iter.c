// SPDX-License-Identifier: GPL-2.0-only
/* since 3.14 */
#include <linux/bio.h>
u64 ctrace_fact(const struct bio *bio);
u64 ctrace_fact(const struct bio *bio) { return bio->bi_iter.bi_sector + bio->bi_iter.bi_size; }
