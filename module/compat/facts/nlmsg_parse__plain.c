// SPDX-License-Identifier: GPL-2.0-only
/* before 4.12 */
#include <net/netlink.h>
int ctrace_fact(struct netlink_callback *cb, struct nlattr **a);
int ctrace_fact(struct netlink_callback *cb, struct nlattr **a)
{
	return nlmsg_parse(cb->nlh, 0, a, 1, NULL);
}
