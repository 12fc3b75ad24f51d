// SPDX-License-Identifier: GPL-2.0-only
/* before 5.12 */
#include <trace/events/block.h>
static void ctrace_fact_p(void *d, struct request_queue *q, struct bio *bio, int rw) { }
void ctrace_fact(void) { check_trace_callback_type_block_getrq(ctrace_fact_p); }
