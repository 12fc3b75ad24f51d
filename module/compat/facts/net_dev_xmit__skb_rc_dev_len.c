// SPDX-License-Identifier: GPL-2.0-only
#include <trace/events/net.h>
static void ctrace_fact_p(void *d, struct sk_buff *skb, int rc, struct net_device *dev, unsigned int len) { }
void ctrace_fact(void) { check_trace_callback_type_net_dev_xmit(ctrace_fact_p); }
