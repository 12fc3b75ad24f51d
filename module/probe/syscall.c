// SPDX-License-Identifier: GPL-2.0-only
/* System calls: the entry, with all of the call's arguments, and the exit. */
#include <linux/percpu.h>
#include <linux/sched.h>
#include "probe/table.h"
#include "emit/alone.h"
#include "event/syscall_args.h"
#include "compat/tracepoint.h"

/*
 * Arguments with strings are copied before the record is reserved, because the strings decide its
 * length. Only the entry of a system call uses this, with preemption off and never in an interrupt, so
 * one per CPU is enough.
 */
struct room {
	u64 args[CTRACE_ARGS_MAX / 8];
};
static DEFINE_PER_CPU(struct room, room);

struct entry {
	const struct pt_regs *regs;
	const struct ctrace_syscall_layout *layout;
	bool is32;
};

static __always_inline void fill_entry(void *payload, const void *arg)
{
	const struct entry *e = arg;

	ctrace_args_numbers(e->regs, e->is32, e->layout, payload);
}

static noinline void enter_strings(u32 mask, u32 id, const struct ctrace_who *who, const struct entry *e)
{
	struct room *r = this_cpu_ptr(&room);
	struct ctrace_copy c = { .from = r->args };

	c.len = ctrace_args_put(e->regs, e->is32, e->layout, r->args);
	ctrace_emit(mask, id, who, c.len, ctrace_fill_copy, &c);
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

/* No table of this kernel has the call. */
static __always_inline bool nameless(long nr, bool is32)
{
	return (unsigned long)nr >= CTRACE_NR_SYSCALLS ||
	       !ctrace_syscall_layouts[is32][ctrace_syscall_nospec(nr)].known;
}

/* The general way: any call, any task, any session. */
static noinline void enter_any(struct pt_regs *regs, long nr)
{
	struct entry e = { .regs = regs, .is32 = ctrace_compat_is_32bit_call() };
	struct ctrace_who who;
	u32 id, mask;

	if (unlikely(nameless(nr, e.is32))) {
		struct unknown u = { .regs = regs, .nr = nr };

		unknown(CTRACE_ID_SYS_ENTER_UNKNOWN, CTRACE_SIZE(enter_unknown), fill_enter_unknown, &u);
		return;
	}
	nr = ctrace_syscall_nospec(nr);
	id = (e.is32 ? CTRACE_ID_COMPAT_SYS_ENTER : CTRACE_ID_SYS_ENTER) + nr;
	mask = ctrace_wants(id);
	if (!mask)
		return;
	ctrace_identity_resolve_current(&who);
	mask = ctrace_wanted(mask, who.container, current);
	if (!mask)
		return;
	ctrace_alone_note(mask, &who);
	e.layout = &ctrace_syscall_layouts[e.is32][nr];
	if (e.layout->strings)
		enter_strings(mask, id, &who, &e);
	else
		ctrace_emit(mask, id, &who, e.layout->nargs * 8, fill_entry, &e);
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
	if (unlikely(!len || ctrace_compat_is_32bit_call()))
		goto other;
	found = ctrace_alone_ring(&d, CTRACE_ID_SYS_ENTER + nr);
	if (!found)
		return;
	if (unlikely(found < 0 || !CTRACE_CLOCK_INLINE() || !ctrace_ring_try(d, len, &pos)))
		goto other;
	time = CTRACE_CLOCK_NOW();
	/* l and len are computed again */
	OPTIMIZER_HIDE_VAR(nr);
	l = &ctrace_syscall_layouts[0][nr];
	len = l->len;
	if (unlikely(!ctrace_ring_take(d, len, pos, &time, &rec)))
		goto other;
	ctrace_alone_stamp(rec, CTRACE_ID_SYS_ENTER + nr);
	ctrace_args_numbers(regs, false, l, (u64 *)(rec + 1));
	ctrace_alone_end(d, pos + len, time);
	return;
other:
	enter_any(regs, nr);
}

static __always_inline void fill_ret(void *payload, const void *arg)
{
	*(u64 *)payload = *(const long *)arg;
}

static noinline void leave_any(long nr, long ret)
{
	bool is32 = ctrace_compat_is_32bit_call();
	struct ctrace_who who;
	u32 id, mask;

	if (unlikely(nameless(nr, is32))) {
		struct unknown u = { .nr = nr, .ret = ret };

		unknown(CTRACE_ID_SYS_EXIT_UNKNOWN, CTRACE_SIZE(exit_unknown), fill_exit_unknown, &u);
		return;
	}
	nr = ctrace_syscall_nospec(nr);
	id = (is32 ? CTRACE_ID_COMPAT_SYS_EXIT : CTRACE_ID_SYS_EXIT) + nr;
	mask = ctrace_wants(id);
	if (!mask)
		return;
	ctrace_identity_resolve_current(&who);
	mask = ctrace_wanted(mask, who.container, current);
	if (!mask)
		return;
	ctrace_alone_note(mask, &who);
	ctrace_emit(mask, id, &who, 8, fill_ret, &ret);
}

#define EXIT_LEN	(u32)(sizeof(struct ctrace_record) + sizeof(u64))

static noinline ctrace_compat_noclone void leave(void *data, struct pt_regs *regs, long ret)
{
	long nr = syscall_get_nr(current, regs);
	struct ctrace_ring_desc *d;
	struct ctrace_record *rec;
	u64 pos, time;
	int found;

	if (unlikely((unsigned long)nr >= CTRACE_NR_SYSCALLS || ctrace_compat_is_32bit_call()))
		goto other;
	nr = ctrace_syscall_nospec(nr);
	found = ctrace_alone_ring(&d, CTRACE_ID_SYS_EXIT + nr);
	/* a call without a name is recorded as another event, which ctrace_alone_ring() did not ask about */
	if (!found && likely(ctrace_syscall_layouts[0][nr].known))
		return;
	if (unlikely(found <= 0 || !CTRACE_CLOCK_INLINE() || !ctrace_ring_try(d, EXIT_LEN, &pos)))
		goto other;
	time = CTRACE_CLOCK_NOW();
	OPTIMIZER_HIDE_VAR(nr);
	OPTIMIZER_HIDE_VAR(pos);
	if (unlikely(!ctrace_ring_take(d, EXIT_LEN, pos, &time, &rec)))
		goto other;
	ctrace_alone_stamp(rec, CTRACE_ID_SYS_EXIT + nr);
	*(u64 *)(rec + 1) = ret;
	ctrace_alone_end(d, pos + EXIT_LEN, time);
	return;
other:
	leave_any(nr, ret);
}

/* The task's first call since another task ran on this CPU; or the task cannot be remembered. */
static noinline ctrace_compat_noclone void enter_new(void *data, struct pt_regs *regs, long nr)
{
	if (likely(ctrace_identity_learn()))
		enter(data, regs, nr);
	else
		enter_any(regs, nr);
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
	{ .tracepoint = "sys_enter", .fn = probe_enter },
	{ .tracepoint = "sys_exit", .fn = probe_exit },
	{ }
};

const struct ctrace_family ctrace_family_syscall = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
};
