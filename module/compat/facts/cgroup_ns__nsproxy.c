// SPDX-License-Identifier: GPL-2.0-only
/* since 4.6 */
#include <linux/cgroup.h>
#include <linux/nsproxy.h>
const struct css_set *ctrace_fact(struct nsproxy *n);
const struct css_set *ctrace_fact(struct nsproxy *n) { return n->cgroup_ns->ns.inum ? n->cgroup_ns->root_cset : NULL; }
