// SPDX-License-Identifier: GPL-2.0-only
/* since 4.20: so can a dump */
#include <linux/netlink.h>
const char *ctrace_fact(struct netlink_callback *cb);
const char *ctrace_fact(struct netlink_callback *cb) { return cb->extack->_msg; }
