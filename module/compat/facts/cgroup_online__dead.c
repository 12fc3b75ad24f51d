// SPDX-License-Identifier: GPL-2.0-only
/* 3.11 to 3.15 */
#include <linux/cgroup.h>
bool ctrace_fact(const struct cgroup *c);
bool ctrace_fact(const struct cgroup *c) { return !test_bit(CGRP_DEAD, &c->flags); }
