// SPDX-License-Identifier: GPL-2.0-only
#include <linux/netlink.h>
bool ctrace_fact(const struct sk_buff *skb);
bool ctrace_fact(const struct sk_buff *skb) { return netlink_capable(skb, 0); }
