// SPDX-License-Identifier: GPL-2.0-only
/* 4.14 to 5.15: error is a negative errno */
#include <trace/events/block.h>
static void ctrace_fact_p(void *d, struct request *rq, int error, unsigned int bytes) { }
void ctrace_fact(void) { check_trace_callback_type_block_rq_complete(ctrace_fact_p); }
