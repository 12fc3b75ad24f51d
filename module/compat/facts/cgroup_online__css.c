// SPDX-License-Identifier: GPL-2.0-only
/* since 3.17 */
#include <linux/cgroup.h>
bool ctrace_fact(const struct cgroup *c);
bool ctrace_fact(const struct cgroup *c) { return c->self.flags & CSS_ONLINE; }
