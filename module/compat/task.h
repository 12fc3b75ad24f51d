/* SPDX-License-Identifier: GPL-2.0-only */
/* When a task began; walks over tasks. */
#ifndef CTRACE_COMPAT_TASK_H
#define CTRACE_COMPAT_TASK_H

#include <linux/rculist.h>
#include <linux/sched/rt.h>
#include <linux/sched/signal.h>
#include <linux/time.h>
#include "facts.h"

/* When p began, in ns of CLOCK_MONOTONIC. Two tasks that had the same address differ in it. */
static __always_inline u64 ctrace_compat_task_start(const struct task_struct *p)
{
#ifdef CTRACE_HAVE_TASK_START__NS
	return p->start_time;
#else
	return timespec_to_ns(&p->start_time);
#endif
}

/*
 * Under RCU. With CONFIG_PROVE_RCU_LIST, for_each_thread() of newer kernels also asks lockdep about
 * tasklist_lock, which is not exported: no module can use it there.
 */
#define ctrace_compat_for_each_thread(p, t) \
	list_for_each_entry_rcu(t, &(p)->signal->thread_head, thread_node)

/* Two nested loops: `break` leaves only the inner one. */
#define ctrace_compat_for_each_process_thread(p, t) \
	for_each_process(p) \
		ctrace_compat_for_each_thread(p, t)

#endif
