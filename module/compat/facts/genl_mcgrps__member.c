// SPDX-License-Identifier: GPL-2.0-only
/* since 3.13 */
#include <linux/module.h>
#include <net/genetlink.h>
static const struct genl_multicast_group ctrace_fact_groups[1];
struct genl_family ctrace_fact = { .mcgrps = ctrace_fact_groups, .n_mcgrps = 1 };
