// SPDX-License-Identifier: GPL-2.0-only
/*
 * One record for a whole system call, written when it returns: how long the call took, what it
 * returned, and its arguments. So a filter sees all of a call.
 *
 *	entry	who? wanted? take a place in the table; note sessions, call, time there, and memory that the
 *		call changes
 *	switch	(to another task, of a task that sleeps in a call whose stack is wanted) keep the stack
 *	return	find the place; who? still wanted? read the arguments; emit; free the place
 *	death	(of a task in a call) find the place; free it
 *
 * Arguments are read at the return, from the same registers: by then the kernel itself has brought in the
 * pages that hold strings. In two cases the registers may be others by then, so the arguments are kept from
 * the entry on: exec, and a task that has a tracer.
 *
 * The record belongs to the container that the task is in at the return. A call that was under way
 * when the probe was added has no place, and makes no record; the return of a new task makes none either.
 */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include "probe/call_kept.h"
#include "probe/call_list.h"
#include "probe/call_waited.h"
#include "probe/table.h"
#include "probe/under_way.h"
#include "emit/short.h"
#include "emit/stack.h"
#include "emit/short_call.h"
#include "session/inflight.h"
#include "session/spare.h"
#include "event/call_memory.h"
#include "event/fd_name.h"
#include "event/syscall_args.h"
#include "compat/tracepoint.h"

/*
 * The calls under way, by task. A task releases its place itself: at the return, or as it exits, before its
 * memory can become another task's. 1.6 MiB.
 */
static struct ctrace_inflight calls __read_mostly = { .stride = sizeof(struct ctrace_begun), .bits = 16 };

/* --- entry ---------------------------------------------------------------------- */

/* Returns mask, without the sessions that want file calls only, unless this call is on a file. */
static noinline u32 files_alone(u32 mask, const struct pt_regs *regs, long nr, bool is32)
{
	u64 args[6];

	ctrace_args_numbers(regs, is32, &ctrace_syscall_layouts[is32][nr], args);
	return ctrace_memory_of_file(nr, is32, args) ? mask : mask & ~READ_ONCE(ctrace_file_sessions);
}

/* The general way: any call, any task, any session. */
static noinline ctrace_compat_noclone void enter_any(void *data, struct pt_regs *regs, long nr)
{
	u32 row, id, mask, place = CTRACE_INFLIGHT_NONE, flags = 0;
	bool is32 = ctrace_compat_is_32bit_call();
	const struct ctrace_syscall_layout *l;
	struct task_struct *p = current;
	struct ctrace_begun *b;
	struct ctrace_who who;

	if (unlikely(!ctrace_syscall_known(&nr, is32)))
		return;
	l = &ctrace_syscall_layouts[is32][nr];
	id = (is32 ? CTRACE_ID_COMPAT_CALL : CTRACE_ID_CALL) + nr;
	mask = ctrace_wants(id);
	if (!mask)
		return;
	ctrace_identity_resolve_current(&who);
	mask = ctrace_wanted(mask, who.container, p);
	if (unlikely(mask & READ_ONCE(ctrace_file_sessions)))
		mask = files_alone(mask, regs, nr, is32);
	if (!mask) {
		ctrace_spare_unwanted(&who);
		return;
	}
	ctrace_short_call_begins(&who);
	row = ctrace_inflight_row(&calls, p);
	if (unlikely(l->exec || p->ptrace))
		flags = CTRACE_CALL_KEPT;
	if (likely(!flags) || ctrace_call_keep(p, regs, nr, is32, l))
		place = ctrace_inflight_take(&calls, row, p);
	/* what counts calls shows none of that */
	if (unlikely(mask & READ_ONCE(ctrace_detailed_sessions) || (l->keeps && mask & ~READ_ONCE(ctrace_counting_sessions))))
		flags = ctrace_call_keep_more(mask, p, regs, nr, is32, l, flags);
	if (unlikely(place == CTRACE_INFLIGHT_NONE)) {
		ctrace_call_give_other(&ctrace_calls_kept, p);
		ctrace_call_give_other(&ctrace_calls_waits, p);
		WRITE_ONCE(calls.lost[row], ctrace_compat_clock());
		ctrace_session_unfollowed(mask);
		return;
	}
	ctrace_short_call_begun(&calls, p, row, place);
	b = ctrace_inflight_at(&calls, place);
	WRITE_ONCE(b->wanted, (u64)mask << 32 | flags | id);
	b->time = ctrace_compat_stamp();	/* last, so our own work does not count */
}

/* Where the clock is no TSC. */
static noinline void begin_any(struct ctrace_begun *b)
{
	b->time = ctrace_compat_stamp();
}

/*
 * The short way: a 64-bit call of a remembered task that has no call under way and no tracer. Nothing is kept
 * from its entry, and the place of the task's last call is free.
 */
static notrace noinline ctrace_compat_noclone void enter(struct task_struct *p, struct pt_regs *regs, long nr)
{
	u32 begins = __this_cpu_read(ctrace_route.begins), mask;
	u64 migrations = ctrace_compat_task_migrations(p), stamp;
	const struct ctrace_syscall_layout *l;
	struct ctrace_begun *b;
	unsigned long n;

	/* in the upper half there are no native calls: see leave() in probe/syscall.c */
	if (unlikely((unsigned long)nr >= CTRACE_NR_SYSCALLS / 2 || ctrace_compat_is_32bit_call()))
		goto other;
	n = ctrace_syscall_nospec(nr);
	mask = READ_ONCE(ctrace_event_wants[CTRACE_ID_CALL + n]) & begins;
	if (!mask && likely(begins))
		return;
	l = &ctrace_syscall_layouts[0][n];
	if (unlikely(!mask || !l->known || l->exec || l->keeps || p->ptrace))
		goto odd;
	if (unlikely(ctrace_short_call_state(migrations) != CTRACE_WHOLE_CALM))
		goto other;
quick:
	/* Acquire: as in ctrace_inflight_take() */
	if (unlikely(cmpxchg_acquire(__this_cpu_read(ctrace_route.key), NULL, p)))
		goto other;
	ctrace_short_call_set(migrations, CTRACE_WHOLE_BUSY);
	b = __this_cpu_read(ctrace_route.begun);
	WRITE_ONCE(b->wanted, (u64)mask << 32 | (CTRACE_ID_CALL + n));
	if (likely(ctrace_compat_stamp_now(&stamp)))
		b->time = stamp;
	else
		begin_any(b);
	return;
odd:
	/* what is only counted needs nothing that is kept */
	if (mask && l->known && !l->exec && !p->ptrace && ctrace_short_call_state(migrations) == CTRACE_WHOLE_CALM &&
	    !(mask & ~READ_ONCE(ctrace_counting_sessions)))
		goto quick;
other:
	enter_any(NULL, regs, nr);
}

/* The task's first call since another task ran on this CPU; or the task cannot be remembered. */
static noinline ctrace_compat_noclone void enter_new(void *data, struct pt_regs *regs, long nr)
{
	if (unlikely(!ctrace_route_learn()))
		enter_any(data, regs, nr);
	else if (__this_cpu_read(ctrace_route.wanted))
		enter(current, regs, nr);
	else
		ctrace_spare_current();
}

/* --- sleep ---------------------------------------------------------------------- */

/* p, which is current, goes to sleep. If its call has no place for the stack, it shows that of the return. */
static noinline void sleeps(struct task_struct *p)
{
	u32 row = ctrace_inflight_row(&calls, p), place = ctrace_inflight_find(&calls, row, p), id;
	struct ctrace_begun *b;
	struct ctrace_call_waits *w;
	u64 wanted;

	if (place == CTRACE_INFLIGHT_NONE)
		return;
	b = ctrace_inflight_at(&calls, place);
	wanted = READ_ONCE(b->wanted);
	id = (u16)wanted;
	if (!(ctrace_options_stack(wanted >> 32, id) & CTRACE_PROBE_F_STACK))
		return;
	w = ctrace_call_other(&ctrace_calls_waits, p);
	if (!w) {
		place = ctrace_inflight_take(&ctrace_calls_waits, ctrace_inflight_row(&ctrace_calls_waits, p), p);
		if (place == CTRACE_INFLIGHT_NONE)
			return;
		w = ctrace_inflight_at(&ctrace_calls_waits, place);
	}
	w->stack.of = id;
	w->stack.user = NULL;
	w->stack.n = ctrace_stack_kernel(w->stack.callstack, NULL);
	while (!(wanted & CTRACE_CALL_WAITED) && cmpxchg64(&b->wanted, wanted, wanted | CTRACE_CALL_WAITED) != wanted)
		wanted = READ_ONCE(b->wanted);
}

/* --- return --------------------------------------------------------------------- */

struct result {
	const struct pt_regs *regs;
	const struct ctrace_syscall_layout *layout;
	bool is32;
	struct ctrace_call_payload head;
};

/* Fields behind the arguments are empty, and so are zeros: ctrace_memory_put(). */
static __always_inline void fill_numbers(void *payload, const void *arg)
{
	struct ctrace_call_payload *to = payload;
	const struct result *r = arg;
	u64 *args = (u64 *)(to + 1);

	*to = r->head;
	ctrace_args_numbers(r->regs, r->is32, r->layout, args);
	if (r->layout->tail)
		memset(args + r->layout->nargs, 0, r->layout->tail);
}

/* at may be NULL. Returns the new length of the record's arguments. */
static noinline u32 put_memory(u32 nr, const struct result *r, const struct ctrace_call_arguments *at, const u64 *numbers,
			       const struct ctrace_detail *detail, char *to, u32 len)
{
	const struct ctrace_begun *b = r->layout->keeps ? ctrace_call_other(&calls, current) : NULL;
	struct ctrace_memory_call m = {
		.args = numbers, .phase = CTRACE_CALL_WHOLE, .detail = detail, .ret = r->head.ret, .is32 = r->is32,
		.nr = nr,
	};

	if (b)	/* a call that was denied has no place */
		ctrace_call_look_before(&m, current, READ_ONCE(b->wanted));
	if (at && at->closes)
		m.closed = at->closed;
	if (at)
		m.vars = at->vars;
	if (at && at->argv_len) {
		m.argv = at->argv;
		m.argv_len = at->argv_len;
	}
	return ctrace_memory_put(&m, to, len, CTRACE_ROOM_MAX);
}

/* detail: what all sessions in mask want of it */
static void emit_room(u32 mask, u32 id, const struct ctrace_who *who, const struct result *r,
		      const struct ctrace_call_arguments *at, const struct ctrace_detail *detail)
{
	struct ctrace_args_room *room = this_cpu_ptr(ctrace_args_rooms);
	u32 nr = ctrace_id_call(id).nr, empty = ctrace_memory_fields[r->is32][nr].whole;
	/* an exec that failed still has what it was given, and now its strings may be there */
	bool kept_args = at && !(r->layout->exec && r->head.ret < 0);
	struct ctrace_copy c = { .from = room };
	u64 marks, now[6];
	const u64 *numbers = now;

	if (kept_args) {
		numbers = at->numbers;
		marks = at->marks;
		c.len = at->len;
		memcpy(room->args, at->args, c.len);
	} else {
		ctrace_args_numbers(r->regs, r->is32, r->layout, now);
		c.len = ctrace_args_put(now, r->layout, room->args, &marks);
	}
	/* of a descriptor that the call has closed, its entry knew it */
	if (detail->paths && !(at && at->closes) && ctrace_memory_of_file(nr, r->is32, numbers))
		marks |= CTRACE_CALL_M_FILE;
	room->head = r->head;
	room->head.marks |= marks;
	if (ctrace_detail_any(detail) || empty == CTRACE_MEM_OTHERS)
		c.len = put_memory(nr, r, at, numbers, detail, (char *)room->args, c.len);
	else
		c.len = ctrace_memory_put_empty((char *)room->args, c.len, empty);
	c.len = ctrace_args_end(room->args, c.len) + CTRACE_SIZE(ctrace_call_payload);
	ctrace_emit(mask, id, who, c.len, ctrace_fill_words, &c);
}

/* With strings or memory, or with arguments that were kept. */
static noinline void emit_rooms(u32 mask, u32 id, const struct ctrace_who *who, const struct result *r,
				const struct ctrace_call_arguments *at)
{
	const struct ctrace_detail *detail;
	u32 some;

	while ((some = ctrace_next_detail(&mask, &detail)))
		emit_room(some, id, who, r, at, detail);
}

static __always_inline void emit(u32 mask, u32 id, const struct ctrace_who *who, const struct result *r,
				 const struct ctrace_call_arguments *at)
{
	u32 counting = mask & READ_ONCE(ctrace_counting_sessions);

	if (unlikely(counting)) {
		mask &= ~counting;
		mask |= ctrace_emit_counted(counting, id, who, &r->head, CTRACE_SIZE(ctrace_call_payload),
					    CTRACE_CALL_NFIELDS);
		if (!mask)
			return;
	}
	if (at || r->layout->room || (r->layout->detail && unlikely(mask & READ_ONCE(ctrace_detailed_sessions)))) {
		/*
		 * strings, memory and names cost most: a call that is too quick for a filter pays nothing for
		 * them
		 */
		if (unlikely(mask & READ_ONCE(ctrace_options_sessions)))
			mask = ctrace_emit_passing(mask, id, who, &r->head, CTRACE_SIZE(ctrace_call_payload));
		if (mask)
			emit_rooms(mask, id, who, r, at);
	} else {
		ctrace_emit(mask, id, who, CTRACE_SIZE(ctrace_call_payload) + r->layout->nargs * 8 + r->layout->tail,
			    fill_numbers, r);
	}
}

/* The call's number was noted at the entry: at the return the registers may hold another (rt_sigreturn). */
static noinline void leave_any(const struct pt_regs *regs, const struct ctrace_begun *b, long ret)
{
	u64 wanted = READ_ONCE(b->wanted);
	u32 id = (u16)wanted, mask = wanted >> 32;
	struct ctrace_id_call call = ctrace_id_call(id);
	struct result r = {
		.regs = regs, .layout = &ctrace_syscall_layouts[call.is32][call.nr], .is32 = call.is32,
		.head = { .duration = ctrace_compat_since(b->time), .ret = ret },
	};
	const struct task_struct *p = current;
	const struct ctrace_call_arguments *at = NULL;
	const struct ctrace_stack_waited *stack;
	const struct ctrace_call_waits *w;
	struct ctrace_who who;

	mask &= ctrace_wants(id);
	if (!mask)
		return;
	ctrace_identity_resolve_current(&who);
	mask = ctrace_wanted(mask, who.container, p);
	if (!mask)
		return;
	ctrace_short_note(mask, &who);
	if (unlikely((u32)wanted & CTRACE_CALL_KEPT)) {
		at = ctrace_call_other(&ctrace_calls_kept, p);
		if (WARN_ON_ONCE(!at))
			return;
	}
	if (unlikely((u32)wanted & CTRACE_CALL_WAITED)) {
		w = ctrace_call_other(&ctrace_calls_waits, p);
		stack = w ? &w->stack : NULL;
		__this_cpu_write(ctrace_stack_waited, stack);
	}
	emit(mask, id, &who, &r, at);
	if (unlikely((u32)wanted & CTRACE_CALL_WAITED))
		__this_cpu_write(ctrace_stack_waited, NULL);
}

static void release(const struct task_struct *p, u32 row, u32 place)
{
	const struct ctrace_begun *b = ctrace_inflight_at(&calls, place);
	u32 flags = READ_ONCE(b->wanted);

	if (unlikely(flags & CTRACE_CALL_KEPT))
		ctrace_call_give_other(&ctrace_calls_kept, p);
	if (unlikely(flags & (CTRACE_CALL_WAITED | CTRACE_CALL_WAS)))
		ctrace_call_give_other(&ctrace_calls_waits, p);
	ctrace_inflight_give(&calls, row, place);
}

/*
 * An error without an entry. The kernel asks seccomp's filters before it calls tracers. (Success
 * without an entry is left out: most of it is of calls that wait, and were under way when the probe
 * was added. Only a list of these tasks could distinguish them.)
 */
static noinline ctrace_compat_noclone void denied(void *data, struct pt_regs *regs, long ret)
{
	struct result r = { .regs = regs, .head = { .ret = ret, .marks = CTRACE_CALL_M_DENIED } };
	struct task_struct *p = current;
	long nr = syscall_get_nr(p, regs);
	u32 row = ctrace_inflight_row(&calls, p);
	struct ctrace_who who;
	u32 id, mask;

	r.is32 = ctrace_compat_is_32bit_call();
	/* if a task of this row was refused a place, it may have been this one */
	if (!ctrace_compat_seccomp_filtered(p) || ctrace_call_may_have_waited(ret) || READ_ONCE(calls.lost[row]) ||
	    !ctrace_syscall_known(&nr, r.is32))
		return;
	r.layout = &ctrace_syscall_layouts[r.is32][nr];
	id = (r.is32 ? CTRACE_ID_COMPAT_CALL : CTRACE_ID_CALL) + nr;
	mask = ctrace_wants(id);
	if (!mask)
		return;
	ctrace_identity_resolve_current(&who);
	mask = ctrace_wanted(mask, who.container, p);
	if (unlikely(mask & READ_ONCE(ctrace_file_sessions)))
		mask = files_alone(mask, regs, nr, r.is32);
	if (mask)
		emit(mask, id, &who, &r, NULL);
}

/* The general way. */
static noinline ctrace_compat_noclone void leave_found(void *data, struct pt_regs *regs, long ret)
{
	const struct task_struct *p = current;
	u32 row = ctrace_inflight_row(&calls, p), place = ctrace_inflight_find(&calls, row, p);

	if (place != CTRACE_INFLIGHT_NONE) {
		leave_any(regs, ctrace_inflight_at(&calls, place), ret);
		release(p, row, place);
	} else if (IS_ERR_VALUE(ret)) {
		denied(data, regs, ret);
	}
	ctrace_short_call_ended(&calls, p, row);
}

/*
 * The short ways, of a remembered task's call that one session alone wants. The session may have been made
 * and have ended since the entry, and the container may be another one: what is remembered is of now. In
 * steps, so that variables stay in registers: see emit/short.h.
 */
static __always_inline void leave_over(void)
{
	smp_store_release(__this_cpu_read(ctrace_route.key), NULL);	/* as in ctrace_inflight_give() */
	ctrace_short_call_set(ctrace_compat_task_migrations(current), CTRACE_WHOLE_CALM);
}

/* The session only counts it. */
static notrace noinline ctrace_compat_noclone void leave_counted(const struct ctrace_aggregate *table, u64 id, long ret)
{
	const struct ctrace_begun *b = __this_cpu_read(ctrace_route.begun);
	u64 duration;

	if (unlikely(!ctrace_compat_since_now(b->time, &duration) ||
		     !ctrace_aggregate_call(table, __this_cpu_read(ctrace_route.cid), id, duration, ret))) {
		leave_found(NULL, current_pt_regs(), ret);
		return;
	}
	leave_over();
}

/* The session's filter passes none that is shorter than that. */
static notrace noinline ctrace_compat_noclone void leave_longer(u64 longer, struct pt_regs *regs, long ret)
{
	const struct ctrace_begun *b = __this_cpu_read(ctrace_route.begun);
	u64 duration;

	if (ctrace_compat_since_now(b->time, &duration) && likely(duration < longer))
		leave_over();
	else
		leave_found(NULL, regs, ret);
}

/* A plain session records it, and it has nothing but numbers. */
static notrace noinline void leave_recorded(u64 wanted, struct pt_regs *regs, long ret)
{
	const struct ctrace_begun *b = __this_cpu_read(ctrace_route.begun);
	u64 nr = (u32)wanted - CTRACE_ID_CALL, pos, time, duration;
	const struct ctrace_syscall_layout *l;
	struct ctrace_call_payload *to;
	struct ctrace_ring_desc *d;
	struct ctrace_record *rec;
	u32 len;

	/* a 32-bit call, or one with a flag, has a greater number */
	if (unlikely(nr >= CTRACE_NR_SYSCALLS))
		goto other;
	l = &ctrace_syscall_layouts[0][nr];
	if (unlikely(l->room || l->tail > sizeof(u64) || wanted >> 32 != __this_cpu_read(ctrace_route.only) ||
		     ctrace_short_ring(&d, CTRACE_ID_CALL + nr) <= 0))
		goto other;
	len = sizeof(*rec) + CTRACE_SIZE(ctrace_call_payload) + l->nargs * sizeof(u64) + CTRACE_ALIGN8(l->tail);
	if (unlikely(!ctrace_compat_since_now(b->time, &duration) || !CTRACE_CLOCK_INLINE() || !ctrace_ring_try(d, len, &pos)))
		goto other;
	time = CTRACE_CLOCK_NOW();
	if (unlikely(!ctrace_ring_take(d, len, pos, &time, &rec)))
		goto other;
	ctrace_short_stamp(rec, CTRACE_ID_CALL + nr);
	to = (void *)(rec + 1);
	/* zeros behind the arguments, if there is a tail; else this is overwritten */
	*(u64 *)((char *)rec + len - sizeof(u64)) = 0;
	to->duration = duration;
	to->ret = ret;
	to->marks = 0;
	ctrace_args_numbers(regs, false, l, (u64 *)(to + 1));
	ctrace_short_end(d, pos + len, time);
	leave_over();
	return;
other:
	leave_found(NULL, regs, ret);
}

static notrace noinline ctrace_compat_noclone void leave(u64 state, struct pt_regs *regs, long ret)
{
	const struct ctrace_option *sel;
	u64 id, wanted;

	if (unlikely(state != CTRACE_WHOLE_BUSY || !ctrace_route_current())) {
		leave_found(NULL, regs, ret);
		return;
	}
	wanted = READ_ONCE(__this_cpu_read(ctrace_route.begun)->wanted);
	sel = ctrace_short_call_option(wanted, &id);
	if (!sel)
		leave_recorded(wanted, regs, ret);
	else if (sel->quick)
		leave_counted(sel->quick, id, ret);
	else if (sel->longer)
		leave_longer(sel->longer, regs, ret);
	else
		leave_found(NULL, regs, ret);
}

bool ctrace_call_under_way(const struct task_struct *p, struct ctrace_under_way *u)
{
	if (!ctrace_under_way(&calls, p, u))
		return false;
	u->ns = ctrace_compat_since(u->time);
	return true;
}

/* --- the probes ----------------------------------------------------------------- */

static notrace void probe_enter(void *data, struct pt_regs *regs, long nr)
{
	ctrace_compat_probe_begin();
	if (unlikely(!ctrace_route_known()))
		enter_new(data, regs, nr);
	else if (__this_cpu_read(ctrace_route.wanted))
		enter(current, regs, nr);
	else
		ctrace_spare_current();
	ctrace_compat_probe_end();
}

/* Does not ask whether the container is wanted: it may have been when the call began. */
static notrace void probe_exit(void *data, struct pt_regs *regs, long ret)
{
	u64 state;

	ctrace_compat_probe_begin();
	if (unlikely(!ctrace_route_remembered(current))) {
		leave_found(data, regs, ret);
	} else {
		state = ctrace_short_call_state(ctrace_compat_task_migrations(current));
		if (state != CTRACE_WHOLE_CALM)
			leave(state, regs, ret);
		else if (IS_ERR_VALUE(ret))
			denied(data, regs, ret);
	}
	ctrace_compat_probe_end();
}

static void CTRACE_PROBE_SCHED_PROCESS_EXIT(probe_death)
{
	u32 row = ctrace_inflight_row(&calls, p), place;

	ctrace_compat_probe_begin();
	place = ctrace_inflight_find(&calls, row, p);	/* p is current */
	if (place != CTRACE_INFLIGHT_NONE)
		release(p, row, place);
	ctrace_compat_probe_end();
}

/* Only while a probe has a stack with each call. A task that is preempted does not wait for anything. */
static void CTRACE_PROBE_SCHED_SWITCH(probe_switch)
{
	ctrace_compat_probe_begin();
	if (!CTRACE_PROBE_PREEMPT && CTRACE_PROBE_PREV_STATE(prev) != TASK_RUNNING)
		sleeps(prev);
	ctrace_compat_probe_end();
}

/* --- life --------------------------------------------------------------------- */

/*
 * Registered in this order: before a call can take a place, its return and its task's death can free it.
 */
static struct ctrace_source sources[] = {
	{ .tracepoint = "sched_process_exit", .fn = probe_death, .table = &calls },
	{ .tracepoint = "sys_exit", .fn = probe_exit, .table = &ctrace_calls_kept },
	{ .tracepoint = "sys_enter", .fn = probe_enter, .table = &ctrace_calls_waits, .spares = true },
	{ .tracepoint = "sched_process_exec", .fn = ctrace_call_probe_exec },
	{ .tracepoint = "sched_switch", .fn = probe_switch },	/* the last: calls_add() */
};

static int calls_add(struct ctrace_probe *p, const char *text, char *why)
{
	int err = ctrace_call_list(p, why);
	u32 i;

	BUILD_BUG_ON(ARRAY_SIZE(sources) > CTRACE_PROBE_SOURCES);
	if (err)
		return err;
	for (i = 0; i < ARRAY_SIZE(sources) - !p->kaddr; i++)
		p->sources[i] = &sources[i];
	return 0;
}

static const char *const prefixes[] = { "calls", "call:", NULL };

const struct ctrace_probe_kind ctrace_kind_calls = {
	.prefixes = prefixes, .add = calls_add,
};
