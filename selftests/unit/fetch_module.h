/* SPDX-License-Identifier: GPL-2.0-only */
/* The module's own parser of kprobe definitions, compiled into the file that includes this, and a machine
 * to run it on. */
#ifndef CTRACE_SELFTEST_FETCH_MODULE_H
#define CTRACE_SELFTEST_FETCH_MODULE_H

#include "../../module/lang/fetch.c"
#include "../../module/lang/fetch_arg.c"
#include "../../module/lang/fetch_eval.c"
#include "../../module/lang/fetch_text.c"

struct fake_regs {
	u64 a, b, c, sp, ret;
};

static const struct ctrace_fetch_reg fake_reg_names[] = {
	{ "a", offsetof(struct fake_regs, a) }, { "b", offsetof(struct fake_regs, b) },
	{ "c", offsetof(struct fake_regs, c) }, { "sp", offsetof(struct fake_regs, sp) },
	{ "ret", offsetof(struct fake_regs, ret) },
};
static const char *const fake_args[] = { "a", "b" };

const struct ctrace_fetch_abi ctrace_fetch_abi = {
	.regs = fake_reg_names, .nregs = ARRAY_SIZE(fake_reg_names),
	.args = fake_args, .nargs = ARRAY_SIZE(fake_args), .stack_args = 1,
	.retval = "ret", .sp = "sp",
};

/* The machine's memory: the kernel's at FAKE_BASE, and the same bytes for users at FAKE_USER. There is
 * nothing else. */
#define FAKE_BASE	0xffff888000001000ull
#define FAKE_USER	0x7fff00001000ull
#define FAKE_SIZE	1024
static unsigned char fake_memory[FAKE_SIZE], fake_user_memory[FAKE_SIZE];

long ctrace_fetch_read(const struct ctrace_fetch_ctx *x, void *to, u64 from, u32 n, bool user)
{
	u64 base = user ? FAKE_USER : FAKE_BASE;

	if ((user && !x->task) || from < base || from - base > FAKE_SIZE || n > FAKE_SIZE - (from - base))
		return -EFAULT;
	memcpy(to, (user ? fake_user_memory : fake_memory) + (from - base), n);
	return 0;
}

#endif
