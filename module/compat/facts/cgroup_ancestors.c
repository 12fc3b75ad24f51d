// SPDX-License-Identifier: GPL-2.0-only
/* since 6.1 */
#include <linux/cgroup.h>
struct cgroup *ctrace_fact(const struct cgroup *c);
struct cgroup *ctrace_fact(const struct cgroup *c) { return c->ancestors[c->level]; }
