/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All of ctrace relies on "preemption off" being an RCU read side. In the kernel it is, since 4.20.
 * Before, in a preemptible kernel, synchronize_rcu() did not wait for sections with preemption off,
 * and the kernel frees tasks, cgroups and namespaces after such an RCU grace period alone.
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

/* Waits for RCU read sides and for sections with preemption off. May sleep. */
static inline void ctrace_compat_synchronize(void)
{
	synchronize_rcu();
	/* this waits for tracepoint probes, and so for all sections with preemption off */
	if (CTRACE_COMPAT_RCU_OF_ITS_OWN)
		tracepoint_synchronize_unregister();
}

/* For handlers that the kernel calls with preemption off. Any context incl. NMI. */
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
