// SPDX-License-Identifier: GPL-2.0-only
/* since 4.0 */
#include <linux/module.h>
#include <net/genetlink.h>
int ctrace_fact(struct genl_family *f);
int ctrace_fact(struct genl_family *f) { return genl_has_listeners(f, &init_net, 0); }
