// SPDX-License-Identifier: GPL-2.0-only
/* since 6.15 a kernfs node's parent is named __parent, and both it and the name are RCU-protected */
#include <linux/kernfs.h>
const void *ctrace_fact(struct kernfs_node *kn);
const void *ctrace_fact(struct kernfs_node *kn) { return rcu_access_pointer(kn->__parent); }
