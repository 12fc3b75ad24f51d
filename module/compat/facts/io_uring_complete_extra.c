// SPDX-License-Identifier: GPL-2.0-only
/* 6.0 to 6.15; as io_uring_submit_sqe.c */
#include <trace/events/io_uring.h>
static void ctrace_fact_p(void *d, void *ctx, void *req, u64 data, int res, unsigned int flags, u64 a, u64 b) { }
void ctrace_fact(void) { check_trace_callback_type_io_uring_complete(ctrace_fact_p); }
