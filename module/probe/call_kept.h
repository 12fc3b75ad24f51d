/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_CALL_KEPT_H
#define CTRACE_CALL_KEPT_H

#include "session/inflight.h"
#include "event/call_memory.h"
#include "event/fd_name.h"
#include "event/syscall_args.h"

/* The arguments of calls whose registers may be others at the return. */
struct ctrace_call_arguments {
	struct ctrace_begun begun;
	u64 marks;
	u64 numbers[6];		/* of all arguments */
	u32 len;		/* bytes of args */
	u8 closes;		/* ctrace_memory_fields.closes */
	char closed[CTRACE_STR_MAX];	/* the descriptor's name, if closes */
	char argv[CTRACE_MEM_ARGV_MAX];
	u32 argv_len;		/* 0: it is no exec, or its arguments could not be read */
	u32 vars;		/* ctrace_memory_call.vars */
	u64 args[CTRACE_ARGS_MAX / 8];
};

/* Entry of current's call nr. */
static inline void ctrace_call_keep(struct ctrace_call_arguments *a, const struct pt_regs *regs, u32 nr, bool is32,
				    const struct ctrace_syscall_layout *l)
{
	ctrace_args_numbers(regs, is32, l, a->numbers);
	a->len = ctrace_args_put(a->numbers, l, a->args, &a->marks);
	a->argv_len = l->exec ? ctrace_memory_argv(a->argv, a->numbers[l->nargs - (l->nargs > 3 ? 3 : 2)], is32,
						   sizeof(a->argv)) : 0;
	a->vars = l->exec ? ctrace_memory_vars(a->numbers[l->nargs - (l->nargs > 3 ? 2 : 1)], is32) : 0;
	a->closes = ctrace_memory_fields[is32][nr].closes;
	if (a->closes)
		ctrace_fd_name(a->numbers[a->closes - 1], a->closed, sizeof(a->closed));
}

#endif
