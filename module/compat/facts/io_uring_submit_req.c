// SPDX-License-Identifier: GPL-2.0-only
/* since 6.5; as io_uring_submit_sqe.c */
#include <trace/events/io_uring.h>
static void ctrace_fact_p(void *d, struct io_kiocb *req) { }
void ctrace_fact(void) { check_trace_callback_type_io_uring_submit_req(ctrace_fact_p); }
