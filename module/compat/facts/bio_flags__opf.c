// SPDX-License-Identifier: GPL-2.0-only
/* since 4.8 */
#include <linux/bio.h>
unsigned int ctrace_fact(struct bio *bio);
unsigned int ctrace_fact(struct bio *bio) { return (__force unsigned int)bio->bi_opf; }
