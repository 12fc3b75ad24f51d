/* SPDX-License-Identifier: GPL-2.0-only */
/* When a task began and ran; its state; does it sleep; has it registers of user mode; walks over tasks. */
#ifndef CTRACE_COMPAT_TASK_H
#define CTRACE_COMPAT_TASK_H

#include <linux/rculist.h>
#include <linux/sched/clock.h>
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

static __always_inline unsigned int ctrace_compat_task_state(const struct task_struct *p)
{
#ifdef CTRACE_HAVE_TASK_STATE_FIELD__NEW
	return READ_ONCE(p->__state);
#else
	return READ_ONCE(p->state);
#endif
}

/* How often p was taken to another CPU. Constant while p runs. */
static __always_inline u64 ctrace_compat_task_migrations(const struct task_struct *p)
{
	return p->se.nr_migrations;
}

/*
 * How long ago, in ns, p last got a CPU, and for how long it has been waiting for one; 0: it is not, or the
 * kernel does not count. Another CPU may change both at the same time.
 */
static inline void ctrace_compat_task_ran(const struct task_struct *p, u64 *ran, u64 *queued)
{
#ifdef CTRACE_HAVE_SCHED_INFO
	u64 now = local_clock(), at = READ_ONCE(p->sched_info.last_arrival);

	*ran = at && (s64)(now - at) > 0 ? now - at : 0;
	at = READ_ONCE(p->sched_info.last_queued);
	*queued = at && (s64)(now - at) > 0 ? now - at : 0;
#else
	*ran = 0;
	*queued = 0;
#endif
}

/* The clock of the scheduler's own times. */
static inline u64 ctrace_compat_sched_clock(void)
{
	return local_clock();
}

/*
 * p waits for a CPU. Has it waited since before that time of the scheduler's clock, without having been moved
 * to another CPU? False, if the kernel does not count. At sched_switch: next still waits.
 */
static __always_inline bool ctrace_compat_queued_before(const struct task_struct *p, u64 time)
{
#ifdef CTRACE_HAVE_SCHED_INFO
	u64 at = READ_ONCE(p->sched_info.last_queued);

	return at && at < time;
#else
	return false;
#endif
}

/* Did p last get a CPU before that time of the scheduler's clock? False, if the kernel does not count. */
static inline bool ctrace_compat_ran_before(const struct task_struct *p, u64 time)
{
#ifdef CTRACE_HAVE_SCHED_INFO
	return READ_ONCE(p->sched_info.last_arrival) < time;
#else
	return false;
#endif
}

/*
 * At sched_switch: does prev sleep from now on, until it is woken? Its state does not say so. Before 5.18
 * another CPU may have changed that already; and until 6.15 the kernel reports the state that a task with a
 * pending signal only tried to sleep in. But no CPU wakes prev before it is off this one, and sched_switch
 * comes before that.
 */
static __always_inline bool ctrace_compat_asleep(const struct task_struct *prev)
{
#ifdef CTRACE_HAVE_SCHED_DELAYED__MEMBER
	if (READ_ONCE(prev->se.sched_delayed))
		return true;
#endif
	return !READ_ONCE(prev->on_rq);
}

#ifndef PF_IO_WORKER
#define PF_IO_WORKER	0
#endif
#ifndef PF_USER_WORKER
#define PF_USER_WORKER	0
#endif

/* Are p's registers at its entry into the kernel a program's? Not for threads that the kernel made. */
static inline bool ctrace_compat_from_user(const struct task_struct *p)
{
	return p->mm && !(p->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER));
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
