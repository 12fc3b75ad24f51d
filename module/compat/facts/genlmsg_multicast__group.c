// SPDX-License-Identifier: GPL-2.0-only
/* before 3.13: by its global number */
#include <linux/module.h>
#include <net/genetlink.h>
int ctrace_fact(struct sk_buff *skb);
int ctrace_fact(struct sk_buff *skb) { return genlmsg_multicast(skb, 0, 1, GFP_KERNEL); }
