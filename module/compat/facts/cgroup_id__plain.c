// SPDX-License-Identifier: GPL-2.0-only
/* since 5.5 */
#include <linux/cgroup.h>
#include <linux/kernfs.h>
u64 ctrace_fact(const struct cgroup *c);
u64 ctrace_fact(const struct cgroup *c) { return c->kn->id; }
