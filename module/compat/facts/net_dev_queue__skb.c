// SPDX-License-Identifier: GPL-2.0-only
/* net_dev_queue and netif_receive_skb */
#include <trace/events/net.h>
static void ctrace_fact_p(void *d, struct sk_buff *skb) { }
void ctrace_fact(void)
{
	check_trace_callback_type_net_dev_queue(ctrace_fact_p);
	check_trace_callback_type_netif_receive_skb(ctrace_fact_p);
}
