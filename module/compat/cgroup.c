// SPDX-License-Identifier: GPL-2.0-only
#include <linux/string.h>
#include "compat/cgroup.h"
#include "compat/kprobe.h"
#include "compat/copy_name.h"

#ifdef CTRACE_HAVE_CGROUP_DFL__NONE

struct cgroupfs_root ctrace_compat_no_dfl = {
	.top_cgroup = { .root = &ctrace_compat_no_dfl },
};

#endif

#if !defined(CTRACE_HAVE_CGROUP_NAME__MEMBER) && !defined(CTRACE_HAVE_KERNFS_NAME_RCU)

const char *ctrace_compat_cgroup_copy_name(const struct cgroup *cgrp, char *buf)
{
	return ctrace_compat_copy_name(&cgrp->kn->name, buf);
}

#endif
