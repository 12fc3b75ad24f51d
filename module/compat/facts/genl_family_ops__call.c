// SPDX-License-Identifier: GPL-2.0-only
/* before 3.13: commands are registered with the family, and linked into a list */
#include <linux/module.h>
#include <net/genetlink.h>
int ctrace_fact(struct genl_family *f, struct genl_ops *ops);
int ctrace_fact(struct genl_family *f, struct genl_ops *ops)
{
	INIT_LIST_HEAD(&ops->ops_list);
	return genl_register_family_with_ops(f, ops, 1);
}
