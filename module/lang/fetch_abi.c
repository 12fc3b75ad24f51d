// SPDX-License-Identifier: GPL-2.0-only
/*
 * What fetch*.c needs of the kernel: registers by its names, the ones that hold a function's arguments,
 * memory.
 */
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/stddef.h>
#include "lang/fetch.h"
#include "compat/kprobe.h"
#include "compat/syscall.h"

#if defined(CONFIG_X86_64)

#define R(r)	{ .name = #r, .offset = offsetof(struct pt_regs, r) }

static const struct ctrace_fetch_reg regs[] = {
	R(r15), R(r14), R(r13), R(r12), R(bp), R(bx), R(r11), R(r10), R(r9), R(r8), R(ax), R(cx),
	R(dx), R(si), R(di), R(orig_ax), R(ip), R(cs), R(flags), R(sp), R(ss),
};
static const char *const args[] = { "di", "si", "dx", "cx", "r8", "r9" };

const struct ctrace_fetch_abi ctrace_fetch_abi = {
	.regs = regs, .nregs = ARRAY_SIZE(regs), .args = args, .nargs = ARRAY_SIZE(args),
	.stack_args = 1,	/* above the return address */
	.retval = "ax", .sp = "sp",
};

#elif defined(CONFIG_ARM64)

#define X(n)	{ .name = "x" #n, .offset = offsetof(struct pt_regs, regs[n]) }
#define R(r)	{ .name = #r, .offset = offsetof(struct pt_regs, r) }

static const struct ctrace_fetch_reg regs[] = {
	X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(10), X(11), X(12), X(13),
	X(14), X(15), X(16), X(17), X(18), X(19), X(20), X(21), X(22), X(23), X(24), X(25), X(26),
	X(27), X(28), X(29), X(30), { .name = "lr", .offset = offsetof(struct pt_regs, regs[30]) },
	R(sp), R(pc), R(pstate),
};
static const char *const args[] = { "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7" };

const struct ctrace_fetch_abi ctrace_fetch_abi = {
	.regs = regs, .nregs = ARRAY_SIZE(regs), .args = args, .nargs = ARRAY_SIZE(args),
	.retval = "x0", .sp = "sp",
};

#else

/* Functions can still be probed, but $comm is the only argument. */
const struct ctrace_fetch_abi ctrace_fetch_abi = { };

#endif

long ctrace_fetch_read(const struct ctrace_fetch_ctx *x, void *to, u64 from, u32 n, bool user)
{
	if (!user && !ctrace_compat_is_user_address(from))
		return ctrace_compat_read_kernel(to, from, n);
	return x->task ? ctrace_compat_read_user(to, (const void __user *)(uintptr_t)from, n) : -EFAULT;
}
