// SPDX-License-Identifier: GPL-2.0-only
/* before 3.11 */
#include <linux/cgroup.h>
bool ctrace_fact(const struct cgroup *c);
bool ctrace_fact(const struct cgroup *c) { return !test_bit(CGRP_REMOVED, &c->flags); }
