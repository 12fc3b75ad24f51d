/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacks: the kernel's, by its unwinder, and where a user's stack begins. */
#ifndef CTRACE_COMPAT_STACK_H
#define CTRACE_COMPAT_STACK_H

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "facts.h"

#ifndef CTRACE_HAVE_WITHIN_MODULE
static inline bool within_module(unsigned long addr, const struct module *mod)
{
	return within_module_init(addr, mod) || within_module_core(addr, mod);
}
#endif

/* Stores up to n return addresses of the running code in to[], the caller's own first. */
static __always_inline u32 ctrace_compat_stack_save(unsigned long *to, u32 n)
{
#ifdef CTRACE_HAVE_STACK_TRACE__SAVE
	return stack_trace_save(to, n, 0);
#else
	struct stack_trace t = { .entries = to, .max_entries = n };
	u32 own = 0;

	save_stack_trace(&t);
	/* x86 ends a complete stack with ULONG_MAX */
	if (t.nr_entries && to[t.nr_entries - 1] == ULONG_MAX)
		t.nr_entries--;
	/* some begin with the unwinder's own frames: x86 before 4.10, and 4.14 */
	while (own < t.nr_entries && !within_module(to[own], THIS_MODULE))
		own++;
	if (own && own < t.nr_entries) {
		t.nr_entries -= own;
		memmove(to, to + own, t.nr_entries * sizeof(*to));
	}
	return t.nr_entries;
#endif
}

/*
 * Stores in to[] up to n addresses of the kernel stack of the code that regs were saved from; for
 * when the unwinder did not reach it. Unwinders before 4.10 leave out interrupted code. With frame
 * pointers the walk is simple: the return address lies above each frame pointer. A function at its
 * entry has no frame yet, so its caller is missing, as in the kernel's own stacks. Without frame
 * pointers (seen with the unwind tables of RHEL 8.1) only the address in regs is known.
 */
static inline u32 ctrace_compat_stack_from(unsigned long *to, u32 n, const struct pt_regs *regs)
{
#if !defined(CTRACE_HAVE_STACK_TRACE__SAVE) && defined(CONFIG_X86_64) && defined(CONFIG_FRAME_POINTER)
	unsigned long fp = regs->bp, from = regs->sp, frame[2];
	u32 i;

	to[0] = regs->ip;
	for (i = 1; i < n && fp >= from && fp - from < THREAD_SIZE; i++, fp = frame[0]) {
		from = fp + sizeof(frame);
		if (probe_kernel_read(frame, (void *)fp, sizeof(frame)) || frame[1] < TASK_SIZE_MAX)
			break;
		to[i] = frame[1];
	}
	return i;
#else
	to[0] = instruction_pointer((struct pt_regs *)regs);
	return 1;
#endif
}

/* user_mode() takes a const pointer only in the newest kernels. */
static __always_inline bool ctrace_compat_user_mode(const struct pt_regs *regs)
{
	return user_mode((struct pt_regs *)regs);
}

/* *regs becomes the kernel's registers at ip, as far as a stack's frames are looked for by them. */
static inline void ctrace_compat_regs_at(struct pt_regs *regs, unsigned long ip)
{
	memset(regs, 0, sizeof(*regs));
#if defined(CONFIG_X86_64)
	regs->ip = ip;
	regs->cs = __KERNEL_CS;
#elif defined(CONFIG_ARM64)
	regs->pc = ip;
	regs->pstate = PSR_MODE_EL1h;
#endif
}

/* The part of user code's registers that describes its stack. */
struct ctrace_compat_frame {
	u64 ip, sp, fp;
	u32 word;	/* bytes of a saved frame pointer, with the return address above; 0: another layout */
};

static inline void ctrace_compat_user_frame(const struct pt_regs *regs,
					    struct ctrace_compat_frame *f)
{
	f->ip = instruction_pointer((struct pt_regs *)regs);
	f->sp = user_stack_pointer((struct pt_regs *)regs);
#if defined(CONFIG_X86_64)
	f->fp = regs->bp;
	f->word = regs->cs == __USER32_CS ? 4 : 8;
#elif defined(CONFIG_ARM64)
	f->fp = regs->regs[29];
	f->word = compat_user_mode(regs) ? 0 : 8;
#else
	f->fp = 0;
	f->word = 0;
#endif
}

/*
 * Puts the registers of a 64-bit program into to[], by their numbers in DWARF, and returns how many there
 * are. Bit i of *known: register i is the program's. interrupted: regs are of an interrupt that came while it
 * ran. x86's way into most system calls saves all registers since 4.16 (21d375b6b34f); we see it by 4.17's
 * wrappers. Before, it leaves out those that a callee preserves, and old bytes are in their places.
 */
static inline u32 ctrace_compat_user_registers(u64 *to, u64 *known, const struct pt_regs *regs, bool interrupted)
{
#if defined(CONFIG_X86_64)
	const u64 v[] = {
		regs->ax, regs->dx, regs->cx, regs->bx, regs->si, regs->di, regs->bp, regs->sp,
		regs->r8, regs->r9, regs->r10, regs->r11, regs->r12, regs->r13, regs->r14, regs->r15, regs->ip,
	};
	u32 i;

	*known = (1ull << ARRAY_SIZE(v)) - 1;
#ifndef CONFIG_ARCH_HAS_SYSCALL_WRAPPER
	if (!interrupted)
		*known &= ~0xf048ull;
#endif
	for (i = 0; i < ARRAY_SIZE(v); i++)
		to[i] = *known & 1ull << i ? v[i] : 0;
	return ARRAY_SIZE(v);
#elif defined(CONFIG_ARM64)
	*known = (1ull << 33) - 1;
	memcpy(to, regs->regs, 31 * sizeof(u64));
	to[31] = regs->sp;
	to[32] = regs->pc;
	return 33;
#else
	*known = 0;
	return 0;
#endif
}

/*
 * A breakpoint's address in the form that stacks have. x86 reports an address past the
 * instruction's start, like a return address; arm64 the start itself.
 */
static inline unsigned long ctrace_compat_past(unsigned long ip, const struct pt_regs *regs)
{
#if defined(CONFIG_ARM64)
	return ip == instruction_pointer((struct pt_regs *)regs) ? ip + 4 : ip;
#else
	return ip;
#endif
}

/* Strips the signature that a return address in a user's stack may have on arm64, in its unused bits. */
static inline u64 ctrace_compat_user_return(u64 ret)
{
#if defined(CONFIG_ARM64)
	return ret & (TASK_SIZE_64 - 1);
#else
	return ret;
#endif
}

/* Were interrupts on in the code that regs were saved from? False where that is not known. */
static inline bool ctrace_compat_irqs_on(const struct pt_regs *regs)
{
#if defined(CONFIG_X86)
	return regs->flags & X86_EFLAGS_IF;
#elif defined(CONFIG_ARM64)
	return interrupts_enabled(regs);
#else
	return false;
#endif
}

#endif
