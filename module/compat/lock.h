/* SPDX-License-Identifier: GPL-2.0-only */
/* Waits for locks of the kernel: tracepoints in the slow paths of locks, since 5.19. */
#ifndef CTRACE_COMPAT_LOCK_H
#define CTRACE_COMPAT_LOCK_H

#include <linux/bug.h>
#include <linux/types.h>
#include "../uapi/ctrace.h"
#include "facts.h"

#ifdef CTRACE_HAVE_CONTENTION__LOCK_FLAGS
#include <trace/events/lock.h>

#define CTRACE_COMPAT_LOCK_LACKS	NULL

/* enum ctrace_lock_kind, of the tracepoint's flags. A bit that a later kernel adds stays as it is. */
static inline u32 ctrace_compat_lock_kind(unsigned int flags)
{
	BUILD_BUG_ON(LCB_F_SPIN != CTRACE_LOCK_SPIN || LCB_F_READ != CTRACE_LOCK_READ ||
		     LCB_F_WRITE != CTRACE_LOCK_WRITE || LCB_F_RT != CTRACE_LOCK_RT ||
		     LCB_F_PERCPU != CTRACE_LOCK_PERCPU || LCB_F_MUTEX != CTRACE_LOCK_MUTEX);
	return flags;
}

#else

#define CTRACE_COMPAT_LOCK_LACKS	\
	"this kernel has no tracepoints of waits for locks: Linux 5.19 and later have them"

/* There are no such tracepoints: nothing calls this. */
static inline u32 ctrace_compat_lock_kind(unsigned int flags)
{
	return flags;
}

#endif

#endif
