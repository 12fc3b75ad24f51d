// SPDX-License-Identifier: GPL-2.0-only
/* since 3.13: the family points to its commands */
#include <linux/module.h>
#include <net/genetlink.h>
static const struct genl_ops ctrace_fact_ops[1];
struct genl_family ctrace_fact = { .ops = ctrace_fact_ops, .n_ops = 1 };
