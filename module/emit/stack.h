/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacks of the running task, for records. */
#ifndef CTRACE_STACK_H
#define CTRACE_STACK_H

#include <linux/percpu.h>
#include <linux/types.h>

struct pt_regs;

#define CTRACE_STACK_DEPTH	64	/* frames of a kernel or user stack */
#define CTRACE_STACK_REGISTERS	33	/* a program's registers */

DECLARE_PER_CPU(const struct pt_regs *, ctrace_stack_regs);

/*
 * Called around the emit of a handler that runs in an exception or interrupt (a kprobe's, a sample's),
 * so that a stack recorded with the event is that of the interrupted code, which regs describe.
 * Preemption is off in between. An event of another interrupt in between still gets its own stack.
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

struct ctrace_stack_frames {
	u32 n;
	u64 callstack[CTRACE_STACK_DEPTH];
};

/* The stack of event `of`, where it is not the one that leads to its emit. */
struct ctrace_stack_waited {
	u32 of, n;
	const struct ctrace_stack_frames *user;	/* the program's; NULL: what it is at the emit */
	u64 callstack[CTRACE_STACK_DEPTH];
};

/*
 * Its event's emit sets it before and clears it after, with preemption off. Events of interrupts have other
 * ids.
 */
DECLARE_PER_CPU(const struct ctrace_stack_waited *, ctrace_stack_waited);

/*
 * Both put return addresses into to[], innermost first, at most CTRACE_STACK_DEPTH, and return how many.
 * Any context incl. NMI; preemption off.
 *
 * kernel: the stack of the code that the event happened in. regs: where that was; NULL: the ones of
 * ctrace_stack_begin(), if any. Left out are the frames of this module, of a tracepoint's dispatcher and,
 * with regs, of the exception or interrupt that led from there to us. So the first address is where regs are,
 * or the tracepoint's caller. user: current's stack, by frame pointers, as far as its memory is present; none
 * for a kernel thread.
 */
u32 ctrace_stack_kernel(u64 *to, const struct pt_regs *regs);
u32 ctrace_stack_user(u64 *to);

/*
 * The same contexts. registers: of current's program, of 64 bits, by their numbers in DWARF, at most
 * CTRACE_STACK_REGISTERS. Returns how many; 0: it has none, or its memory cannot be read here. Bit i of
 * *known: the kernel has register i. *sp: where its stack is. copy: n bytes of its memory, or the first of
 * them. Returns how many were copied. The bytes behind them in to[] are not defined.
 */
u32 ctrace_stack_user_registers(u64 *to, u64 *known, u64 *sp);
u32 ctrace_stack_user_copy(void *to, u64 from, u32 n);

#endif
