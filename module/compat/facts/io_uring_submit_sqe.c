// SPDX-License-Identifier: GPL-2.0-only
/* 6.0 to 6.4. Alone, without variants: a kernel that none of the four fits lacks an event, no more */
#include <trace/events/io_uring.h>
static void ctrace_fact_p(void *d, struct io_kiocb *req, bool force_nonblock) { }
void ctrace_fact(void) { check_trace_callback_type_io_uring_submit_sqe(ctrace_fact_p); }
