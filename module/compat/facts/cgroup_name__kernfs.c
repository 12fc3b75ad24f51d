// SPDX-License-Identifier: GPL-2.0-only
/* since 3.14 */
#include <linux/cgroup.h>
#include <linux/kernfs.h>
const char *ctrace_fact(const struct cgroup *c);
const char *ctrace_fact(const struct cgroup *c) { return (const char *)c->kn->name; }
