// SPDX-License-Identifier: GPL-2.0-only
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include "event/syscall_args.h"

/*
 * Only the entry and the return of a system call use it, and an exec in between: with preemption off and
 * never in an interrupt, so one per CPU is enough.
 */
struct ctrace_args_room __percpu *ctrace_args_rooms __read_mostly;

int ctrace_args_init(void)
{
	ctrace_args_rooms = alloc_percpu(struct ctrace_args_room);
	return ctrace_args_rooms ? 0 : -ENOMEM;
}

void ctrace_args_exit(void)
{
	free_percpu(ctrace_args_rooms);
}

/* 0: it is not there. Else its length with the NUL. */
static u32 copy_string(char *to, u64 from)
{
	long n = ctrace_compat_read_user_string(to, (const char __user *)(uintptr_t)from, CTRACE_STR_MAX);

	return n < 0 ? 0 : n + 1;
}

/* Argument i, a string. *mark: the mark for it. Returns its length with the NUL. */
static u32 put_arg_string(char *to, u64 from, u32 i, u64 *mark)
{
	u32 n;

	*mark = 0;
	if (!from) {
		*mark = CTRACE_CALL_M_NULL(i);
		*to = 0;
		return 1;
	}
	n = copy_string(to, from);
	if (n)
		return n;
	*mark = CTRACE_CALL_M_UNREAD(i);
	return snprintf(to, CTRACE_STR_MAX, "0x%llx", from) + 1;
}

u32 ctrace_args_put(const u64 *numbers, const struct ctrace_syscall_layout *l, void *to, u64 *marks)
{
	char *p = to;
	u64 mark;
	u32 i;

	*marks = 0;
	for (i = 0; i < l->nargs; i++) {
		if (unlikely(l->strings & BIT(i))) {
			p += put_arg_string(p, numbers[i], i, &mark);
			*marks |= mark;
			continue;
		}
		if ((uintptr_t)p & 7) {		/* behind a string */
			memset(p, 0, sizeof(u64));
			p = PTR_ALIGN(p, 8);
		}
		*(u64 *)p = numbers[i];
		p += 8;
	}
	return p - (char *)to;
}

u32 ctrace_args_string(const struct pt_regs *regs, bool is32, const struct ctrace_syscall_layout *l, u32 i,
		       char *to)
{
	u64 a[6];

	ctrace_args_numbers(regs, is32, l, a);
	return a[i] ? copy_string(to, a[i]) : 0;
}
