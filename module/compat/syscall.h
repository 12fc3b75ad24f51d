/* SPDX-License-Identifier: GPL-2.0-only */
/* System call registers per architecture, and reads of user memory that must not fault. */
#ifndef CTRACE_COMPAT_SYSCALL_H
#define CTRACE_COMPAT_SYSCALL_H

#include <linux/compat.h>
#include <linux/fcntl.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
/* arm64's current_pt_regs() needs it, and has it by itself only with COMPAT */
#include <linux/sched/task_stack.h>
#include <linux/seccomp.h>
#include <linux/uaccess.h>
#include <asm/syscall.h>
#include "facts.h"

/* Is the caller a 32-bit one, so that numbers are of the 32-bit table? */
static __always_inline bool ctrace_compat_is_32bit_call(void)
{
#if defined(CONFIG_X86_64) && defined(CONFIG_IA32_EMULATION)
#ifdef CTRACE_HAVE_IA32_CALL__IS_TASK
	return is_ia32_task();
#else
	return in_ia32_syscall();
#endif
#elif defined(CONFIG_COMPAT)
	return in_compat_syscall();
#else
	return false;
#endif
}

#define CTRACE_COMPAT_NR_YIELD32	158	/* sched_yield() of i386 and of 32-bit ARM */

/* May current be in sched_yield()? By the number alone: it may be another call's, or old. */
static __always_inline bool ctrace_compat_may_yield(void)
{
	int nr = syscall_get_nr(current, current_pt_regs());

	return nr == __NR_sched_yield || nr == CTRACE_COMPAT_NR_YIELD32;
}

#ifdef CONFIG_X86_64
#define CTRACE_COMPAT_X32_BIT	0x40000000l	/* __X32_SYSCALL_BIT, which is an int in some kernels */
#define CTRACE_COMPAT_X32_FIRST	512		/* numbers that x32 has for itself begin here */

/*
 * The number that the native table has for the call nr. An x32 program sets a bit in it; and it has other
 * numbers for calls whose structures hold pointers. Before 5.4 kernels took these without the bit, too. A
 * kernel that has no x32 calls still reports such a number, before it answers ENOSYS.
 */
static inline long ctrace_compat_syscall_native(long nr)
{
	/* arch/x86/entry/syscalls/syscall_64.tbl, from 512 on; there will be no more of them */
	static const u16 own[64] = {
		13, 15, 16, 19, 20, 45, 46, 47, 59, 101, 127, 128, 129, 131, 222, 244, 246, 247, 273, 274, 278, 279,
		295, 296, 297, 299, 307, 310, 311, 54, 55, 206, 209, 322, 327, 328,
	};
	unsigned long i;

	if (nr >> 30 == 1)
		nr ^= CTRACE_COMPAT_X32_BIT;
	i = nr - CTRACE_COMPAT_X32_FIRST;
	if (i >= ARRAY_SIZE(own))
		return nr;
	OPTIMIZER_HIDE_VAR(i);		/* as in ctrace_syscall_nospec() */
	i = own[i % ARRAY_SIZE(own)];
	return i ? i : nr;
}

/*
 * Has the caller's call one of x32's own numbers? Then its structures differ from the native call of that
 * name. By other numbers x32 programs pass what native ones do.
 */
static inline bool ctrace_compat_x32_own(void)
{
	unsigned long nr = syscall_get_nr(current, current_pt_regs());

	return (nr & ~CTRACE_COMPAT_X32_BIT) - CTRACE_COMPAT_X32_FIRST < 64;
}
#else
static inline long ctrace_compat_syscall_native(long nr)
{
	return nr;
}

static inline bool ctrace_compat_x32_own(void)
{
	return false;
}
#endif

/* The first n (0 to 6) arguments of the call, as the registers have them. */
static __always_inline void ctrace_compat_syscall_args(const struct pt_regs *regs,
						       bool is32, unsigned int n, u64 *a)
{
#ifdef CONFIG_X86_64
	if (unlikely(is32)) {
		switch (n) {
		case 6: a[5] = (u32)regs->bp; fallthrough;
		case 5: a[4] = (u32)regs->di; fallthrough;
		case 4: a[3] = (u32)regs->si; fallthrough;
		case 3: a[2] = (u32)regs->dx; fallthrough;
		case 2: a[1] = (u32)regs->cx; fallthrough;
		case 1: a[0] = (u32)regs->bx; fallthrough;
		default: break;
		}
		return;
	}
	/* shortest for few arguments, as most calls have; a switch would search for its case */
	if (!n)
		return;
	a[0] = regs->di;
	if (n == 1)
		return;
	a[1] = regs->si;
	if (n == 2)
		return;
	a[2] = regs->dx;
	if (n == 3)
		return;
	a[3] = regs->r10;
	if (n == 4)
		return;
	a[4] = regs->r8;
	if (n == 5)
		return;
	a[5] = regs->r9;
#else
	unsigned long v[6];
	unsigned int i;

	syscall_get_arguments(current, (struct pt_regs *)regs, v);
	for (i = 0; i < n; i++)
		a[i] = is32 ? (u32)v[i] : v[i];
#endif
}

/* Before 3.15 there are no such locks. */
#ifndef F_OFD_GETLK
#define F_OFD_GETLK	36
#define F_OFD_SETLK	37
#define F_OFD_SETLKW	38
#endif

/* 0, or -EFAULT if the page is not there: never sleeps, any context. */
static inline long ctrace_compat_read_user(void *dst, const void __user *src, size_t n)
{
	long left;

#if defined(CTRACE_HAVE_USER_NOFAULT__COPY)
	/*
	 * access_ok() in it complains of an interrupt, unless page faults are off: 5.8 to 5.17, if configured
	 * so
	 */
#if defined(CONFIG_DEBUG_ATOMIC_SLEEP) && defined(WARN_ON_IN_IRQ)
	pagefault_disable();
#endif
	left = copy_from_user_nofault(dst, src, n);
#if defined(CONFIG_DEBUG_ATOMIC_SLEEP) && defined(WARN_ON_IN_IRQ)
	pagefault_enable();
#endif
#else
	unsigned long from = (unsigned long)src;

	/* Neither access_ok() nor probe_user_read(), which calls it: it must not run in interrupts. */
	if (from >= TASK_SIZE || n > TASK_SIZE - from)
		return -EFAULT;
	pagefault_disable();
	left = __copy_from_user_inatomic(dst, src, n);
	pagefault_enable();
#endif
	return left ? -EFAULT : 0;
}

/*
 * Copies a string of at most max - 1 bytes, and a NUL. Returns its length without the NUL; or -EFAULT if a
 * byte of it is not there. Never sleeps; process context. strncpy_from_user_nofault() does the same, but is
 * not exported.
 */
static inline long ctrace_compat_read_user_string(char *dst, const char __user *src, size_t max)
{
	long n;

	pagefault_disable();
	n = strncpy_from_user(dst, src, max - 1);
	pagefault_enable();
	if (n >= 0)
		dst[n] = 0;
	return n;
}

/*
 * Where the program has the signal mask that rt_sigreturn() is about to restore: in the frame that the kernel
 * put on its stack for the handler, which is ABI. A program may call it with anything there. 0: not known
 * here. Context: the entry of that call by a native program; the return's registers are the restored ones.
 */
static inline unsigned long ctrace_compat_sigframe_mask(void)
{
#if defined(CONFIG_X86_64)
	/* the handler took its return address off the stack; 256 bytes of registers are before uc_sigmask */
	return user_stack_pointer(current_pt_regs()) + 8 + 8 + 24 + 256;
#elif defined(CONFIG_ARM64)
	/* a siginfo, and uc_sigmask, which is before the registers */
	return user_stack_pointer(current_pt_regs()) + 128 + 8 + 8 + 24;
#else
	return 0;
#endif
}

/* Does a seccomp filter say which calls this task may make? */
static inline bool ctrace_compat_seccomp_filtered(const struct task_struct *p)
{
#ifdef CONFIG_SECCOMP_FILTER
	return READ_ONCE(p->seccomp.mode) == SECCOMP_MODE_FILTER;
#else
	return false;
#endif
}

#endif
