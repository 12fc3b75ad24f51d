// SPDX-License-Identifier: GPL-2.0-only
/* 4.14 to 5.4: the lower half is a number that is reused, the upper half its generation */
#include <linux/cgroup.h>
#include <linux/kernfs.h>
u64 ctrace_fact(const struct cgroup *c);
u64 ctrace_fact(const struct cgroup *c) { return c->kn->id.id; }
