// SPDX-License-Identifier: GPL-2.0-only
/* 4.12 to 5.1 */
#include <net/netlink.h>
int ctrace_fact(struct netlink_callback *cb, struct nlattr **a);
int ctrace_fact(struct netlink_callback *cb, struct nlattr **a)
{
	return nlmsg_parse(cb->nlh, 0, a, 1, NULL, NULL);
}
int nlmsg_parse_deprecated;
