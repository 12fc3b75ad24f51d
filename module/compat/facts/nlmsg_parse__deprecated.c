// SPDX-License-Identifier: GPL-2.0-only
/* since 5.2: the parser of unchanged strictness has this name */
#include <net/netlink.h>
int ctrace_fact(struct netlink_callback *cb, struct nlattr **a);
int ctrace_fact(struct netlink_callback *cb, struct nlattr **a)
{
	return nlmsg_parse_deprecated(cb->nlh, 0, a, 1, NULL, NULL);
}
