// SPDX-License-Identifier: GPL-2.0-only
/* since 3.13: a group is given by its index in the family */
#include <linux/module.h>
#include <net/genetlink.h>
int ctrace_fact(struct genl_family *f, struct sk_buff *skb);
int ctrace_fact(struct genl_family *f, struct sk_buff *skb) { return genlmsg_multicast(f, skb, 0, 0, GFP_KERNEL); }
