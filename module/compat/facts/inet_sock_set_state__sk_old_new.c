// SPDX-License-Identifier: GPL-2.0-only
#include <trace/events/sock.h>
static void ctrace_fact_p(void *d, const struct sock *sk, const int oldstate, const int newstate) { }
void ctrace_fact(void) { check_trace_callback_type_inet_sock_set_state(ctrace_fact_p); }
