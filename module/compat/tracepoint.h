/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints by name, and probe prototypes.
 *
 * Tracepoint prototypes change even within a stable series, so a question asks
 * for each one that is used. The CTRACE_PROBE_* macros give a probe the arguments
 * of this kernel.
 */
#ifndef CTRACE_COMPAT_TRACEPOINT_H
#define CTRACE_COMPAT_TRACEPOINT_H

#include <linux/tracepoint.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include "compat/rcu.h"
#include "compat/task.h"
#include "facts.h"

/*
 * Both look name up (no tracepoint symbol is exported to modules). 0, -ENOENT
 * (this kernel has no such tracepoint), -EEXIST, -ENOMEM. May sleep. After
 * unregistering, call ctrace_compat_tracepoint_sync() before you free what the probe uses.
 */
int ctrace_compat_tracepoint_register(const char *name, void *probe, void *data);
int ctrace_compat_tracepoint_unregister(const char *name, void *probe, void *data);
/*
 * The probe is called after all other probes of that tracepoint. There can be one such probe in all.
 * It must cope with being called twice, and ignore its data.
 */
int ctrace_compat_tracepoint_register_last(const char *name, void *probe);
int ctrace_compat_tracepoint_unregister_last(const char *name, void *probe);
/* These two include the tracepoints of modules. fn must not sleep long: loading of modules waits. */
bool ctrace_compat_tracepoint_exists(const char *name);
void ctrace_compat_tracepoint_each(void (*fn)(const char *name, void *data), void *data);

/* A reference on a tracepoint: its module, if it has one, cannot be removed. */
struct ctrace_compat_tp {
	struct tracepoint *tp;
	struct module *mod;		/* a reference, or NULL: built in */
};

/* 0, -ENOENT. May sleep. */
int ctrace_compat_tp_get(const char *name, struct ctrace_compat_tp *h);
void ctrace_compat_tp_put(struct ctrace_compat_tp *h);
int ctrace_compat_tp_register(const struct ctrace_compat_tp *h, void *probe, void *data);
void ctrace_compat_tp_unregister(const struct ctrace_compat_tp *h, void *probe, void *data);
/* How many arguments its probes get after data; -ENOENT: the kernel does not say. */
int ctrace_compat_tp_nargs(const struct ctrace_compat_tp *h);
/*
 * True if only this module has probes on h, which is built in. In a probe of h, or of another one that the
 * kernel protects likewise.
 */
bool ctrace_compat_tp_ours(const struct ctrace_compat_tp *h);
/* Do the functions that register probes take a struct tracepoint? */
#ifdef CTRACE_HAVE_TRACEPOINT_REGISTER__POINTER
#define CTRACE_COMPAT_TP_POINTERS	true
#else
#define CTRACE_COMPAT_TP_POINTERS	false
#endif
/* Does the kernel's own event SYSTEM:NAME exist? True where that cannot be asked. */
bool ctrace_compat_event_exists(const char *system, const char *name);

/* May a probe's prototype differ from the tracepoint's? Not if the kernel checks indirect calls (CFI). */
static inline bool ctrace_compat_tp_may_raw(void)
{
	return !IS_ENABLED(CONFIG_CFI_CLANG) && !IS_ENABLED(CONFIG_CFI);
}

/*
 * How many arguments come in registers, after data: what a probe may read if the number of
 * arguments is not known. A register without an argument is stale, but safe to read.
 */
#ifdef CONFIG_X86_64
#define CTRACE_COMPAT_TP_REGS	5
#else
#define CTRACE_COMPAT_TP_REGS	7
#endif
/*
 * Is ip in the iterator function, which calls the probes, of a tracepoint that a probe was
 * ever registered for here? Any context. False where kernels have none, or do not say.
 */
bool ctrace_compat_tracepoint_iterates(unsigned long ip);

static inline void ctrace_compat_tracepoint_sync(void)
{
	tracepoint_synchronize_unregister();
}

/*
 * Turns preemption off, which per-CPU rings and our RCU read sides need. Until 6.12 the
 * kernel calls every probe with preemption off. Since 6.13 (DECLARE_TRACE_SYSCALL) it does
 * not for system calls, and since tracepoints are protected by fast SRCU it does for none.
 */
static __always_inline void ctrace_compat_probe_begin(void)
{
#ifdef CTRACE_HAVE_TRACEPOINT_PROBE__PREEMPTIBLE
	preempt_disable_notrace();
#endif
	ctrace_compat_rcu_begin();
}

static __always_inline void ctrace_compat_probe_end(void)
{
	ctrace_compat_rcu_end();
#ifdef CTRACE_HAVE_TRACEPOINT_PROBE__PREEMPTIBLE
	preempt_enable_notrace();
#endif
}

#ifdef CTRACE_HAVE_SCHED_SWITCH__PREV_NEXT_STATE
#define CTRACE_PROBE_SCHED_SWITCH(fn)						\
	fn(void *data, bool preempt, struct task_struct *prev,			\
	   struct task_struct *next, unsigned int prev_state)
#define CTRACE_PROBE_PREV_STATE(prev)	prev_state
#else
#ifdef CTRACE_HAVE_SCHED_SWITCH__PREV_NEXT_ALONE
#define CTRACE_PROBE_SCHED_SWITCH(fn)						\
	fn(void *data, struct task_struct *prev, struct task_struct *next)
/* prev is current here */
#define CTRACE_PROBE_PREEMPT	(preempt_count() & PREEMPT_ACTIVE)
#else
#define CTRACE_PROBE_SCHED_SWITCH(fn)						\
	fn(void *data, bool preempt, struct task_struct *prev, struct task_struct *next)
#endif
#define CTRACE_PROBE_PREV_STATE(prev)	ctrace_compat_task_state(prev)
#endif
#ifndef CTRACE_PROBE_PREEMPT
#define CTRACE_PROBE_PREEMPT	preempt
#endif

/* success is never false in kernels that still have it */
#ifdef CTRACE_HAVE_SCHED_WAKEUP__TASK_SUCCESS
#define CTRACE_PROBE_SCHED_WAKEUP(fn)	fn(void *data, struct task_struct *p, int success)
#else
#define CTRACE_PROBE_SCHED_WAKEUP(fn)	fn(void *data, struct task_struct *p)
#endif
#ifdef CTRACE_HAVE_SCHED_WAKEUP_NEW__TASK_SUCCESS
#define CTRACE_PROBE_SCHED_WAKEUP_NEW(fn)	fn(void *data, struct task_struct *p, int success)
#else
#define CTRACE_PROBE_SCHED_WAKEUP_NEW(fn)	fn(void *data, struct task_struct *p)
#endif

/* Does the event have the waker? At sched_wakeup another CPU may act for it. */
#ifdef CTRACE_HAVE_SCHED_WAKING__TASK
#define CTRACE_COMPAT_SCHED_WAKING	true
#else
#define CTRACE_COMPAT_SCHED_WAKING	false
#endif

#ifdef CTRACE_HAVE_SCHED_PROCESS_EXIT__TASK_GROUP_DEAD
#define CTRACE_PROBE_SCHED_PROCESS_EXIT(fn)	fn(void *data, struct task_struct *p, bool group_dead)
#define CTRACE_PROBE_GROUP_DEAD		group_dead
#define CTRACE_COMPAT_GROUP_DEAD_ONCE	true
#else
/*
 * p does not count as a thread that lives any more. The last two may both have stopped counting before either
 * comes here, so for both of them there is none left.
 */
#define CTRACE_PROBE_SCHED_PROCESS_EXIT(fn)	fn(void *data, struct task_struct *p)
#define CTRACE_PROBE_GROUP_DEAD		(!atomic_read(&p->signal->live))
#define CTRACE_COMPAT_GROUP_DEAD_ONCE	false
#endif

#ifndef CTRACE_HAVE_CGROUP_ATTACH_TASK__PLAIN
#define CTRACE_PROBE_CGROUP_ATTACH_TASK(fn)					\
	fn(void *data, struct cgroup *dst, const char *path, struct task_struct *p, bool group)
#define CTRACE_PROBE_ATTACH_PATH	path
#else
#define CTRACE_PROBE_CGROUP_ATTACH_TASK(fn)					\
	fn(void *data, struct cgroup *dst, struct task_struct *p, bool group)
#define CTRACE_PROBE_ATTACH_PATH	NULL
#endif

#ifdef CTRACE_HAVE_SCHED_STAT_RUNTIME__VRUNTIME
#define CTRACE_PROBE_SCHED_STAT_RUNTIME(fn)					\
	fn(void *data, struct task_struct *p, u64 runtime, u64 vruntime)
#define CTRACE_PROBE_VRUNTIME		vruntime
#define CTRACE_COMPAT_STAT_VRUNTIME	1
#else
#define CTRACE_PROBE_SCHED_STAT_RUNTIME(fn)	fn(void *data, struct task_struct *p, u64 runtime)
#define CTRACE_PROBE_VRUNTIME		0
#define CTRACE_COMPAT_STAT_VRUNTIME	0
#endif

#ifdef CTRACE_HAVE_TIMER_EXPIRE_ENTRY__BASECLK
#define CTRACE_PROBE_TIMER_EXPIRE(fn)						\
	fn(void *data, struct timer_list *timer, unsigned long baseclk)
#define CTRACE_PROBE_TIMER_BASECLK	baseclk
#else
#define CTRACE_PROBE_TIMER_EXPIRE(fn)	fn(void *data, struct timer_list *timer)
/* when the timer was due; the wheel's own time, which is not passed, is the same or little later */
#define CTRACE_PROBE_TIMER_BASECLK	(timer->expires)
#endif

#ifdef CTRACE_HAVE_ITIMER_EXPIRE__CPUTIME
#define CTRACE_PROBE_ITIMER_EXPIRE(fn)	fn(void *data, int which, struct pid *pid, cputime_t now)
#define CTRACE_PROBE_ITIMER_NOW		((u64)cputime_to_usecs(now) * 1000)
#else
#define CTRACE_PROBE_ITIMER_EXPIRE(fn)						\
	fn(void *data, int which, struct pid *pid, unsigned long long now)
#define CTRACE_PROBE_ITIMER_NOW		now
#endif

#ifdef CTRACE_HAVE_SIGNAL__KERNEL_SIGINFO
#define ctrace_compat_siginfo	struct kernel_siginfo
#else
#define ctrace_compat_siginfo	struct siginfo
#endif

/*
 * Some values of a signal's info are no pointers: they say that it came from user space, or from the kernel.
 * Until 4.20 the kernel says of some of its own that user space sent them, by a value for itself.
 */
static inline bool ctrace_compat_siginfo_user(const void *info)
{
#ifdef SEND_SIG_FORCED
	if (info == SEND_SIG_FORCED)
		return true;
#endif
	return info == SEND_SIG_NOINFO;
}

#ifdef CTRACE_HAVE_HRTIMER_EXPIRE_ENTRY__VALUE
#define CTRACE_PROBE_HRTIMER_EXPIRE(fn)		fn(void *data, struct hrtimer *timer, ktime_t now)
#define CTRACE_PROBE_HRTIMER_NOW	ktime_to_ns(now)
#else
#define CTRACE_PROBE_HRTIMER_EXPIRE(fn)		fn(void *data, struct hrtimer *timer, ktime_t *now)
#define CTRACE_PROBE_HRTIMER_NOW	ktime_to_ns(*now)
#endif

#ifdef CTRACE_HAVE_HRTIMER_START__ARMED
#define CTRACE_PROBE_HRTIMER_START(fn)						\
	fn(void *data, struct hrtimer *timer, enum hrtimer_mode mode, bool was_armed)
#elif defined(CTRACE_HAVE_HRTIMER_START__MODE)
#define CTRACE_PROBE_HRTIMER_START(fn)	fn(void *data, struct hrtimer *timer, enum hrtimer_mode mode)
#else
#define CTRACE_PROBE_HRTIMER_START(fn)	fn(void *data, struct hrtimer *timer)
#endif

/* CTRACE_PROBE_NEWPRIO: the priority that the task gets */
#ifdef CTRACE_HAVE_SCHED_PI_SETPRIO__TASK
#define CTRACE_PROBE_SCHED_PI_SETPRIO(fn)					\
	fn(void *data, struct task_struct *p, struct task_struct *pi_task)
#define CTRACE_PROBE_NEWPRIO	(pi_task ? min(p->normal_prio, pi_task->prio) : p->normal_prio)
#else
#define CTRACE_PROBE_SCHED_PI_SETPRIO(fn)	fn(void *data, struct task_struct *p, int newprio)
#define CTRACE_PROBE_NEWPRIO	newprio
#endif

/* CTRACE_PROBE_VICTIM: NULL if the pid has gone. RCU read side. */
#ifdef CTRACE_HAVE_MARK_VICTIM__TASK_UID
#define CTRACE_PROBE_MARK_VICTIM(fn)	fn(void *data, struct task_struct *p, uid_t uid)
#define CTRACE_PROBE_VICTIM		p
#else
#define CTRACE_PROBE_MARK_VICTIM(fn)	fn(void *data, int pid)
#define CTRACE_PROBE_VICTIM		pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID)
#endif

#endif
