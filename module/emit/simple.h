/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The whole way of emit.h in one call, for events that have one owner and a payload whose size is
 * known beforehand. All functions: any context incl. NMI; preemption off.
 */
#ifndef CTRACE_CURATED_H
#define CTRACE_CURATED_H

#include <linux/sched.h>
#include <linux/string.h>
#include "emit/emit.h"
#include "event/comm.h"

static __always_inline void ctrace_curated_emit(u32 mask, u32 id, const struct ctrace_who *who,
						u32 size, void (*fill)(void *, const void *),
						const void *arg)
{
	mask = ctrace_wanted(mask, who->container, who->task);
	if (mask)
		ctrace_emit(mask, id, who, size, fill, arg);
}

/* An event of task p, which the caller keeps from being freed. */
static __always_inline void ctrace_curated_task(u32 id, struct task_struct *p, u32 size,
						void (*fill)(void *, const void *), const void *arg)
{
	u32 mask = ctrace_wants(id);
	struct ctrace_who who;

	if (!mask)
		return;
	ctrace_identity_resolve_task(p, &who);
	ctrace_curated_emit(mask, id, &who, size, fill, arg);
}

/* An event of the code that runs: current's, or the host's in an interrupt. */
static __always_inline void ctrace_curated_context(u32 id, u32 size,
						   void (*fill)(void *, const void *),
						   const void *arg)
{
	u32 mask = ctrace_wants(id);
	struct ctrace_who who;

	if (!mask)
		return;
	ctrace_identity_resolve_context(&who);
	ctrace_curated_emit(mask, id, &who, size, fill, arg);
}

/* An event of the host, whatever task was interrupted. */
static __always_inline void ctrace_curated_host(u32 id, u32 size,
						void (*fill)(void *, const void *), const void *arg)
{
	u32 mask = ctrace_wants(id);
	struct ctrace_who who;

	if (!mask)
		return;
	ctrace_identity_host(&who);
	ctrace_curated_emit(mask, id, &who, size, fill, arg);
}

#endif
