/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * "Preemption off" is an RCU read side, as all of ctrace takes it to be: to the kernel itself since
 * 4.20. Before, if the kernel is preemptible, what waits for the one did not wait for the other, and the kernel
 * frees tasks, cgroups and namespaces after the one alone.
 */
#ifndef CTRACE_COMPAT_RCU_H
#define CTRACE_COMPAT_RCU_H

#include <linux/rcupdate.h>
#include <linux/tracepoint.h>
#include "facts.h"

#if defined(CTRACE_HAVE_RCU_SCHED__OWN) && defined(CONFIG_PREEMPT_RCU)
#define CTRACE_COMPAT_RCU_OF_ITS_OWN	1
#else
#define CTRACE_COMPAT_RCU_OF_ITS_OWN	0
#endif

/* Waits for both. May sleep. */
static inline void ctrace_compat_synchronize(void)
{
	synchronize_rcu();
	/* what is called with preemption off, a tracepoint's probe, is waited for so */
	if (CTRACE_COMPAT_RCU_OF_ITS_OWN)
		tracepoint_synchronize_unregister();
}

/* In handlers that the kernel calls with preemption off. Any context incl. NMI. */
static __always_inline void ctrace_compat_rcu_begin(void)
{
	if (CTRACE_COMPAT_RCU_OF_ITS_OWN)
		rcu_read_lock();
}

static __always_inline void ctrace_compat_rcu_end(void)
{
	if (CTRACE_COMPAT_RCU_OF_ITS_OWN)
		rcu_read_unlock();
}

#endif
