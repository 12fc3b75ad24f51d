/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sched_blame: who had the CPU for which a task waited. The functions do nothing while no session has a probe
 * of it. Context: under the lock of a run queue.
 */
#ifndef CTRACE_BLAME_H
#define CTRACE_BLAME_H

#include <linux/sched.h>
#include "identity/identity.h"
#include "compat/clock.h"

struct ctrace_blame_ring;
/* NULL: no session has a probe of sched_blame. */
extern struct ctrace_blame_ring __percpu *ctrace_blame_rings;

/*
 * Task p waited from then to now in the queue of that CPU. It leaves it now, to run or for another CPU's; or
 * its wait is open, and the caller is that CPU, with interrupts off. Writes who had the CPU, for the sessions
 * in mask, which is not 0. who: p's.
 */
void ctrace_blame_wait(u32 mask, struct task_struct *p, int cpu, const struct ctrace_who *who, u32 reason,
		       u64 from, u64 now, bool open);

/* sched_span.c's, at sched_migrate_task. */
void ctrace_sched_span_migrate(void *data, struct task_struct *p, int dest_cpu);

/*
 * The tasks in that queue of a group, which is in the run queue, have no quota from now on; or they have one
 * again.
 */
void ctrace_blame_throttle(const void *queue);
void ctrace_blame_unthrottle(const void *queue);

#endif
