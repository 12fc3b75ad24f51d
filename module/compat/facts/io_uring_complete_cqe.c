// SPDX-License-Identifier: GPL-2.0-only
/* since 6.16; as io_uring_submit_sqe.c */
#include <trace/events/io_uring.h>
static void ctrace_fact_p(void *d, struct io_ring_ctx *ctx, void *req, struct io_uring_cqe *cqe) { }
void ctrace_fact(void) { check_trace_callback_type_io_uring_complete(ctrace_fact_p); }
