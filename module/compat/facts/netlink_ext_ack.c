// SPDX-License-Identifier: GPL-2.0-only
/* since 4.12 */
#include <linux/netlink.h>
struct netlink_ext_ack ctrace_fact;
