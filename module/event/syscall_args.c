// SPDX-License-Identifier: GPL-2.0-only
#include <linux/string.h>
#include "event/syscall_args.h"
#include "lang/copy_string.h"

static __always_inline long read_user(void *to, u64 at, u32 n, const void *arg)
{
	return ctrace_compat_read_user(to, (void __user *)(uintptr_t)at, n);
}

/* The string as it is in user memory now. */
static u32 copy_string(char *to, u64 from)
{
	return ctrace_copy_string(to, from, read_user, NULL);
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
