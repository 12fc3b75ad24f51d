// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/string.h>
#include "event/syscall_args.h"

/*
 * Copies at most CTRACE_STR_MAX - 1 bytes and a NUL from user memory. "(fault)", as the kernel's own
 * tracers say, if a page is not there. No piece crosses a page. Returns the length with the NUL.
 */
static u32 copy_string(char *to, u64 from)
{
	u32 n = 0, chunk, nul;

	while (n < CTRACE_STR_MAX - 1) {
		chunk = min_t(u32, 32 - ((from + n) & 31), CTRACE_STR_MAX - 1 - n);
		if (ctrace_compat_read_user(to + n, (void __user *)(uintptr_t)(from + n), chunk)) {
			strscpy(to, "(fault)", CTRACE_STR_MAX);
			return sizeof("(fault)");
		}
		nul = strnlen(to + n, chunk);
		n += nul;
		if (nul < chunk)
			break;
	}
	to[n] = 0;
	return n + 1;
}

u32 ctrace_args_put(const struct pt_regs *regs, bool is32, const struct ctrace_syscall_layout *l,
		    void *to)
{
	char *p = to;
	u64 a[6];
	u32 i, pad;

	if (!l->strings) {
		ctrace_args_numbers(regs, is32, l, to);
		return l->nargs * 8;
	}
	ctrace_args_numbers(regs, is32, l, a);
	for (i = 0; i < l->nargs; i++) {
		if (l->strings & BIT(i)) {
			p += copy_string(p, a[i]);
			continue;
		}
		pad = -(uintptr_t)p & 7;
		memset(p, 0, pad);
		p += pad;
		*(u64 *)p = a[i];
		p += 8;
	}
	return p - (char *)to;
}
