// SPDX-License-Identifier: GPL-2.0-only
/* 3.10 to 3.13 */
#include <linux/cgroup.h>
const char *ctrace_fact(const struct cgroup *c);
const char *ctrace_fact(const struct cgroup *c) { return c->name->name; }
