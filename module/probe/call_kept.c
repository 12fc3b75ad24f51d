// SPDX-License-Identifier: GPL-2.0-only
/* What a call leaves at its entry for its return: call_kept.h. */
#include <linux/sched.h>
#include "probe/call_kept.h"
#include "probe/exec_given.h"
#include "emit/emit.h"
#include "compat/tracepoint.h"

/* 0.6 MiB */
struct ctrace_inflight ctrace_calls_kept __read_mostly = { .stride = sizeof(struct ctrace_call_arguments), .bits = 8 };
/* 1 MiB */
struct ctrace_inflight ctrace_calls_waits __read_mostly = { .stride = sizeof(struct ctrace_call_waits), .bits = 10 };

bool ctrace_call_keep(const struct task_struct *p, const struct pt_regs *regs, u32 nr, bool is32,
		      const struct ctrace_syscall_layout *l)
{
	u32 place = ctrace_inflight_take(&ctrace_calls_kept, ctrace_inflight_row(&ctrace_calls_kept, p), p);
	struct ctrace_call_arguments *a;

	if (place == CTRACE_INFLIGHT_NONE)
		return false;
	a = ctrace_inflight_at(&ctrace_calls_kept, place);
	ctrace_args_numbers(regs, is32, l, a->numbers);
	a->len = ctrace_args_put(a->numbers, l, a->args, &a->marks);
	a->argv_len = l->exec ? ctrace_memory_argv(a->argv, a->numbers[l->nargs - (l->nargs > 3 ? 3 : 2)], is32,
						   sizeof(a->argv)) : 0;
	a->vars = l->exec ? ctrace_memory_vars(a->numbers[l->nargs - (l->nargs > 3 ? 2 : 1)], is32) : 0;
	a->execs = l->exec ? l->nargs : 0;
	a->closes = ctrace_memory_fields[is32][nr].closes;
	if (a->closes) {
		ctrace_fd_name(a->numbers[a->closes - 1], a->closed, sizeof(a->closed));
		a->marks |= ctrace_memory_of_file(nr, is32, a->numbers) ? CTRACE_CALL_M_FILE : 0;
	}
	return true;
}

/* Writes the arguments as ctrace_args_put() does. */
static void put_filename(struct ctrace_call_arguments *a, u32 at, const char *name)
{
	u32 len = strnlen(name, CTRACE_STR_MAX - 1), i;
	char *to = (char *)a->args + at * sizeof(u64);

	/* execveat() has a number before it */
	a->args[0] = a->numbers[0];
	memcpy(to, name, len);
	memset(to + len, 0, sizeof(u64));
	to = PTR_ALIGN(to + len + 1, sizeof(u64));
	for (i = at + 1; i < a->execs; i++, to += sizeof(u64))
		*(u64 *)to = a->numbers[i];
	a->len = to - (char *)a->args;
	a->marks &= ~CTRACE_CALL_M_UNREAD(at);
}

void ctrace_call_probe_exec(void *data, struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm)
{
	struct ctrace_call_arguments *a;
	u32 at;

	ctrace_compat_probe_begin();
	a = ctrace_call_other(&ctrace_calls_kept, p);	/* p is current */
	if (a && a->execs) {
		at = ctrace_exec_filename_at(a->execs);
		if (a->marks & CTRACE_CALL_M_UNREAD(at) &&
		    ctrace_exec_filename(bprm, at ? a->numbers[0] : AT_FDCWD))
			put_filename(a, at, bprm->filename);
		if (a->numbers[at + 1])
			a->argv_len = ctrace_exec_argv(bprm, a->argv, sizeof(a->argv)) ?: a->argv_len;
		if (!a->vars && a->numbers[at + 2])
			a->vars = ctrace_exec_vars(bprm);
	}
	ctrace_compat_probe_end();
}

/* Does a session in mask want the names of descriptors? */
static bool wants_paths(u32 mask)
{
	const struct ctrace_session *s;

	for (mask &= READ_ONCE(ctrace_detailed_sessions); mask; mask &= mask - 1) {
		s = READ_ONCE(ctrace_sessions[__ffs(mask)]);
		if (s && s->detail.paths)
			return true;
	}
	return false;
}

void *ctrace_call_other(const struct ctrace_inflight *t, const struct task_struct *p)
{
	u32 place = ctrace_inflight_find(t, ctrace_inflight_row(t, p), p);

	return place == CTRACE_INFLIGHT_NONE ? NULL : ctrace_inflight_at(t, place);
}

u32 ctrace_call_keep_more(u32 mask, const struct task_struct *p, const struct pt_regs *regs, u32 nr, bool is32,
			  const struct ctrace_syscall_layout *l, u32 flags)
{
	const struct ctrace_memory_fields *of = &ctrace_memory_fields[is32][nr];
	struct ctrace_call_waits *w;
	u64 numbers[6];
	u32 place;

	if (of->closes)
		return !flags && wants_paths(mask) && ctrace_call_keep(p, regs, nr, is32, l) ? CTRACE_CALL_KEPT : flags;
	if (!l->keeps)
		return flags;
	ctrace_args_numbers(regs, is32, l, numbers);
	if (of->length)
		return flags | ctrace_memory_before(nr, is32, numbers) << CTRACE_CALL_BEFORE_SHIFT;
	place = ctrace_inflight_take(&ctrace_calls_waits, ctrace_inflight_row(&ctrace_calls_waits, p), p);
	if (place == CTRACE_INFLIGHT_NONE)
		return flags;
	w = ctrace_inflight_at(&ctrace_calls_waits, place);
	ctrace_memory_keep(nr, is32, numbers, &w->was);
	return flags | CTRACE_CALL_WAS;
}

void ctrace_call_give_other(struct ctrace_inflight *t, const struct task_struct *p)
{
	u32 row = ctrace_inflight_row(t, p), place = ctrace_inflight_find(t, row, p);

	if (place != CTRACE_INFLIGHT_NONE)
		ctrace_inflight_give(t, row, place);
}

void ctrace_call_look_before(struct ctrace_memory_call *m, const struct task_struct *p, u64 wanted)
{
	const struct ctrace_call_waits *w = (u32)wanted & CTRACE_CALL_WAS ? ctrace_call_other(&ctrace_calls_waits, p) : NULL;

	m->before = (u32)wanted >> CTRACE_CALL_BEFORE_SHIFT;
	m->was = w ? &w->was : NULL;
}
