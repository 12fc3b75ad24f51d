// SPDX-License-Identifier: GPL-2.0-only
/* since 4.7 */
#include <net/netlink.h>
int ctrace_fact(struct sk_buff *skb);
int ctrace_fact(struct sk_buff *skb) { return nla_put_u64_64bit(skb, 1, 1, 2); }
