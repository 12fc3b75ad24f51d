// SPDX-License-Identifier: GPL-2.0-only
/* before 3.13: groups are registered one by one, and known by number */
#include <linux/module.h>
#include <net/genetlink.h>
int ctrace_fact(struct genl_family *f, struct genl_multicast_group *g);
int ctrace_fact(struct genl_family *f, struct genl_multicast_group *g) { return genl_register_mc_group(f, g) ?: g->id; }
