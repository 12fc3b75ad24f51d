// SPDX-License-Identifier: GPL-2.0-only
#include "compat/cgroup.h"

#ifdef CTRACE_HAVE_CGROUP_DFL__NONE

struct cgroupfs_root ctrace_compat_no_dfl = {
	.top_cgroup = { .root = &ctrace_compat_no_dfl },
};

#endif
