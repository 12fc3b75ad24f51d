// SPDX-License-Identifier: GPL-2.0-only
/*
 * One record for a whole system call, written when it returns: how long the call took, what it
 * returned, and its arguments as they were when it began. So a filter sees all of a call.
 *
 *	entry	who? wanted? take a place in the table; note sessions, call, arguments, time there
 *	return	find the place; who? still wanted? emit; free the place
 *	death	(of a task in a call) find the place; free it
 *
 * The record belongs to the container that the task is in at the return. A call that was under way
 * when the probe was added has no place, and makes no record; nor does the return of a new task.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include "probe/table.h"
#include "emit/emit.h"
#include "session/inflight.h"
#include "event/syscall_args.h"
#include "compat/tracepoint.h"

struct call {
	struct ctrace_begun begun;	/* its time is set last, so our own work does not count */
	/* of the task, and of its group's leader, which it takes over when it executes a program */
	u64 start, leader_start;
	u32 len;		/* bytes of args */
	u64 args[];
};

/*
 * The calls under way, by task. A task releases its place itself: at the return, or as it exits, before its
 * memory can become another task's. (The start times check the same thing once more.) A place has room for
 * the longest arguments of this kernel's calls (three strings), so the table takes about 3.5 MiB.
 */
static struct ctrace_inflight calls __read_mostly;

static noinline void enter(struct pt_regs *regs, long nr)
{
	bool is32 = ctrace_compat_is_32bit_call();
	const struct ctrace_syscall_layout *l;
	struct task_struct *p = current;
	struct ctrace_who who;
	u32 id, mask, place;
	struct call *c;

	if (unlikely((unsigned long)nr >= CTRACE_NR_SYSCALLS))
		return;
	nr = ctrace_syscall_nospec(nr);
	l = &ctrace_syscall_layouts[is32][nr];
	if (unlikely(!l->known))
		return;
	id = (is32 ? CTRACE_ID_COMPAT_CALL : CTRACE_ID_CALL) + nr;
	mask = ctrace_wants(id);
	if (!mask)
		return;
	ctrace_identity_resolve_current(&who);
	mask = ctrace_wanted(mask, who.container, p);
	if (!mask)
		return;
	place = ctrace_inflight_take(&calls, ctrace_inflight_row(p), p);
	if (unlikely(place == CTRACE_INFLIGHT_NONE)) {
		ctrace_session_unfollowed(mask);
		return;
	}
	c = ctrace_inflight_at(&calls, place);
	c->start = ctrace_compat_task_start(p);
	c->leader_start = ctrace_compat_task_start(p->group_leader);
	c->len = ctrace_args_put(regs, is32, l, c->args);
	WRITE_ONCE(c->begun.wanted, (u64)mask << 32 | id);
	c->begun.time = ctrace_compat_clock();
}

struct result {
	const struct call *call;
	u64 duration;
	long ret;
};

static __always_inline void fill_call(void *payload, const void *arg)
{
	struct ctrace_call_payload *to = payload;
	const struct result *r = arg;

	to->duration = r->duration;
	to->ret = r->ret;
	memcpy(to + 1, r->call->args, r->call->len);
}

/* The call's number was noted at the entry: at the return the registers may hold another (rt_sigreturn). */
static noinline void leave(const struct call *c, long ret)
{
	struct result r = { .call = c, .duration = ctrace_compat_clock() - c->begun.time, .ret = ret };
	u64 wanted = READ_ONCE(c->begun.wanted);
	const struct task_struct *p = current;
	u32 id = wanted, mask = wanted >> 32;
	struct ctrace_who who;

	mask &= ctrace_wants(id);
	if (!mask || (ctrace_compat_task_start(p) != c->start &&
		      ctrace_compat_task_start(p) != c->leader_start))
		return;
	ctrace_identity_resolve_current(&who);
	mask = ctrace_wanted(mask, who.container, p);
	if (mask)
		ctrace_emit(mask, id, &who, CTRACE_SIZE(ctrace_call_payload) + c->len, fill_call, &r);
}

static void probe_enter(void *data, struct pt_regs *regs, long nr)
{
	ctrace_compat_probe_begin();
	if (!ctrace_identity_known() || __this_cpu_read(ctrace_idcache.wanted))
		enter(regs, nr);
	ctrace_compat_probe_end();
}

/* Does not ask whether the container is wanted: it may have been when the call began. */
static void probe_exit(void *data, struct pt_regs *regs, long ret)
{
	const struct task_struct *p = current;
	u32 row = ctrace_inflight_row(p), place;

	ctrace_compat_probe_begin();
	place = ctrace_inflight_find(&calls, row, p);
	if (place != CTRACE_INFLIGHT_NONE) {
		leave(ctrace_inflight_at(&calls, place), ret);
		ctrace_inflight_give(&calls, row, place);
	}
	ctrace_compat_probe_end();
}

static void CTRACE_PROBE_SCHED_PROCESS_EXIT(probe_death)
{
	u32 row = ctrace_inflight_row(p), place;

	ctrace_compat_probe_begin();
	place = ctrace_inflight_find(&calls, row, p);	/* p is current */
	if (place != CTRACE_INFLIGHT_NONE)
		ctrace_inflight_give(&calls, row, place);
	ctrace_compat_probe_end();
}

/* --- life --------------------------------------------------------------------- */

/*
 * Registered in this order: before a call can take a place, its return and its task's death can free it.
 */
static struct ctrace_source sources[] = {
	{ .tracepoint = "sched_process_exit", .fn = probe_death, .table = &calls },
	{ .tracepoint = "sys_exit", .fn = probe_exit },
	{ .tracepoint = "sys_enter", .fn = probe_enter },
};

static void want(struct ctrace_probe *p, u32 i, u32 from, u32 n)
{
	p->ranges[i].from = from;
	p->ranges[i].n = n;
}

static int parse(struct ctrace_probe *p, char *why)
{
	int i = 0, is32, nr;
	const char *call;

	if (!strcmp(p->name, "calls")) {
		want(p, 0, CTRACE_ID_CALL, 2 * CTRACE_NR_SYSCALLS);
		return 0;
	}
	if (strncmp(p->name, "call:", 5)) {
		return ctrace_why(why, -ENOENT,
				  "no event '%.64s': whole system calls are 'calls' or 'call:NAME'",
				  p->name);
	}
	call = p->name + 5;
	for (is32 = 0; is32 < 2; is32++) {
		nr = ctrace_syscall_by_name(call, is32);
		if (nr >= 0)
			want(p, i++, (is32 ? CTRACE_ID_COMPAT_CALL : CTRACE_ID_CALL) + nr, 1);
	}
	if (i)
		return 0;
	return ctrace_why(why, -ENOENT, "no system call '%.64s' in this kernel", call);
}

static int calls_add(struct ctrace_probe *p, const char *text, char *why)
{
	u32 nr, is32, i;
	int err = parse(p, why);

	BUILD_BUG_ON(ARRAY_SIZE(sources) > CTRACE_PROBE_SOURCES);
	if (err)
		return err;
	/* from the second time on, this changes nothing */
	for (is32 = 0; is32 < 2; is32++)
		for (nr = 0; nr < CTRACE_NR_SYSCALLS; nr++)
			calls.stride = max_t(u32, calls.stride, sizeof(struct call) +
					     ctrace_args_room(&ctrace_syscall_layouts[is32][nr]));
	for (i = 0; i < ARRAY_SIZE(sources); i++)
		p->sources[i] = &sources[i];
	return 0;
}

static const char *const prefixes[] = { "calls", "call:", NULL };

const struct ctrace_probe_kind ctrace_kind_calls = {
	.prefixes = prefixes, .add = calls_add,
};
