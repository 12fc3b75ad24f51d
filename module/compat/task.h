/* SPDX-License-Identifier: GPL-2.0-only */
/* walks over tasks */
#ifndef CTRACE_COMPAT_TASK_H
#define CTRACE_COMPAT_TASK_H

#include <linux/rculist.h>
#include <linux/sched/signal.h>

/*
 * Under RCU. for_each_thread() of newer kernels asks lockdep for tasklist_lock too, which is not
 * exported: with CONFIG_PROVE_RCU_LIST no module can use it.
 */
#define ctrace_compat_for_each_thread(p, t) \
	list_for_each_entry_rcu(t, &(p)->signal->thread_head, thread_node)

/* two loops: no break */
#define ctrace_compat_for_each_process_thread(p, t) \
	for_each_process(p) \
		ctrace_compat_for_each_thread(p, t)

#endif
