/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arguments of a system call as records hold them: in the call's order, a number as 8 bytes, a
 * string inline.
 */
#ifndef CTRACE_ARGS_H
#define CTRACE_ARGS_H

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include "event/event.h"
#include "compat/syscall.h"

/*
 * All arguments as numbers, l->nargs words. Arguments of 32 bits are extended as their type demands: the
 * caller may have left anything in the upper half of the register.
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

/* The most bytes ctrace_args_put() writes. Padding adds none: CTRACE_STR_MAX is a multiple of 8. */
#define CTRACE_ARGS_MAX		(6 * CTRACE_STR_MAX)
/* With what ctrace_memory_put() appends. */
#define CTRACE_ROOM_MAX		(CTRACE_PAYLOAD_MAX - (u32)sizeof(struct ctrace_call_payload))

/*
 * For payloads of calls, and of an exec, with strings or memory, which decide the length of their record:
 * whole before it is reserved.
 */
struct ctrace_args_room {
	struct ctrace_call_payload head;
	u64 args[CTRACE_ROOM_MAX / 8];
	u64 end;		/* for ctrace_args_end() */
};
/* Never NULL while a probe runs. A module's static variables share 8 KiB a CPU with all other modules'. */
extern struct ctrace_args_room __percpu *ctrace_args_rooms;
/* Process context. 0 or -ENOMEM. */
int ctrace_args_init(void);
void ctrace_args_exit(void);

/* Zeros behind len bytes at to, in a room, as far as to the next word. Returns the length up to there. */
static __always_inline u32 ctrace_args_end(void *to, u32 len)
{
	memset(to + len, 0, sizeof(u64));
	return ALIGN(len, 8);
}

/*
 * All arguments, which are numbers[] as ctrace_args_numbers() makes them; strings are copied from user memory
 * as it is now. Context: the call's own task, at its entry or its return; preemption off. to is aligned to 8.
 * *marks: CTRACE_CALL_M_*, of the strings. Returns the number of bytes written.
 */
u32 ctrace_args_put(const u64 *numbers, const struct ctrace_syscall_layout *l, void *to, u64 *marks);
/*
 * Argument i alone, a string, into to[CTRACE_STR_MAX]. Returns its length with the NUL; 0: it is not there,
 * or is NULL.
 */
u32 ctrace_args_string(const struct pt_regs *regs, bool is32, const struct ctrace_syscall_layout *l, u32 i,
		       char *to);

#endif
