// SPDX-License-Identifier: GPL-2.0-only
#include <net/tcp.h>
#include <trace/events/tcp.h>
static void ctrace_fact_p(void *d, const struct sock *sk, const struct sk_buff *skb) { }
void ctrace_fact(void) { check_trace_callback_type_tcp_retransmit_skb(ctrace_fact_p); }
