/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacks of the running task, for records. */
#ifndef CTRACE_STACK_H
#define CTRACE_STACK_H

#include <linux/percpu.h>
#include <linux/types.h>

struct pt_regs;

#define CTRACE_STACK_DEPTH	64	/* frames of a kernel or user stack */

DECLARE_PER_CPU(const struct pt_regs *, ctrace_stack_regs);

/*
 * Around the emit of a handler that an exception or interrupt brought (a kprobe's, a
 * sample's): a stack that is recorded with it is that of the code which regs are of. Preemption
 * off in between; an interrupt that comes meanwhile has its own stack all the same.
 */
static __always_inline const struct pt_regs *ctrace_stack_begin(const struct pt_regs *regs)
{
	const struct pt_regs *outer = __this_cpu_read(ctrace_stack_regs);

	__this_cpu_write(ctrace_stack_regs, regs);
	return outer;
}

static __always_inline void ctrace_stack_end(const struct pt_regs *outer)
{
	__this_cpu_write(ctrace_stack_regs, outer);
}

/*
 * Any context incl. NMI; preemption off. Return addresses, innermost first, at most
 * CTRACE_STACK_DEPTH, into to[]; the number of them.
 * kernel: of the code that the event is in. Frames of this module are left out, those of a
 * tracepoint's dispatcher, and with regs (NULL: those of ctrace_stack_begin(), if any) those of what
 * brought us from there. The first one is then where regs are, or the tracepoint's caller.
 * user: of current, by frame pointers, as far as its memory is there; none for a kernel thread.
 */
u32 ctrace_stack_kernel(u64 *to, const struct pt_regs *regs);
u32 ctrace_stack_user(u64 *to);

#endif
