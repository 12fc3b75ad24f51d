// SPDX-License-Identifier: GPL-2.0-only
/* since 5.15: request_queue.disk; a request's own rq_disk went in 5.17 */
#include <linux/blkdev.h>
struct gendisk *ctrace_fact(struct request_queue *q);
struct gendisk *ctrace_fact(struct request_queue *q) { return q->disk; }
