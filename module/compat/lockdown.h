/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is the kernel locked down (kernel_lockdown.7), so that not even root may see its memory? Both answer 0 or
 * -EPERM, and the kernel logs a refusal. Before 5.4 only vendors' kernels have a lockdown, each its own, and
 * do not show it to modules: 0.
 */
#ifndef CTRACE_COMPAT_LOCKDOWN_H
#define CTRACE_COMPAT_LOCKDOWN_H

#include <linux/security.h>
#include "facts.h"

#ifdef CTRACE_HAVE_SECURITY_LOCKED_DOWN

/* What the kernel's own kprobe events ask. */
static inline int ctrace_compat_locked_kprobes(void)
{
	return security_locked_down(LOCKDOWN_KPROBES);
}

/* The check of the kernel's own tracer, which shows kernel addresses. */
static inline int ctrace_compat_locked_tracing(void)
{
	return security_locked_down(LOCKDOWN_TRACEFS);
}

#else

static inline int ctrace_compat_locked_kprobes(void)
{
	return 0;
}

static inline int ctrace_compat_locked_tracing(void)
{
	return 0;
}

#endif

#endif
