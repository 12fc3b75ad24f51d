/* SPDX-License-Identifier: GPL-2.0-only */
/* caps.h: processes with few capabilities. */
#ifndef CAPS_H
#define CAPS_H

#include <grp.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Capabilities that are given up do not come back. */
static inline int caps_only(uint64_t caps)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2] = {
		{ .effective = caps, .permitted = caps },
		{ .effective = caps >> 32, .permitted = caps >> 32 },
	};

	return syscall(SYS_capset, &h, d);
}

/* That user, with these capabilities alone. */
static inline int caps_of(uid_t uid, uint64_t caps)
{
	if (prctl(PR_SET_KEEPCAPS, 1) || setgroups(0, NULL) || setresgid(uid, uid, uid) ||
	    setresuid(uid, uid, uid) || caps_only(caps))
		return -1;
	/* otherwise /proc/self would belong to root */
	return prctl(PR_SET_DUMPABLE, 1);
}

static inline int caps_of_nobody(uint64_t caps)
{
	return caps_of(65534, caps);
}

#endif
