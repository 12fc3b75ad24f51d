/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Capabilities. Tracing needs CAP_SYS_ADMIN, or CAP_PERFMON where it exists, in the initial user namespace.
 */
#ifndef CTRACE_COMPAT_CRED_H
#define CTRACE_COMPAT_CRED_H

#include <linux/capability.h>
#include <linux/security.h>
#include "facts.h"

static inline bool ctrace_compat_may_trace(void)
{
#ifdef CTRACE_HAVE_CAP_PERFMON
	if (capable(CAP_PERFMON))
		return true;
#endif
	return capable(CAP_SYS_ADMIN);
}

/*
 * Is a refusal by cap_capable() to be audited? opts: its last argument, which was a plain yes or no before
 * 5.1.
 */
static inline bool ctrace_compat_cap_audits(unsigned int opts)
{
#ifdef CTRACE_HAVE_CAP_OPTS
	return !(opts & CAP_OPT_NOAUDIT);
#else
	return opts == SECURITY_CAP_AUDIT;
#endif
}

#endif
