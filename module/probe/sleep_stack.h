/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stacks with which tasks went to sleep, while a session wants one with sched_block.
 *
 * Context: under the lock of p's run queue.
 */
#ifndef CTRACE_SLEEP_STACK_H
#define CTRACE_SLEEP_STACK_H

#include <linux/sched.h>
#include "emit/stack.h"
#include "session/inflight.h"

extern struct ctrace_inflight ctrace_sleep_stacks;	/* of the probes that ask for a stack */

/* p, which is current, goes to sleep. which: CTRACE_PROBE_F_*, those that are wanted. False: no place. */
bool ctrace_sleep_stack_keep(const struct task_struct *p, u32 which);
/*
 * What p kept; NULL: nothing, or no session asks for a stack any more. Valid until p gives it back, for which
 * preemption stays off.
 */
const struct ctrace_stack_waited *ctrace_sleep_stack_of(const struct task_struct *p);
void ctrace_sleep_stack_give(const struct task_struct *p);

#endif
