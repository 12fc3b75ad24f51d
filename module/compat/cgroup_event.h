/* SPDX-License-Identifier: GPL-2.0-only */
/* The cgroup tracepoints that an older kernel lacks. The functions work as in tracepoint.h. */
#ifndef CTRACE_COMPAT_CGROUP_EVENT_H
#define CTRACE_COMPAT_CGROUP_EVENT_H

#include <linux/errno.h>
#include <linux/types.h>
#include "compat/heartbeat.h"
#include "facts.h"

#ifdef CTRACE_HAVE_CGROUP_RMDIR__NONE
int ctrace_compat_cgroup_event_add(const char *name, void *probe, void *data);
int ctrace_compat_cgroup_event_del(const char *name, void *probe, void *data);
bool ctrace_compat_cgroup_event_exists(const char *name);
/* Warns in the kernel's log if events were missed since the last call. Callers exclude each other. */
void ctrace_compat_cgroup_event_check(void);
/* Does the kernel not report moves just now, as its kprobes are switched off? */
static inline bool ctrace_compat_cgroup_events_blind(void)
{
	return ctrace_compat_blind();
}
#else
static inline int ctrace_compat_cgroup_event_add(const char *name, void *probe, void *data)
{
	return -ENOENT;
}

static inline int ctrace_compat_cgroup_event_del(const char *name, void *probe, void *data)
{
	return -ENOENT;
}

static inline bool ctrace_compat_cgroup_event_exists(const char *name)
{
	return false;
}

static inline void ctrace_compat_cgroup_event_check(void) { }

static inline bool ctrace_compat_cgroup_events_blind(void)
{
	return false;
}
#endif

#endif
