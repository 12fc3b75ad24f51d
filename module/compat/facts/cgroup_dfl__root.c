// SPDX-License-Identifier: GPL-2.0-only
/* since 3.16: the unified hierarchy always exists, and each css_set has a cgroup in it */
#include <linux/cgroup.h>
struct cgroup *ctrace_fact(const struct css_set *cset);
struct cgroup *ctrace_fact(const struct css_set *cset) { return cset->dfl_cgrp ?: &cgrp_dfl_root.cgrp; }
