// SPDX-License-Identifier: GPL-2.0-only
/* since 3.13 */
#include <linux/module.h>
#include <net/genetlink.h>
int ctrace_fact(struct genl_family *f);
int ctrace_fact(struct genl_family *f) { return genl_set_err(f, &init_net, 0, 0, 0); }
