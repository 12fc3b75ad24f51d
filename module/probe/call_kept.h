/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_CALL_KEPT_H
#define CTRACE_CALL_KEPT_H

#include "emit/stack.h"
#include "session/inflight.h"
#include "event/call_memory.h"
#include "event/fd_name.h"
#include "event/syscall_args.h"

struct linux_binprm;

/*
 * What a call that is recorded as a whole leaves at its entry for its return, beside its place in
 * probe/call.c's table: in two tables more, whose places the task gives back with that one.
 */

/* In begun.wanted of the call's place: the task has a place in ctrace_calls_kept; */
#define CTRACE_CALL_KEPT	(1u << 16)
/* in ctrace_calls_waits, where the stack is known; */
#define CTRACE_CALL_WAITED	(1u << 17)
/* there, where `was` is known; */
#define CTRACE_CALL_WAS		(1u << 18)
/* and, above these, what a length was: ctrace_memory_call.before. */
#define CTRACE_CALL_BEFORE_SHIFT 19

/* The arguments of calls whose registers may be others at the return. */
struct ctrace_call_arguments {
	struct ctrace_begun begun;
	u64 marks;
	u64 numbers[6];		/* of all arguments */
	u32 len;		/* bytes of args */
	u8 closes;		/* ctrace_memory_fields.closes */
	u8 execs;		/* of an exec: how many arguments it has; else 0 */
	char closed[CTRACE_STR_MAX];	/* the descriptor's name, if closes */
	char argv[CTRACE_MEM_ARGV_MAX];
	u32 argv_len;		/* 0: it is no exec, or its arguments could not be read */
	u32 vars;		/* ctrace_memory_call.vars */
	u64 args[CTRACE_ARGS_MAX / 8];
};

/* Of calls that wait. */
struct ctrace_call_waits {
	struct ctrace_begun begun;
	/* with which the task went to sleep last, where a stack is wanted */
	struct ctrace_stack_waited stack;
	struct ctrace_memory_was was;		/* what the call is about to change */
};

extern struct ctrace_inflight ctrace_calls_kept, ctrace_calls_waits;

/* The functions below: in p's own call, preemption off. */

/* Keeps the arguments of the call that begins. False: there is no place. */
bool ctrace_call_keep(const struct task_struct *p, const struct pt_regs *regs, u32 nr, bool is32,
		      const struct ctrace_syscall_layout *l);
/*
 * What the entry of a call keeps besides, with arguments that need not be kept: bits for begun.wanted. flags:
 * those that it has. What cannot be kept leaves the call as it is.
 */
u32 ctrace_call_keep_more(u32 mask, const struct task_struct *p, const struct pt_regs *regs, u32 nr, bool is32,
			  const struct ctrace_syscall_layout *l, u32 flags);
/* The part of m that is about memory before the call. wanted: begun.wanted of p's call. */
void ctrace_call_look_before(struct ctrace_memory_call *m, const struct task_struct *p, u64 wanted);

/*
 * sched_process_exec: what the entry of the exec could not read, as its pages were not there, is taken from
 * the new program.
 */
void ctrace_call_probe_exec(void *data, struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm);

/* p's place in a table, or NULL. It stays until p itself gives it back. */
void *ctrace_call_other(const struct ctrace_inflight *t, const struct task_struct *p);
void ctrace_call_give_other(struct ctrace_inflight *t, const struct task_struct *p);

#endif
