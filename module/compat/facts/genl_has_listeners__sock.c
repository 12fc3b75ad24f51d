// SPDX-License-Identifier: GPL-2.0-only
/* 3.18, 3.19 */
#include <linux/module.h>
#include <net/genetlink.h>
int ctrace_fact(struct genl_family *f);
int ctrace_fact(struct genl_family *f) { return genl_has_listeners(f, init_net.genl_sock, 0); }
