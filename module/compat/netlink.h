/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_COMPAT_NETLINK_H
#define CTRACE_COMPAT_NETLINK_H

#include <net/genetlink.h>
#include "facts.h"

/*
 * An initializer of struct genl_multicast_group: joining needs CAP_SYS_ADMIN.
 * Kernels that cannot ask for it (before the stable series of December 2023) let anybody
 * listen; what is said there stands in /proc and /sys/fs/cgroup for all to read as well.
 */
#if defined(CTRACE_HAVE_GENL_MCAST_FLAGS)
#define CTRACE_COMPAT_MCAST_ADMIN	.flags = GENL_MCAST_CAP_SYS_ADMIN
#elif defined(CTRACE_HAVE_GENL_MCAST_CAP)
#define CTRACE_COMPAT_MCAST_ADMIN	.cap_sys_admin = 1
#else
#define CTRACE_COMPAT_MCAST_ADMIN
#endif

#endif
