/* SPDX-License-Identifier: GPL-2.0-only */
/* Kprobes: whose instance it is, and what a handler may read. */
#ifndef CTRACE_COMPAT_KPROBE_H
#define CTRACE_COMPAT_KPROBE_H

#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include "facts.h"
#include "syscall.h"

#ifndef NOKPROBE_SYMBOL
/* before 3.16: what is probed within a handler is counted as missed there, no more */
#define NOKPROBE_SYMBOL(fn)
#endif

/* NULL: it is being unregistered. */
static __always_inline struct kretprobe *ctrace_compat_kretprobe(struct kretprobe_instance *ri)
{
#ifdef CTRACE_HAVE_GET_KRETPROBE
	return get_kretprobe(ri);
#else
	return ri->rp;
#endif
}

/* Where one address cannot mean both, a user's is told by its value, as the kernel's tracers do. */
static __always_inline bool ctrace_compat_is_user_address(u64 from)
{
#ifdef CONFIG_ARCH_HAS_NON_OVERLAPPING_ADDRESS_SPACE
	return from < TASK_SIZE;
#else
	return false;
#endif
}

/* Can an instruction begin so far from another? All are of one size on arm64. */
static inline bool ctrace_compat_insn_at(u64 offset)
{
#ifdef CONFIG_ARM64
	return IS_ALIGNED(offset, 4);
#else
	return true;
#endif
}

/* 0, or an error if it is not there: never sleeps, any context. */
static inline long ctrace_compat_read_kernel(void *to, u64 from, size_t n)
{
#ifdef CTRACE_HAVE_COPY_FROM_KERNEL_NOFAULT
	return copy_from_kernel_nofault(to, (const void *)(uintptr_t)from, n);
#else
	return probe_kernel_read(to, (const void *)(uintptr_t)from, n);
#endif
}

#endif
