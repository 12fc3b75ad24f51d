// SPDX-License-Identifier: GPL-2.0-only
/* since 3.16: a hierarchy that is always there, and each css_set's cgroup of it */
#include <linux/cgroup.h>
struct cgroup *ctrace_fact(const struct css_set *cset);
struct cgroup *ctrace_fact(const struct css_set *cset) { return cset->dfl_cgrp ?: &cgrp_dfl_root.cgrp; }
