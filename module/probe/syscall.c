// SPDX-License-Identifier: GPL-2.0-only
/* System calls: the entry, with all of the call's arguments, and the exit. */
#include <linux/percpu.h>
#include <linux/sched.h>
#include "probe/syscall_room.h"
#include "probe/table.h"
#include "emit/short.h"
#include "session/inflight.h"
#include "session/spare.h"
#include "event/call_memory.h"
#include "event/syscall_args.h"
#include "compat/clock.h"
#include "compat/task.h"
#include "compat/tracepoint.h"

/* The last word is an argument, or zeros for fields that are empty. */
static __always_inline void fill_entry(void *payload, const void *arg)
{
	const struct ctrace_syscall_entry *e = arg;
	u32 len = e->layout->len - sizeof(struct ctrace_record);

	if (len)
		*(u64 *)(payload + len - sizeof(u64)) = 0;
	ctrace_args_numbers(e->regs, e->is32, e->layout, payload);
}

struct unknown {
	const struct pt_regs *regs;
	long nr, ret;
};

#define ENTER_UNKNOWN_FIELDS(F)							\
	F(s64, nr) F(x64, arg0) F(x64, arg1) F(x64, arg2) F(x64, arg3) F(x64, arg4) F(x64, arg5)
CTRACE_PAYLOAD(enter_unknown, ENTER_UNKNOWN_FIELDS);

static void fill_enter_unknown(void *payload, const void *arg)
{
	struct enter_unknown *r = payload;
	const struct unknown *u = arg;

	r->nr = u->nr;
	ctrace_compat_syscall_args(u->regs, ctrace_compat_is_32bit_call(), 6, (u64 *)payload + 1);
}

#define EXIT_UNKNOWN_FIELDS(F)	F(s64, nr) F(s64, ret)
CTRACE_PAYLOAD(exit_unknown, EXIT_UNKNOWN_FIELDS);

static void fill_exit_unknown(void *payload, const void *arg)
{
	struct exit_unknown *r = payload;
	const struct unknown *u = arg;

	r->nr = u->nr;
	r->ret = u->ret;
}

/* A call whose number no table has. Its entry is recorded with 6 arguments, as the registers have them. */
static noinline void unknown(u32 id, u32 payload, void (*fill)(void *, const void *),
			     const struct unknown *u)
{
	u32 mask = ctrace_wants(id);
	struct ctrace_who who;

	if (!mask)
		return;
	ctrace_identity_resolve_current(&who);
	mask = ctrace_wanted(mask, who.container, current);
	if (mask)
		ctrace_emit(mask, id, &who, payload, fill, u);
}

/*
 * By task: which of the calls with CTRACE_EXIT_CHANGES it is in. If it is killed there, nothing frees the
 * place; start says then whose it was.
 */
struct changing {
	struct ctrace_begun begun;	/* wanted: the entry's id */
	u64 start;
};

static struct ctrace_inflight changing __read_mostly = { .stride = sizeof(struct changing), .bits = 10 };

static noinline void note_entry(struct task_struct *p, u32 id)
{
	u32 place = ctrace_inflight_renew(&changing, p);
	struct changing *b;

	if (place == CTRACE_INFLIGHT_NONE)
		return;
	b = ctrace_inflight_at(&changing, place);
	WRITE_ONCE(b->begun.wanted, id);
	b->begun.time = ctrace_compat_clock();
	b->start = ctrace_compat_task_start(p);
	ctrace_inflight_let_go(&changing, place, p);
}

/* The id of the entry that current returns from, if its number may have changed on the way; else 0. */
static noinline u32 noted_entry(void)
{
	struct task_struct *p = current;
	u32 place = ctrace_inflight_hold(&changing, p), id;
	const struct changing *b;

	if (place == CTRACE_INFLIGHT_NONE)
		return 0;
	b = ctrace_inflight_at(&changing, place);
	id = b->start == ctrace_compat_task_start(p) ? (u16)READ_ONCE(b->begun.wanted) : 0;
	ctrace_inflight_let_go(&changing, place, NULL);
	return id;
}

/* It stays: the exec has not returned. */
static noinline u32 peek_entry(void)
{
	struct task_struct *p = current;
	u32 place = ctrace_inflight_hold(&changing, p), id;

	if (place == CTRACE_INFLIGHT_NONE)
		return 0;
	id = (u16)READ_ONCE(((const struct ctrace_begun *)ctrace_inflight_at(&changing, place))->wanted);
	ctrace_inflight_let_go(&changing, place, p);
	return id;
}

/* The general way: any call, any task, any session among those. */
static noinline void enter_any(struct pt_regs *regs, long nr, u32 among)
{
	struct ctrace_syscall_entry e = { .regs = regs, .is32 = ctrace_compat_is_32bit_call() };
	struct ctrace_who who;
	u32 id, mask;

	if (unlikely(!ctrace_syscall_known(&nr, e.is32))) {
		struct unknown u = { .regs = regs, .nr = nr };

		unknown(CTRACE_ID_SYS_ENTER_UNKNOWN, CTRACE_SIZE(enter_unknown), fill_enter_unknown, &u);
		return;
	}
	id = (e.is32 ? CTRACE_ID_COMPAT_SYS_ENTER : CTRACE_ID_SYS_ENTER) + nr;
	mask = ctrace_wants(id) & among;
	if (!mask)
		return;
	ctrace_identity_resolve_current(&who);
	mask = ctrace_wanted(mask, who.container, current);
	if (!mask) {
		ctrace_spare_unwanted(&who);
		return;
	}
	ctrace_short_note(mask, &who);
	e.layout = &ctrace_syscall_layouts[e.is32][nr];
	if (unlikely(e.layout->exit & CTRACE_EXIT_CHANGES))
		note_entry(current, id);
	if (e.layout->in || (e.layout->detail && mask & READ_ONCE(ctrace_detailed_sessions)))
		ctrace_syscall_enter_room(mask, id, nr, &who, &e);
	else
		ctrace_emit(mask, id, &who, e.layout->len - sizeof(struct ctrace_record), fill_entry, &e);
}

/* The short way for calls whose strings are in memory. False: take the general way. */
static bool enter_string(const struct pt_regs *regs, long nr)
{
	const struct ctrace_syscall_layout *l = &ctrace_syscall_layouts[0][nr];
	struct ctrace_args_room *room = this_cpu_ptr(ctrace_args_rooms);
	u32 len, empty = ctrace_memory_fields[0][nr].entry;
	struct ctrace_copy c = { .from = &room->head.marks };
	u64 numbers[6], pos, time;
	struct ctrace_ring_desc *d;
	struct ctrace_record *rec;

	if (!l->strings || l->exit & CTRACE_EXIT_CHANGES || empty == CTRACE_MEM_OTHERS ||
	    ctrace_short_ring(&d, CTRACE_ID_SYS_ENTER + nr) <= 0)
		return false;
	ctrace_args_numbers(regs, false, l, numbers);
	len = ctrace_args_put(numbers, l, room->args, &room->head.marks);
	if (unlikely(room->head.marks & CTRACE_CALL_M_UNREADS))
		return false;
	len = ctrace_memory_put_empty((char *)room->args, len, empty);
	c.len = sizeof(room->head.marks) + ctrace_args_end(room->args, len);
	len = sizeof(*rec) + c.len;
	if (unlikely(!CTRACE_CLOCK_INLINE() || !ctrace_ring_try(d, len, &pos)))
		return false;
	time = CTRACE_CLOCK_NOW();
	if (unlikely(!ctrace_ring_take(d, len, pos, &time, &rec)))
		return false;
	ctrace_short_stamp(rec, CTRACE_ID_SYS_ENTER + nr);
	ctrace_fill_words(rec + 1, &c);
	ctrace_short_end(d, pos + len, time);
	return true;
}

/* A 64-bit call with a name or none, which is not made of numbers alone. */
static noinline void enter_long(struct pt_regs *regs, long nr)
{
	if (!enter_string(regs, nr))
		enter_any(regs, nr, ~0u);
}

/* One of the records of a pair. *time: the clock's reading, or 0. False: take the general way. */
static __always_inline bool enter_one(struct ctrace_ring_desc *d, const struct pt_regs *regs, long nr, u64 *time)
{
	const struct ctrace_syscall_layout *l = &ctrace_syscall_layouts[0][nr];
	struct ctrace_record *rec;
	u64 pos;

	if (unlikely(!ctrace_ring_try(d, l->len, &pos)))
		return false;
	if (!*time)
		*time = CTRACE_CLOCK_NOW();
	if (unlikely(!ctrace_ring_take(d, l->len, pos, time, &rec)))
		return false;
	*(u64 *)((char *)rec + l->len - sizeof(u64)) = 0;	/* as in fill_entry() */
	ctrace_short_stamp(rec, CTRACE_ID_SYS_ENTER + nr);
	ctrace_args_numbers(regs, false, l, (u64 *)(rec + 1));
	ctrace_short_end(d, pos + l->len, *time);
	return true;
}

/* Two sessions want the same, and the clock is read once. Their rings stay ours: see ctrace_short_owns(). */
static noinline ctrace_compat_noclone void enter_pair(const struct pt_regs *regs, long nr)
{
	struct ctrace_ring_desc *second = __this_cpu_read(ctrace_route.rings[1]);
	u32 pair = __this_cpu_read(ctrace_route.pair);
	bool quick = CTRACE_CLOCK_INLINE();
	u64 time = 0;

	if (unlikely(!quick || !enter_one(__this_cpu_read(ctrace_route.rings[0]), regs, nr, &time)))
		enter_any(current_pt_regs(), nr, pair & -pair);
	if (unlikely(!quick || !enter_one(second, regs, nr, &time)))
		enter_any(current_pt_regs(), nr, pair & (pair - 1));
}

/* data is not used, but a probe has it: regs and nr stay in their registers. */
static noinline ctrace_compat_noclone void enter(void *data, struct pt_regs *regs, long nr)
{
	const struct ctrace_syscall_layout *l;
	struct ctrace_ring_desc *d;
	struct ctrace_record *rec;
	u64 pos, time;
	int found;
	u32 len;

	if (unlikely((unsigned long)nr >= CTRACE_NR_SYSCALLS))
		goto other;
	nr = ctrace_syscall_nospec(nr);
	l = &ctrace_syscall_layouts[0][nr];
	len = l->len;
	if (unlikely(ctrace_compat_is_32bit_call()))
		goto other;
	if (unlikely(!len)) {
		enter_long(regs, nr);	/* the last thing done here, so that this needs no stack */
		return;
	}
	found = ctrace_short_ring(&d, CTRACE_ID_SYS_ENTER + nr);
	if (!found)
		return;
	if (unlikely(found < 0))
		goto with_options;
	if (unlikely(!CTRACE_CLOCK_INLINE() || !ctrace_ring_try(d, len, &pos)))
		goto other;
	time = CTRACE_CLOCK_NOW();
	/* l and len are computed again */
	OPTIMIZER_HIDE_VAR(nr);
	l = &ctrace_syscall_layouts[0][nr];
	len = l->len;
	if (unlikely(!ctrace_ring_take(d, len, pos, &time, &rec)))
		goto other;
	/* as in fill_entry(); without either, it is the record's head, which comes next */
	*(u64 *)((char *)rec + len - sizeof(u64)) = 0;
	ctrace_short_stamp(rec, CTRACE_ID_SYS_ENTER + nr);
	ctrace_args_numbers(regs, false, l, (u64 *)(rec + 1));
	ctrace_short_end(d, pos + len, time);
	return;
with_options:
	OPTIMIZER_HIDE_VAR(nr);
	if (ctrace_short_skips(CTRACE_ID_SYS_ENTER + nr))
		return;
	if (ctrace_short_pair(CTRACE_ID_SYS_ENTER + nr)) {
		enter_pair(regs, nr);
		return;
	}
other:
	enter_any(regs, nr, ~0u);
}

struct result {
	const struct ctrace_syscall_layout *layout;
	long ret;
};

/* Bytes of the exit behind its result, if all of its fields are empty. */
static __always_inline u32 exit_tail(const struct ctrace_syscall_layout *l)
{
	return l->exit & ~(CTRACE_EXIT_IN | CTRACE_EXIT_CHANGES);
}

static __always_inline void fill_ret(void *payload, const void *arg)
{
	const struct result *r = arg;

	*(u64 *)payload = r->ret;
}

static __always_inline void fill_ret_empty(void *payload, const void *arg)
{
	const struct result *r = arg;

	*(u64 *)payload = r->ret;
	memset(payload + sizeof(u64), 0, exit_tail(r->layout));
}

static noinline void leave_with_empty(u32 mask, u32 id, const struct ctrace_who *who, const struct result *r)
{
	ctrace_emit(mask, id, who, sizeof(u64) + exit_tail(r->layout), fill_ret_empty, r);
}

/*
 * Gives a call whose number has changed the one that it was called by. Returns the sessions that may want its
 * return: those that only want another exec do not want this one if it cannot be any other.
 */
static noinline u32 leave_changed(long *nr, bool *is32)
{
	bool known = ctrace_syscall_known(nr, *is32);
	struct ctrace_id_call c;
	u32 id;

	if (known && !(ctrace_syscall_layouts[*is32][*nr].exit & CTRACE_EXIT_CHANGES))
		return ~0u;
	id = noted_entry();
	if (id) {
		c = ctrace_id_call(id);
		*nr = c.nr;
		*is32 = c.is32;
		return ~0u;
	}
	return known ? ctrace_wants((*is32 ? CTRACE_ID_COMPAT_SYS_ENTER : CTRACE_ID_SYS_ENTER) + *nr) : ~0u;
}

/* As enter_any(). */
static noinline void leave_any(long nr, long ret, u32 among)
{
	bool is32 = ctrace_compat_is_32bit_call();
	struct result r = { .ret = ret };
	struct ctrace_who who;
	u32 id, mask;

	among &= leave_changed(&nr, &is32);
	if (unlikely(!ctrace_syscall_known(&nr, is32))) {
		struct unknown u = { .nr = nr, .ret = ret };

		unknown(CTRACE_ID_SYS_EXIT_UNKNOWN, CTRACE_SIZE(exit_unknown), fill_exit_unknown, &u);
		return;
	}
	id = (is32 ? CTRACE_ID_COMPAT_SYS_EXIT : CTRACE_ID_SYS_EXIT) + nr;
	mask = ctrace_wants(id) & among;
	if (!mask)
		return;
	ctrace_identity_resolve_current(&who);
	mask = ctrace_wanted(mask, who.container, current);
	if (!mask)
		return;
	ctrace_short_note(mask, &who);
	r.layout = &ctrace_syscall_layouts[is32][nr];
	if ((r.layout->in || r.layout->detail) && unlikely(ctrace_syscall_has_unread(&who, nr, is32)))
		ctrace_syscall_leave_late(mask, nr, is32, &who, ret);
	if (!exit_tail(r.layout))
		ctrace_emit(mask, id, &who, sizeof(u64), fill_ret, &r);
	else if (r.layout->out || mask & READ_ONCE(ctrace_detailed_sessions))
		ctrace_syscall_leave_room(mask, id, nr, is32, &who, ret);
	else
		leave_with_empty(mask, id, &who, &r);
}

#define EXIT_LEN	(u32)(sizeof(struct ctrace_record) + sizeof(u64))

/*
 * An exit of len bytes, whose last word is zeros or the result. *time: the clock's reading, or 0. False: take
 * the general way.
 */
static __always_inline bool leave_one(struct ctrace_ring_desc *d, long nr, long ret, u32 len, u64 *time)
{
	struct ctrace_record *rec;
	u64 pos;

	if (unlikely(!CTRACE_CLOCK_INLINE() || !ctrace_ring_try(d, len, &pos)))
		return false;
	if (!*time)
		*time = CTRACE_CLOCK_NOW();
	OPTIMIZER_HIDE_VAR(nr);
	OPTIMIZER_HIDE_VAR(pos);
	if (unlikely(!ctrace_ring_take(d, len, pos, time, &rec)))
		return false;
	ctrace_short_stamp(rec, CTRACE_ID_SYS_EXIT + nr);
	if (len > EXIT_LEN)
		*(u64 *)((char *)rec + len - sizeof(u64)) = 0;
	*(u64 *)(rec + 1) = ret;
	ctrace_short_end(d, pos + len, *time);
	return true;
}

static __always_inline bool leave_quick(struct ctrace_ring_desc *d, long nr, long ret, u32 len)
{
	u64 time = 0;

	return leave_one(d, nr, ret, len, &time);
}

/* As enter_pair(). */
static noinline ctrace_compat_noclone void leave_pair(long nr, long ret)
{
	struct ctrace_ring_desc *second = __this_cpu_read(ctrace_route.rings[1]);
	u32 pair = __this_cpu_read(ctrace_route.pair);
	u64 time = 0;

	if (unlikely(!leave_one(__this_cpu_read(ctrace_route.rings[0]), nr, ret, EXIT_LEN, &time)))
		leave_any(nr, ret, pair & -pair);
	if (unlikely(!leave_one(second, nr, ret, EXIT_LEN, &time)))
		leave_any(nr, ret, pair & (pair - 1));
}

/* Of a call that has fields behind its result: if all of them are empty, this is the quick way. */
static noinline ctrace_compat_noclone void leave_empty(struct ctrace_ring_desc *d, long nr, long ret)
{
	const struct ctrace_syscall_layout *l = &ctrace_syscall_layouts[0][nr];

	if (l->out || !exit_tail(l) || exit_tail(l) > sizeof(u64) || ctrace_syscall_may_be_noted(nr) ||
	    !leave_quick(d, nr, ret, EXIT_LEN + sizeof(u64)))
		leave_any(nr, ret, ~0u);
}

static noinline ctrace_compat_noclone void leave(void *data, struct pt_regs *regs, long ret)
{
	long nr = syscall_get_nr(current, regs);
	struct ctrace_ring_desc *d;
	int found;
	u8 exit;

	/*
	 * in the upper half there are no native calls, but x32's own numbers, which older kernels took as
	 * they are
	 */
	if (unlikely((unsigned long)nr >= CTRACE_NR_SYSCALLS / 2 || ctrace_compat_is_32bit_call()))
		goto other;
	nr = ctrace_syscall_nospec(nr);
	found = ctrace_short_ring(&d, CTRACE_ID_SYS_EXIT + nr);
	/* a call without a name is recorded as another event, which ctrace_short_ring() did not ask about */
	if (!found && likely(ctrace_syscall_layouts[0][nr].known))
		return;
	if (unlikely(found <= 0))
		goto with_options;
	exit = ctrace_syscall_layouts[0][nr].exit;
	if (unlikely(exit) && (exit != CTRACE_EXIT_IN || unlikely(atomic_read(&ctrace_syscall_noted)))) {
		leave_empty(d, nr, ret);	/* the last thing done here, so that this needs no stack */
		return;
	}
	if (leave_quick(d, nr, ret, EXIT_LEN))
		return;
	goto other;
with_options:
	OPTIMIZER_HIDE_VAR(nr);
	if (ctrace_syscall_may_be_noted(nr))
		goto other;
	if (found && ctrace_short_skips(CTRACE_ID_SYS_EXIT + nr))
		return;
	if (!(ctrace_syscall_layouts[0][nr].exit & ~CTRACE_EXIT_IN) && ctrace_short_pair(CTRACE_ID_SYS_EXIT + nr)) {
		leave_pair(nr, ret);
		return;
	}
other:
	leave_any(nr, ret, ~0u);
}

/* The task's first call since another task ran on this CPU; or the task cannot be remembered. */
static noinline ctrace_compat_noclone void enter_new(void *data, struct pt_regs *regs, long nr)
{
	if (unlikely(!ctrace_route_learn()))
		enter_any(regs, nr, ~0u);
	else if (__this_cpu_read(ctrace_route.wanted))
		enter(data, regs, nr);
	else
		ctrace_spare_current();
}

static noinline ctrace_compat_noclone void leave_new(void *data, struct pt_regs *regs, long ret)
{
	if (likely(ctrace_route_learn()))
		leave(data, regs, ret);
	else
		leave_any(syscall_get_nr(current, regs), ret, ~0u);
}

/* No session wants most of a host's calls: those go no further than this. */
static void probe_enter(void *data, struct pt_regs *regs, long nr)
{
	s64 way;

	ctrace_compat_probe_begin();
	way = __this_cpu_read(ctrace_route.way);
	if (unlikely(!ctrace_route_known()))
		enter_new(data, regs, nr);
	else if (likely(way > 0))
		enter(data, regs, nr);
	else if (!way)
		ctrace_spare_current();
	else if (!ctrace_short_leaves_out(nr))
		enter(data, regs, nr);
	ctrace_compat_probe_end();
}

static void probe_exit(void *data, struct pt_regs *regs, long ret)
{
	s64 way;

	ctrace_compat_probe_begin();
	way = __this_cpu_read(ctrace_route.way);
	if (unlikely(!ctrace_route_known()))
		leave_new(data, regs, ret);
	else if (likely(way > 0) || (way && (unlikely(atomic_read(&ctrace_syscall_noted)) ||
					      !ctrace_short_leaves_out(syscall_get_nr(current, regs)))))
		leave(data, regs, ret);
	ctrace_compat_probe_end();
}

static void probe_exec(void *data, struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm)
{
	struct ctrace_id_call c;

	ctrace_compat_probe_begin();
	if (unlikely(atomic_read(&ctrace_syscall_noted))) {
		c = ctrace_id_call(peek_entry());
		if (c.phase == CTRACE_CALL_ENTRY && ctrace_syscall_layouts[c.is32][c.nr].exec)
			ctrace_syscall_executed(c.nr, c.is32, old_pid, bprm);
	}
	ctrace_compat_probe_end();
}

/* --- what user space gets --------------------------------------------------- */

/* Names and order are LTTng's: viewers look for them. */
static const struct ctrace_field_desc f_enter_unknown[] = { CTRACE_FIELDS(ENTER_UNKNOWN_FIELDS) };
static const struct ctrace_field_desc f_exit_unknown[] = { CTRACE_FIELDS(EXIT_UNKNOWN_FIELDS) };

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(SYS_ENTER_UNKNOWN, "syscalls", "syscall_entry_unknown", "sys_enter", f_enter_unknown),
	CTRACE_TYPE(SYS_EXIT_UNKNOWN, "syscalls", "syscall_exit_unknown", "sys_exit", f_exit_unknown),
};

static struct ctrace_source sources[] = {
	{ .tracepoint = "sys_enter", .fn = probe_enter, .table = &changing, .spares = true },
	{ .tracepoint = "sys_exit", .fn = probe_exit },
	{ .tracepoint = "syscall_exec", .at = "sched_process_exec", .fn = probe_exec },
	{ }
};

const struct ctrace_family ctrace_family_syscall = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
