// SPDX-License-Identifier: GPL-2.0-only
/* since 5.16: error is a blk_status_t */
#include <trace/events/block.h>
static void ctrace_fact_p(void *d, struct request *rq, blk_status_t error, unsigned int bytes) { }
void ctrace_fact(void) { check_trace_callback_type_block_rq_complete(ctrace_fact_p); }
