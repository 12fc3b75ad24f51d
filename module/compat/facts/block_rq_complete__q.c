// SPDX-License-Identifier: GPL-2.0-only
/* before 4.14: (q, rq, bytes); the error is in the request */
#include <trace/events/block.h>
int ctrace_fact(struct request *rq);
static void ctrace_fact_p(void *d, struct request_queue *q, struct request *rq, unsigned int bytes) { }
int ctrace_fact(struct request *rq) { check_trace_callback_type_block_rq_complete(ctrace_fact_p); return rq->errors; }
