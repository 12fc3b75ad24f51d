/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The flag that takes a task's system calls to the tracepoints sys_enter and sys_exit. The kernel sets it for
 * all tasks before the first probe is registered there, clears it after the last one's end, and gives a child
 * what its parent has (syscall_regfunc(), syscall_unregfunc(), syscall_tracepoint_update()). Every change of
 * it is atomic.
 */
#ifndef CTRACE_COMPAT_CALLS_H
#define CTRACE_COMPAT_CALLS_H

#include <linux/sched.h>
#include <linux/thread_info.h>

#ifndef set_task_syscall_work	/* before 5.11 */
#define set_task_syscall_work(p, flag)		set_tsk_thread_flag(p, TIF_##flag)
#define clear_task_syscall_work(p, flag)	clear_tsk_thread_flag(p, TIF_##flag)
#define test_task_syscall_work(p, flag)		test_tsk_thread_flag(p, TIF_##flag)
#endif

static inline void ctrace_compat_calls_show(struct task_struct *p)
{
	set_task_syscall_work(p, SYSCALL_TRACEPOINT);
}

static inline void ctrace_compat_calls_hide(struct task_struct *p)
{
	clear_task_syscall_work(p, SYSCALL_TRACEPOINT);
}

static inline bool ctrace_compat_calls_shown(struct task_struct *p)
{
	return test_task_syscall_work(p, SYSCALL_TRACEPOINT);
}

#endif
