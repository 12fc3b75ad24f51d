/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a task has begun and not ended, read from another task. Process context, ctrace_lock held, so the
 * tables stay; RCU read side, so the task does; preemption off.
 *
 * The owner of a place may change it at the same time, and does not wait for the reader. So the place is read
 * again after 1 us. If it has changed, the span has just ended or begun, and counts as none. Only an owner
 * that is stopped for longer between two stores (by its hypervisor) shows a new event with the time of the
 * place's last one.
 */
#ifndef CTRACE_UNDER_WAY_H
#define CTRACE_UNDER_WAY_H

#include <linux/types.h>

struct ctrace_inflight;
struct task_struct;

struct ctrace_under_way {
	u32 id;		/* CTRACE_ID_*: which event is written when it ends */
	u64 ns;		/* for how long already */
	u64 time;	/* as the place has it */
};

/* The task's place in t, if a session wants it. Leaves ns alone: the unit of time is the table's. */
bool ctrace_under_way(const struct ctrace_inflight *t, const struct task_struct *p, struct ctrace_under_way *u);

/* sched_wait, sched_run or sched_block; false: none is followed */
bool ctrace_sched_span_under_way(const struct task_struct *p, struct ctrace_under_way *u);
/* A whole call: CTRACE_ID_CALL or CTRACE_ID_COMPAT_CALL + its number */
bool ctrace_call_under_way(const struct task_struct *p, struct ctrace_under_way *u);

#endif
