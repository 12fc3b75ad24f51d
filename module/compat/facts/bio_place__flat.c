// SPDX-License-Identifier: GPL-2.0-only
/* before 3.14 */
#include <linux/bio.h>
u64 ctrace_fact(const struct bio *bio);
u64 ctrace_fact(const struct bio *bio) { return bio->bi_sector + bio->bi_size; }
