// SPDX-License-Identifier: GPL-2.0-only
/* since 5.11, and in later 5.10 releases: block_rq_insert and block_rq_issue pass (rq) */
#include <trace/events/block.h>
static void ctrace_fact_p(void *d, struct request *rq) { }
void ctrace_fact(void)
{
	check_trace_callback_type_block_rq_insert(ctrace_fact_p);
	check_trace_callback_type_block_rq_issue(ctrace_fact_p);
}
