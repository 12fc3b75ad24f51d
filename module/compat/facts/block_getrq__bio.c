// SPDX-License-Identifier: GPL-2.0-only
/* since 5.12 */
#include <trace/events/block.h>
static void ctrace_fact_p(void *d, struct bio *bio) { }
void ctrace_fact(void) { check_trace_callback_type_block_getrq(ctrace_fact_p); }
