// SPDX-License-Identifier: GPL-2.0-only
/* System calls: the entry, with all of the call's arguments, and the exit. */
#include <linux/percpu.h>
#include <linux/sched.h>
#include "probe/table.h"
#include "emit/alone.h"
#include "session/spare.h"
#include "event/call_memory.h"
#include "event/syscall_args.h"
#include "compat/hash.h"
#include "compat/tracepoint.h"

struct entry {
	const struct pt_regs *regs;
	const struct ctrace_syscall_layout *layout;
	bool is32;
};

/* The last word is an argument, or zeros for fields that are empty. */
static __always_inline void fill_entry(void *payload, const void *arg)
{
	const struct entry *e = arg;
	u32 len = e->layout->len - sizeof(struct ctrace_record);

	if (len)
		*(u64 *)(payload + len - sizeof(u64)) = 0;
	ctrace_args_numbers(e->regs, e->is32, e->layout, payload);
}

/* --- strings and memory ------------------------------------------------------------------ */

/*
 * Strings and memory that could not be read at the entry are read again at the return, and written as records of their
 * own. This tells the return which these are: tid << 32 | call << 8 | UNREAD_MEMORY | CTRACE_CALL_M_UNREADS. Each tid has
 * its place. A task may lose it to another with the same place; then what it missed stays unread. What stays behind here
 * because a return was not recorded makes a later one repeat a string, and no more.
 */
static u64 unread[256];

/* Something that arguments point to. */
#define UNREAD_MEMORY	(1ull << 6)
#define UNREADS		(UNREAD_MEMORY | CTRACE_CALL_M_UNREADS)

static u64 *unread_of(const struct ctrace_who *who)
{
	return &unread[ctrace_hash(who->tid, 8)];
}

static u64 unread_note(const struct ctrace_who *who, long nr, bool is32)
{
	return (u64)who->tid << 32 | (u64)is32 << 31 | (u64)nr << 8;
}

/* Has the entry of this call left a note? */
static __always_inline bool has_unread(const struct ctrace_who *who, long nr, bool is32)
{
	return !((READ_ONCE(*unread_of(who)) ^ unread_note(who, nr, is32)) & ~UNREADS);
}

/* detail: what all sessions in mask want of the call. Returns UNREADS. */
static u64 emit_entry(u32 mask, u32 id, long nr, const struct ctrace_who *who, const struct entry *e,
		      const u64 *numbers, const struct ctrace_detail *detail)
{
	struct ctrace_args_room *room = this_cpu_ptr(&ctrace_args_room);
	struct ctrace_copy c = { .from = room->args };
	u64 *marks = &room->head.marks, missed = 0;
	u32 empty = ctrace_memory_fields[e->is32][nr].entry;

	BUILD_BUG_ON(offsetof(struct ctrace_args_room, args) !=
		     offsetof(struct ctrace_args_room, head.marks) + sizeof(*marks));
	c.len = ctrace_args_put(numbers, e->layout, room->args, marks);
	if (ctrace_detail_any(detail) || empty == CTRACE_MEM_OTHERS) {
		struct ctrace_memory_call m = {
			.args = numbers, .phase = CTRACE_CALL_ENTRY, .is32 = e->is32, .nr = nr, .detail = detail,
		};

		__this_cpu_write(ctrace_memory_missed, false);
		c.len = ctrace_memory_put(&m, (char *)room->args, c.len, CTRACE_ROOM_MAX);
		if (unlikely(__this_cpu_read(ctrace_memory_missed)))
			missed = UNREAD_MEMORY;
	} else {
		c.len = ctrace_memory_put_empty((char *)room->args, c.len, empty);
	}
	c.len = ctrace_args_end(room->args, c.len);
	if (e->layout->strings) {	/* their marks come first */
		c.from = marks;
		c.len += sizeof(*marks);
	}
	ctrace_emit(mask, id, who, c.len, ctrace_fill_words, &c);
	return missed | (*marks & CTRACE_CALL_M_UNREADS);
}

static noinline void enter_room(u32 mask, u32 id, long nr, const struct ctrace_who *who, const struct entry *e)
{
	const struct ctrace_detail *detail;
	u64 missed = 0, numbers[6];
	u32 some;

	ctrace_args_numbers(e->regs, e->is32, e->layout, numbers);
	while ((some = ctrace_next_detail(&mask, &detail)))
		missed |= emit_entry(some, id, nr, who, e, numbers, detail);
	if (likely(!missed))
		return;
	WRITE_ONCE(*unread_of(who), unread_note(who, nr, e->is32) | missed);
	/* the return must not take the short way, nor be left out at once */
	if (__this_cpu_read(ctrace_idcache.task) == who->task) {
		__this_cpu_write(ctrace_idcache.only, 0);
		__this_cpu_write(ctrace_idcache.asks, CTRACE_ASKS_NONE);
		__this_cpu_write(ctrace_idcache.noted, 0);
	}
}

/* For the sessions in mask that recorded the entry. of: the strings, CTRACE_CALL_M_UNREADS. */
static void late_strings(u32 mask, long nr, bool is32, const struct ctrace_who *who, u64 of)
{
	const struct ctrace_syscall_layout *l = &ctrace_syscall_layouts[is32][nr];
	struct ctrace_args_room *room = this_cpu_ptr(&ctrace_args_room);
	struct ctrace_late_payload *to = (void *)room->args;
	struct ctrace_copy c = { .from = to };
	u32 i, n;

	for (i = 0; i < l->nargs; i++) {
		if (!(of & CTRACE_CALL_M_UNREAD(i)))
			continue;
		n = ctrace_args_string(current_pt_regs(), is32, l, i, to->text);
		to->argument = i;
		c.len = offsetof(struct ctrace_late_payload, text) + n;
		if (n)
			ctrace_emit(mask, CTRACE_ID_LATE_ARGUMENT, who, c.len, ctrace_fill_copy, &c);
	}
}

/* The same of memory. */
static void late_memory(u32 mask, long nr, bool is32, const struct ctrace_who *who, long ret)
{
	const struct ctrace_syscall_layout *l = &ctrace_syscall_layouts[is32][nr];
	struct ctrace_memory_call m = { .is32 = is32, .nr = nr, .ret = ret };
	struct ctrace_args_room *room = this_cpu_ptr(&ctrace_args_room);
	struct ctrace_late_memory_payload *to = (void *)room->args;
	u32 i, some, max = CTRACE_ROOM_MAX - sizeof(*to);
	struct ctrace_copy c = { .from = to };
	u64 numbers[6];
	int n;

	ctrace_args_numbers(current_pt_regs(), is32, l, numbers);
	m.args = numbers;
	while ((some = ctrace_next_detail(&mask, &m.detail)))
		for (i = 0; (n = ctrace_memory_late(&m, i, (char *)to->bytes, max)) >= 0; i++) {
			to->field = (l->strings ? 1 : 0) + l->nargs + i;
			to->bytes_length = n;
			c.len = sizeof(*to) + n;
			if (n)
				ctrace_emit(some, CTRACE_ID_LATE_MEMORY, who, c.len, ctrace_fill_copy, &c);
		}
}

static noinline void leave_late(u32 mask, long nr, bool is32, const struct ctrace_who *who, long ret)
{
	u64 *note = unread_of(who), noted = READ_ONCE(*note);

	WRITE_ONCE(*note, 0);
	mask &= ctrace_wants((is32 ? CTRACE_ID_COMPAT_SYS_ENTER : CTRACE_ID_SYS_ENTER) + nr);
	if (mask && noted & CTRACE_CALL_M_UNREADS)
		late_strings(mask, nr, is32, who, noted);
	if (mask && noted & UNREAD_MEMORY)
		late_memory(mask, nr, is32, who, ret);
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

/* The general way: any call, any task, any session. */
static noinline void enter_any(struct pt_regs *regs, long nr)
{
	struct entry e = { .regs = regs, .is32 = ctrace_compat_is_32bit_call() };
	struct ctrace_who who;
	u32 id, mask;

	if (unlikely(!ctrace_syscall_known(&nr, e.is32))) {
		struct unknown u = { .regs = regs, .nr = nr };

		unknown(CTRACE_ID_SYS_ENTER_UNKNOWN, CTRACE_SIZE(enter_unknown), fill_enter_unknown, &u);
		return;
	}
	id = (e.is32 ? CTRACE_ID_COMPAT_SYS_ENTER : CTRACE_ID_SYS_ENTER) + nr;
	mask = ctrace_wants(id);
	if (!mask)
		return;
	ctrace_identity_resolve_current(&who);
	mask = ctrace_wanted(mask, who.container, current);
	if (!mask) {
		ctrace_spare_unwanted(&who);
		return;
	}
	ctrace_alone_note(mask, &who);
	e.layout = &ctrace_syscall_layouts[e.is32][nr];
	if (e.layout->in || (e.layout->detail && mask & READ_ONCE(ctrace_detailed_sessions)))
		enter_room(mask, id, nr, &who, &e);
	else
		ctrace_emit(mask, id, &who, e.layout->len - sizeof(struct ctrace_record), fill_entry, &e);
}

/* The short way for calls with strings that are there. False: take the general way. */
static bool enter_string(const struct pt_regs *regs, long nr)
{
	const struct ctrace_syscall_layout *l = &ctrace_syscall_layouts[0][nr];
	struct ctrace_args_room *room = this_cpu_ptr(&ctrace_args_room);
	u32 len, empty = ctrace_memory_fields[0][nr].entry;
	struct ctrace_copy c = { .from = &room->head.marks };
	u64 numbers[6], pos, time;
	struct ctrace_ring_desc *d;
	struct ctrace_record *rec;

	if (!l->strings || empty == CTRACE_MEM_OTHERS || ctrace_alone_ring(&d, CTRACE_ID_SYS_ENTER + nr) <= 0)
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
	ctrace_alone_stamp(rec, CTRACE_ID_SYS_ENTER + nr);
	ctrace_fill_words(rec + 1, &c);
	ctrace_alone_end(d, pos + len, time);
	return true;
}

/* A 64-bit call with a name or none, which is not made of numbers alone. */
static noinline void enter_long(struct pt_regs *regs, long nr)
{
	if (!enter_string(regs, nr))
		enter_any(regs, nr);
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
	found = ctrace_alone_ring(&d, CTRACE_ID_SYS_ENTER + nr);
	if (!found)
		return;
	if (unlikely(found < 0))
		goto special;
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
	ctrace_alone_stamp(rec, CTRACE_ID_SYS_ENTER + nr);
	ctrace_args_numbers(regs, false, l, (u64 *)(rec + 1));
	ctrace_alone_end(d, pos + len, time);
	return;
special:
	OPTIMIZER_HIDE_VAR(nr);
	if (ctrace_alone_skips(CTRACE_ID_SYS_ENTER + nr))
		return;
other:
	enter_any(regs, nr);
}

struct result {
	const struct ctrace_syscall_layout *layout;
	long ret;
};

static __always_inline void fill_ret(void *payload, const void *arg)
{
	const struct result *r = arg;

	*(u64 *)payload = r->ret;
}

static __always_inline void fill_ret_empty(void *payload, const void *arg)
{
	const struct result *r = arg;

	*(u64 *)payload = r->ret;
	memset(payload + sizeof(u64), 0, r->layout->exit);
}

static noinline void leave_with_empty(u32 mask, u32 id, const struct ctrace_who *who, const struct result *r)
{
	ctrace_emit(mask, id, who, sizeof(u64) + r->layout->exit, fill_ret_empty, r);
}

/* With what the call has written, and the name of the descriptor that it returned. */
static noinline void leave_room(u32 mask, u32 id, long nr, bool is32, const struct ctrace_who *who, const struct result *r)
{
	struct ctrace_memory_call m = { .phase = CTRACE_CALL_EXIT, .is32 = is32, .nr = nr, .ret = r->ret };
	struct ctrace_args_room *room = this_cpu_ptr(&ctrace_args_room);
	struct ctrace_copy c = { .from = room->args };
	u64 numbers[6];
	u32 some;

	ctrace_args_numbers(current_pt_regs(), is32, r->layout, numbers);
	m.args = numbers;
	while ((some = ctrace_next_detail(&mask, &m.detail))) {
		room->args[0] = r->ret;
		c.len = ctrace_memory_put(&m, (char *)room->args, sizeof(u64), CTRACE_ROOM_MAX);
		c.len = ctrace_args_end(room->args, c.len);
		ctrace_emit(some, id, who, c.len, ctrace_fill_words, &c);
	}
}

static noinline void leave_any(long nr, long ret)
{
	bool is32 = ctrace_compat_is_32bit_call();
	struct result r = { .ret = ret };
	struct ctrace_who who;
	u32 id, mask;

	if (unlikely(!ctrace_syscall_known(&nr, is32))) {
		struct unknown u = { .nr = nr, .ret = ret };

		unknown(CTRACE_ID_SYS_EXIT_UNKNOWN, CTRACE_SIZE(exit_unknown), fill_exit_unknown, &u);
		return;
	}
	id = (is32 ? CTRACE_ID_COMPAT_SYS_EXIT : CTRACE_ID_SYS_EXIT) + nr;
	mask = ctrace_wants(id);
	if (!mask)
		return;
	ctrace_identity_resolve_current(&who);
	mask = ctrace_wanted(mask, who.container, current);
	if (!mask)
		return;
	ctrace_alone_note(mask, &who);
	r.layout = &ctrace_syscall_layouts[is32][nr];
	if ((r.layout->in || r.layout->detail) && unlikely(has_unread(&who, nr, is32)))
		leave_late(mask, nr, is32, &who, ret);
	if (!r.layout->exit)
		ctrace_emit(mask, id, &who, sizeof(u64), fill_ret, &r);
	else if (r.layout->out || mask & READ_ONCE(ctrace_detailed_sessions))
		leave_room(mask, id, nr, is32, &who, &r);
	else
		leave_with_empty(mask, id, &who, &r);
}

#define EXIT_LEN	(u32)(sizeof(struct ctrace_record) + sizeof(u64))

/* An exit of len bytes, whose last word is zeros or the result. False: take the general way. */
static __always_inline bool leave_quick(struct ctrace_ring_desc *d, long nr, long ret, u32 len)
{
	struct ctrace_record *rec;
	u64 pos, time;

	if (unlikely(!CTRACE_CLOCK_INLINE() || !ctrace_ring_try(d, len, &pos)))
		return false;
	time = CTRACE_CLOCK_NOW();
	OPTIMIZER_HIDE_VAR(nr);
	OPTIMIZER_HIDE_VAR(pos);
	if (unlikely(!ctrace_ring_take(d, len, pos, &time, &rec)))
		return false;
	ctrace_alone_stamp(rec, CTRACE_ID_SYS_EXIT + nr);
	if (len > EXIT_LEN)
		*(u64 *)((char *)rec + len - sizeof(u64)) = 0;
	*(u64 *)(rec + 1) = ret;
	ctrace_alone_end(d, pos + len, time);
	return true;
}

/* Of a call that has fields behind its result: if all of them are empty, this is the quick way. */
static noinline ctrace_compat_noclone void leave_empty(struct ctrace_ring_desc *d, long nr, long ret)
{
	const struct ctrace_syscall_layout *l = &ctrace_syscall_layouts[0][nr];

	if (l->out || l->exit > sizeof(u64) || !leave_quick(d, nr, ret, EXIT_LEN + sizeof(u64)))
		leave_any(nr, ret);
}

static noinline ctrace_compat_noclone void leave(void *data, struct pt_regs *regs, long ret)
{
	long nr = syscall_get_nr(current, regs);
	struct ctrace_ring_desc *d;
	int found;

	/* in the upper half there are no native calls, but x32's own numbers, which older kernels took as they are */
	if (unlikely((unsigned long)nr >= CTRACE_NR_SYSCALLS / 2 || ctrace_compat_is_32bit_call()))
		goto other;
	nr = ctrace_syscall_nospec(nr);
	found = ctrace_alone_ring(&d, CTRACE_ID_SYS_EXIT + nr);
	/* a call without a name is recorded as another event, which ctrace_alone_ring() did not ask about */
	if (!found && likely(ctrace_syscall_layouts[0][nr].known))
		return;
	if (unlikely(found <= 0))
		goto special;
	if (unlikely(ctrace_syscall_layouts[0][nr].exit)) {
		leave_empty(d, nr, ret);	/* the last thing done here, so that this needs no stack */
		return;
	}
	if (leave_quick(d, nr, ret, EXIT_LEN))
		return;
	goto other;
special:
	OPTIMIZER_HIDE_VAR(nr);
	if (found && ctrace_alone_skips(CTRACE_ID_SYS_EXIT + nr))
		return;
other:
	leave_any(nr, ret);
}

/* The task's first call since another task ran on this CPU; or the task cannot be remembered. */
static noinline ctrace_compat_noclone void enter_new(void *data, struct pt_regs *regs, long nr)
{
	if (unlikely(!ctrace_identity_learn()))
		enter_any(regs, nr);
	else if (__this_cpu_read(ctrace_idcache.wanted))
		enter(data, regs, nr);
	else
		ctrace_spare_current();
}

static noinline ctrace_compat_noclone void leave_new(void *data, struct pt_regs *regs, long ret)
{
	if (likely(ctrace_identity_learn()))
		leave(data, regs, ret);
	else
		leave_any(syscall_get_nr(current, regs), ret);
}

/* No session wants most of a host's calls: those go no further than this. */
static void probe_enter(void *data, struct pt_regs *regs, long nr)
{
	ctrace_compat_probe_begin();
	if (unlikely(!ctrace_identity_known()))
		enter_new(data, regs, nr);
	else if (__this_cpu_read(ctrace_idcache.wanted))
		enter(data, regs, nr);
	else
		ctrace_spare_current();
	ctrace_compat_probe_end();
}

static void probe_exit(void *data, struct pt_regs *regs, long ret)
{
	ctrace_compat_probe_begin();
	if (unlikely(!ctrace_identity_known()))
		leave_new(data, regs, ret);
	else if (__this_cpu_read(ctrace_idcache.wanted))
		leave(data, regs, ret);
	ctrace_compat_probe_end();
}

/* --- what user space is told ------------------------------------------------ */

/* Names and order are LTTng's: viewers look for them. */
static const struct ctrace_field_desc f_enter_unknown[] = { CTRACE_FIELDS(ENTER_UNKNOWN_FIELDS) };
static const struct ctrace_field_desc f_exit_unknown[] = { CTRACE_FIELDS(EXIT_UNKNOWN_FIELDS) };

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(SYS_ENTER_UNKNOWN, "syscalls", "syscall_entry_unknown", "sys_enter", f_enter_unknown),
	CTRACE_TYPE(SYS_EXIT_UNKNOWN, "syscalls", "syscall_exit_unknown", "sys_exit", f_exit_unknown),
};

static struct ctrace_source sources[] = {
	{ .tracepoint = "sys_enter", .fn = probe_enter, .spares = true },
	{ .tracepoint = "sys_exit", .fn = probe_exit },
	{ }
};

const struct ctrace_family ctrace_family_syscall = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
