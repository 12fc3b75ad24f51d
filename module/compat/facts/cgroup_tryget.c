// SPDX-License-Identifier: GPL-2.0-only
/* since 4.10 */
#include <linux/cgroup.h>
bool ctrace_fact(struct cgroup *c);
bool ctrace_fact(struct cgroup *c) { return cgroup_tryget(c); }
