/* SPDX-License-Identifier: GPL-2.0-only */
/* Kprobes: the kretprobe of an instance, and memory that a handler may read. */
#ifndef CTRACE_COMPAT_KPROBE_H
#define CTRACE_COMPAT_KPROBE_H

#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include "compat/syscall.h"
#include "facts.h"

#ifndef NOKPROBE_SYMBOL
/* before 3.16: a probe that is hit inside a handler is just counted as missed */
#define NOKPROBE_SYMBOL(fn)
#endif

/*
 * Argument n, from 0 on, of a function whose entry was hit; it has more than n, and all are integers or
 * pointers.
 */
static __always_inline unsigned long ctrace_compat_argument(const struct pt_regs *regs, unsigned int n)
{
#if defined(CONFIG_X86_64)
	switch (n) {
	case 0:
		return regs->di;
	case 1:
		return regs->si;
	case 2:
		return regs->dx;
	case 3:
		return regs->cx;
	}
	return 0;
#elif defined(CONFIG_ARM64)
	return regs->regs[n];
#else
	return 0;
#endif
}

/* NULL: the kretprobe is being unregistered. */
static __always_inline struct kretprobe *ctrace_compat_kretprobe(struct kretprobe_instance *ri)
{
#ifdef CTRACE_HAVE_GET_KRETPROBE
	return get_kretprobe(ri);
#else
	return ri->rp;
#endif
}

/*
 * Is `from` a user's address? Its value says so where user and kernel addresses do not overlap; the
 * kernel's own tracers judge the same way since 5.7.
 */
static __always_inline bool ctrace_compat_is_user_address(u64 from)
{
#if defined(CONFIG_ARCH_HAS_NON_OVERLAPPING_ADDRESS_SPACE) || defined(CONFIG_X86_64)
	return from < TASK_SIZE;
#else
	return false;
#endif
}

/* Can an instruction begin `offset` bytes after another? On arm64 all are 4 bytes long. */
static inline bool ctrace_compat_insn_at(u64 offset)
{
#ifdef CONFIG_ARM64
	return IS_ALIGNED(offset, 4);
#else
	return true;
#endif
}

/*
 * 0, or an error if the memory is not there. Never sleeps; any context. Before 5.8 the kernel reads this
 * memory by the same means as user memory. So an address that is not the kernel's could be read, and a
 * non-canonical one (no page fault) makes 5.0 and later complain in the kernel's log. The check below
 * rules out both.
 */
static inline long ctrace_compat_read_kernel(void *to, u64 from, size_t n)
{
#ifdef CTRACE_HAVE_COPY_FROM_KERNEL_NOFAULT
	return copy_from_kernel_nofault(to, (const void *)(uintptr_t)from, n);
#else
#ifdef CONFIG_X86_64
	if (from < -1ull << (boot_cpu_data.x86_virt_bits - 1) || from + n < from)
		return -EFAULT;
#endif
	return probe_kernel_read(to, (const void *)(uintptr_t)from, n);
#endif
}

#endif
