/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracing needs CAP_SYS_ADMIN, or CAP_PERFMON where it exists, in the initial user namespace. */
#ifndef CTRACE_COMPAT_CRED_H
#define CTRACE_COMPAT_CRED_H

#include <linux/capability.h>
#include "facts.h"

static inline bool ctrace_compat_may_trace(void)
{
#ifdef CTRACE_HAVE_CAP_PERFMON
	if (capable(CAP_PERFMON))
		return true;
#endif
	return capable(CAP_SYS_ADMIN);
}

#endif
