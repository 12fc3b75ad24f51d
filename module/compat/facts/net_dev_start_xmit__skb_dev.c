// SPDX-License-Identifier: GPL-2.0-only
#include <trace/events/net.h>
static void ctrace_fact_p(void *d, const struct sk_buff *skb, const struct net_device *dev) { }
void ctrace_fact(void) { check_trace_callback_type_net_dev_start_xmit(ctrace_fact_p); }
