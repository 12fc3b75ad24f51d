/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arguments of a system call as records hold them: 8 bytes for a number, a string
 * inline, in the order the call has them.
 */
#ifndef CTRACE_ARGS_H
#define CTRACE_ARGS_H

#include <linux/bitops.h>
#include "event/event.h"
#include "compat/syscall.h"

/*
 * All of them as numbers, layout->nargs words. 32-bit ones as their type has them: the upper half
 * of a register is the caller's whim.
 */
static __always_inline void ctrace_args_numbers(const struct pt_regs *regs, bool is32,
						const struct ctrace_syscall_layout *l, u64 *a)
{
	u32 m;

	ctrace_compat_syscall_args(regs, is32, l->nargs, a);
	if (!l->narrow)
		return;
	for (m = l->sext; m; m &= m - 1)
		a[__ffs(m)] = (s32)a[__ffs(m)];
	for (m = l->zext; m; m &= m - 1)
		a[__ffs(m)] = (u32)a[__ffs(m)];
}

/* Bytes that ctrace_args_put() may need: CTRACE_STR_MAX is a multiple of 8, so padding adds none. */
static inline u32 ctrace_args_room(const struct ctrace_syscall_layout *l)
{
	return l->nargs * 8 + hweight8(l->strings) * (CTRACE_STR_MAX - 8);
}

#define CTRACE_ARGS_MAX		(6 * CTRACE_STR_MAX)

/*
 * In the call itself, preemption off. All of them, with the strings as user memory has them now.
 * to is aligned to 8. Returns the bytes written.
 */
u32 ctrace_args_put(const struct pt_regs *regs, bool is32, const struct ctrace_syscall_layout *l,
		    void *to);

#endif
