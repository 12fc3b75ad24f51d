// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include "emit/stack.h"
#include "compat/stack.h"
#include "compat/syscall.h"
#include "compat/task.h"
#include "compat/tracepoint.h"

DEFINE_PER_CPU(const struct pt_regs *, ctrace_stack_regs);
DEFINE_PER_CPU(const struct ctrace_stack_waited *, ctrace_stack_waited);

/* --- the kernel's ------------------------------------------------------------- */

/*
 * Room for the frames between us and the code that the event happened in: our own, and frames of a timer's or
 * a breakpoint's handling.
 */
#define ABOVE	24

static bool ours(unsigned long ip)
{
	return within_module(ip, THIS_MODULE);
}

/*
 * Is ip, from a stack, where regs are? An ftrace-based kprobe sits at a call instruction: its regs say 1
 * past the beginning of that, and the stack has the address after the call. A breakpoint's regs say 1
 * too many.
 */
static bool at_regs(unsigned long ip, const struct pt_regs *regs)
{
	return ip - (instruction_pointer((struct pt_regs *)regs) - 1) < 10;
}

/* How many of the n frames in ip[] lie above the event's code. */
static u32 above(const unsigned long *ip, u32 n, const struct pt_regs *regs)
{
	u32 own = 0, i;

	while (own < n && ours(ip[own]))
		own++;
	/*
	 * If our frames come once more before regs are found, something interrupted us before
	 * the event of regs was written, and this is the event of that interruption.
	 */
	for (i = own; regs && i < n && !ours(ip[i]); i++)
		if (at_regs(ip[i], regs))
			return i;
	while (own < n && ctrace_compat_tracepoint_iterates(ip[own]))
		own++;
	return own;
}

/*
 * The unwinder takes no lock and does not sleep. It checks what it reads of a stack, and finds its
 * tables of modules' code under RCU, for which preemption off is enough. perf calls it from NMIs and BPF
 * from kprobes, as we do. A kprobe on the unwinder's own functions does no harm: the kernel counts a hit
 * inside a handler as missed, and calls no handler.
 */
u32 ctrace_stack_kernel(u64 *to, const struct pt_regs *regs)
{
	unsigned long ip[CTRACE_STACK_DEPTH + ABOVE];
	bool trap = !regs;
	u32 n, i, skip;

	regs = regs ?: __this_cpu_read(ctrace_stack_regs);
	if (regs && ctrace_compat_user_mode(regs))
		return 0;
	n = ctrace_compat_stack_save(ip, ARRAY_SIZE(ip));
	skip = above(ip, n, regs);
	if (regs && (skip == n || !at_regs(ip[skip], regs))) {
		n = ctrace_compat_stack_from(ip, ARRAY_SIZE(ip), regs);
		skip = 0;
	}
	n = min_t(u32, n - skip, CTRACE_STACK_DEPTH);
	for (i = 0; i < n; i++)
		to[i] = ip[skip + i];
	if (trap && regs && n)
		to[0] = ctrace_compat_past(to[0], regs);
	return n;
}

/* --- the user's --------------------------------------------------------------- */

/* A frame pointer and the return address above it. */
static bool read_frame(u64 fp, u32 word, u64 *next, u64 *ret)
{
	union {
		u64 w8[2];
		u32 w4[2];
	} f;

	if (ctrace_compat_read_user(&f, (void __user *)(uintptr_t)fp, 2 * word))
		return false;
	*next = word == 4 ? f.w4[0] : f.w8[0];
	*ret = word == 4 ? f.w4[1] : ctrace_compat_user_return(f.w8[1]);
	return true;
}

/*
 * In an NMI, the memory that is mapped may be the next task's: the interrupted code may be switching it.
 * It does that with interrupts off. So a breakpoint, which counts as an NMI, is safe in code that has
 * interrupts on.
 */
static bool memory_is_currents(void)
{
	const struct pt_regs *regs = __this_cpu_read(ctrace_stack_regs);

	return !in_nmi() || (regs && ctrace_compat_irqs_on(regs));
}

/*
 * The registers of current's program, if that has a stack which can be read; else NULL. A thread that the
 * kernel makes for a program (io_uring's, vhost's) has its memory, but never ran it: on x86 its registers are
 * its maker's, without ip and sp.
 */
static const struct pt_regs *user_regs(void)
{
	const struct pt_regs *regs = task_pt_regs(current);

	return ctrace_compat_from_user(current) && ctrace_compat_user_mode(regs) && memory_is_currents() ? regs : NULL;
}

u32 ctrace_stack_user(u64 *to)
{
	const struct pt_regs *regs = user_regs();
	struct ctrace_compat_frame f;
	u64 next;
	u32 n = 0;

	if (!regs)
		return 0;
	ctrace_compat_user_frame(regs, &f);
	/*
	 * A thread that the kernel made has none. It no longer says that it is one while it exits
	 * (io_worker_exit()).
	 */
	if (!f.sp)
		return 0;
	to[n++] = f.ip;
	if (!f.word)
		return n;
	/*
	 * Reading does this too, but only after a check that debug kernels mind in interrupts. data_race: an
	 * interrupt counts up and then down, and the code that it interrupts finds the task's count as it
	 * was.
	 */
	data_race(({ pagefault_disable(); 0; }));
	/*
	 * A frame lies above the stack pointer, and its caller's frame above it. If the register
	 * holds something else, or frames form a loop, the stack ends there.
	 */
	for (next = f.sp; n < CTRACE_STACK_DEPTH && f.fp >= next && !(f.fp % f.word); n++) {
		next = f.fp + 2 * f.word;
		if (!read_frame(f.fp, f.word, &f.fp, &to[n]) || !to[n])
			break;
	}
	/* data_race: see above */
	data_race(({ pagefault_enable(); 0; }));
	return n;
}

u32 ctrace_stack_user_registers(u64 *to, u64 *known, u64 *sp)
{
	const struct pt_regs *regs = user_regs(), *at = __this_cpu_read(ctrace_stack_regs);
	struct ctrace_compat_frame f;

	*known = 0;
	*sp = 0;
	if (!regs)
		return 0;
	ctrace_compat_user_frame(regs, &f);
	if (f.word != sizeof(u64) || !f.sp)
		return 0;
	*sp = f.sp;
	return ctrace_compat_user_registers(to, known, regs, at && ctrace_compat_user_mode(at));
}

/* The page after the last present one is asked for in vain; it is not faulted in. */
u32 ctrace_stack_user_copy(void *to, u64 from, u32 n)
{
	u32 done, part;

	for (done = 0; done < n; done += part) {
		part = min_t(u32, n - done, PAGE_SIZE - ((from + done) & ~PAGE_MASK));
		if (ctrace_compat_read_user(to + done, (void __user *)(uintptr_t)(from + done), part))
			break;
	}
	return done;
}
