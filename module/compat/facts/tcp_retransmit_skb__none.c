// SPDX-License-Identifier: GPL-2.0-only
/* this kernel has no such tracepoint (before 4.15): its function does not exist */
#include <net/tcp.h>
#include <trace/events/tcp.h>
int trace_tcp_retransmit_skb;
