// SPDX-License-Identifier: GPL-2.0-only
/* 4.14 to 5.4: a number that is reused in the lower half, a generation above it */
#include <linux/cgroup.h>
#include <linux/kernfs.h>
u64 ctrace_fact(const struct cgroup *c);
u64 ctrace_fact(const struct cgroup *c) { return c->kn->id.id; }
