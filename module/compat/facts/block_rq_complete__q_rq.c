// SPDX-License-Identifier: GPL-2.0-only
/* before 3.16, where the newer one was not backported: (q, rq); how many bytes is not told */
#include <trace/events/block.h>
int ctrace_fact(struct request *rq);
static void ctrace_fact_p(void *d, struct request_queue *q, struct request *rq) { }
int ctrace_fact(struct request *rq) { check_trace_callback_type_block_rq_complete(ctrace_fact_p); return rq->errors; }
