// SPDX-License-Identifier: GPL-2.0-only
/* since 4.5 */
#include <linux/cgroup.h>
int ctrace_fact(const struct cgroup *c);
int ctrace_fact(const struct cgroup *c) { return c->level; }
