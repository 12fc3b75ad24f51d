/* SPDX-License-Identifier: GPL-2.0-only */
/* Work queues whose work runs on the CPU that it is queued on. */
#ifndef CTRACE_COMPAT_WORKQUEUE_H
#define CTRACE_COMPAT_WORKQUEUE_H

#include <linux/workqueue.h>
#include "facts.h"

static inline struct workqueue_struct *ctrace_compat_alloc_percpu_workqueue(const char *name)
{
#ifdef CTRACE_HAVE_WQ_PERCPU
	return alloc_workqueue("%s", WQ_PERCPU, 0, name);
#else
	return alloc_workqueue("%s", 0, 0, name);
#endif
}

#endif
