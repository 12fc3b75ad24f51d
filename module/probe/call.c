// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls as one record each, written when they return: how long the call took, what
 * it returned, and its arguments as they were when it began. Filters on these see a call whole.
 *
 *	entry	who, filter; a place in the table: for whom, which call, its arguments, when
 *	return	the place; who, filter once more; emit; the place is free
 *	death	(of a task that is in a call) the place is free
 *
 * The record is of the container that the task is in at the return. A call that was under way when
 * the probe was added has no place, and makes no record; nor does the return of a new task.
 */
#include <linux/atomic.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/vmalloc.h>
#include "probe/table.h"
#include "emit/emit.h"
#include "event/syscall_args.h"
#include "compat/hash.h"
#include "compat/tracepoint.h"

/*
 * Whoever finds no place is not followed, and counted. A place has room for the longest arguments
 * that this kernel's calls can have (three strings), so the table takes about 3.5 MiB as long as
 * there is a probe of this kind.
 */
#define PLACES_BITS	12
#define PLACES		(1u << PLACES_BITS)
#define ROW		8u		/* keys in a cache line */
#define ROWS		(PLACES / ROW)
#define WINDOW		8u		/* rows that are looked through for one task */

/* Written by the task it belongs to. */
struct call {
	/* mask of sessions << 32 | event id; sessions that end take their bit out */
	u64 wanted;
	u64 time;		/* of the entry: the last thing that is done there */
	/* of the task and of its group's leader, whose own it takes when it executes a program */
	u64 start, leader_start;
	u32 len;		/* bytes of args */
	u64 args[];
};

/*
 * A place is a key and the call at the same number. A key goes from NULL to a task by exchange, and back by
 * that task alone, in its own context: at the return, or as it exits, before its memory can be
 * another's. So a task's key is its own, and only taking one needs an atomic operation. (The times of
 * start are a second lock on the same door.)
 */
static struct {
	struct task_struct **keys;	/* [PLACES]; a row is aligned to its size */
	u8 *further;			/* [ROWS]: once set, tasks of this row may be in the next ones */
	char *calls;			/* [PLACES], stride apart */
	u32 stride;
	u32 users;			/* probes; protected by ctrace_lock, as is making and freeing */
} table __read_mostly;

static __always_inline struct call *call_at(u32 place)
{
	return (struct call *)(table.calls + (size_t)place * table.stride);
}

/* Any context; preemption off. p is current: its place, or PLACES. */
static __always_inline u32 find(const struct task_struct *p)
{
	u32 row = ctrace_hash_ptr(p, PLACES_BITS - 3), home = row, i, j;

	for (i = 0; i < WINDOW; i++, row = (row + 1) % ROWS) {
		for (j = 0; j < ROW; j++)
			if (READ_ONCE(table.keys[row * ROW + j]) == p)
				return row * ROW + j;
		/* p set it itself, if it went on from here; another's does no harm */
		if (!READ_ONCE(table.further[home]))
			break;
	}
	return PLACES;
}

static u32 take(struct task_struct *p)
{
	u32 row = ctrace_hash_ptr(p, PLACES_BITS - 3), home = row, i, j, place = find(p);

	if (unlikely(place != PLACES))
		return place;	/* a call without a return: what it left is written over */
	for (i = 0; i < WINDOW; i++, row = (row + 1) % ROWS) {
		if (i)
			WRITE_ONCE(table.further[home], 1);
		for (j = 0; j < ROW; j++) {
			place = row * ROW + j;
			/* Acquire: what its last user read there was read before. Pairs with release(). */
			if (!READ_ONCE(table.keys[place]) &&
			    !cmpxchg_acquire(&table.keys[place], NULL, p))
				return place;
		}
	}
	return PLACES;
}

static __always_inline void release(u32 place)
{
	smp_store_release(&table.keys[place], NULL);	/* pairs with take() */
}

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
	l = &ctrace_syscall_layouts[is32][nr];
	if (unlikely(!l->known))
		return;
	id = (is32 ? CTRACE_ID_COMPAT_CALL : CTRACE_ID_CALL) + nr;
	mask = ctrace_wants(id);
	if (!mask)
		return;
	ctrace_identity_resolve_current(&who);
	mask = ctrace_filter(mask, who.container, p);
	if (!mask)
		return;
	place = take(p);
	if (unlikely(place == PLACES)) {
		ctrace_session_unfollowed(mask);
		return;
	}
	c = call_at(place);
	c->start = ctrace_compat_task_start(p);
	c->leader_start = ctrace_compat_task_start(p->group_leader);
	c->len = ctrace_args_put(regs, is32, l, c->args);
	WRITE_ONCE(c->wanted, (u64)mask << 32 | id);
	c->time = ctrace_compat_clock();
}

struct result {
	const struct call *call;
	u64 duration;
	long ret;
};

static __always_inline void fill_call(void *payload, const void *arg)
{
	const struct result *r = arg;

	((u64 *)payload)[0] = r->duration;
	((u64 *)payload)[1] = r->ret;
	memcpy((u64 *)payload + 2, r->call->args, r->call->len);
}

/* The number is the entry's: at the return the registers may have another (rt_sigreturn). */
static noinline void leave(const struct call *c, long ret)
{
	struct result r = { .call = c, .duration = ctrace_compat_clock() - c->time, .ret = ret };
	u64 wanted = READ_ONCE(c->wanted);
	const struct task_struct *p = current;
	u32 id = wanted, mask = wanted >> 32;
	struct ctrace_who who;

	mask &= ctrace_wants(id);
	if (!mask || (ctrace_compat_task_start(p) != c->start &&
		      ctrace_compat_task_start(p) != c->leader_start))
		return;
	ctrace_identity_resolve_current(&who);
	mask = ctrace_filter(mask, who.container, p);
	if (mask)
		ctrace_emit(mask, id, &who, 2 * sizeof(u64) + c->len, fill_call, &r);
}

static void probe_enter(void *data, struct pt_regs *regs, long nr)
{
	ctrace_compat_probe_begin();
	if (!ctrace_identity_known() || __this_cpu_read(ctrace_idcache.wanted))
		enter(regs, nr);
	ctrace_compat_probe_end();
}

/* Whether its container is wanted or not: it may have been when the call began. */
static void probe_exit(void *data, struct pt_regs *regs, long ret)
{
	u32 place;

	ctrace_compat_probe_begin();
	place = find(current);
	if (place != PLACES) {
		leave(call_at(place), ret);
		release(place);
	}
	ctrace_compat_probe_end();
}

static void CTRACE_PROBE_SCHED_PROCESS_EXIT(probe_death)
{
	u32 place;

	ctrace_compat_probe_begin();
	place = find(p);	/* current */
	if (place != PLACES)
		release(place);
	ctrace_compat_probe_end();
}

/* --- life --------------------------------------------------------------------- */

/*
 * Registered in this order: once a call can take a place, its return and its task's death give it
 * back. All three go before the table does.
 */
static struct ctrace_source sources[] = {
	{ .tracepoint = "sched_process_exit", .fn = probe_death },
	{ .tracepoint = "sys_exit", .fn = probe_exit },
	{ .tracepoint = "sys_enter", .fn = probe_enter },
};

static int table_get(void)
{
	u32 nr, is32, room = 0;
	char *mem;

	if (table.users++)
		return 0;
	for (is32 = 0; is32 < 2; is32++)
		for (nr = 0; nr < CTRACE_NR_SYSCALLS; nr++)
			room = max(room, ctrace_args_room(&ctrace_syscall_layouts[is32][nr]));
	table.stride = sizeof(struct call) + room;
	mem = vzalloc(PLACES * sizeof(*table.keys) + ROWS + (size_t)PLACES * table.stride);
	if (!mem) {
		table.users = 0;
		return -ENOMEM;
	}
	table.keys = (void *)mem;
	table.further = mem + PLACES * sizeof(*table.keys);
	table.calls = table.further + ROWS;
	return 0;
}

/*
 * A session's place among 32 is given again: what is under way for this probe must not become the
 * record of the next session there, or of its own next probe.
 */
static void forget(const struct ctrace_probe *p)
{
	u32 bit = 1u << p->session->index, i;
	u64 w, in_place = (u64)bit << 32;

	for (i = 0; i < PLACES; i++) {
		w = READ_ONCE(call_at(i)->wanted);
		/* Lost to the place's next user: that one does not want it. */
		if (w & in_place && !(ctrace_wants((u32)w) & bit))
			cmpxchg64(&call_at(i)->wanted, w, w & ~in_place);
	}
}

static void calls_del(struct ctrace_probe *p)
{
	forget(p);
	if (--table.users)
		return;
	/* Unregistered; the last may still run. */
	ctrace_compat_tracepoint_sync();
	vfree(table.keys);
	table.keys = NULL;
}

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
		want(p, 0, CTRACE_ID_CALL, CTRACE_ID_MAX - CTRACE_ID_CALL);
		return 0;
	}
	if (strncmp(p->name, "call:", 5)) {
		return ctrace_why(why, -ENOENT,
				  "no event '%.64s': system calls whole are 'calls' or 'call:NAME'",
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
	int err = parse(p, why), i;

	BUILD_BUG_ON(ARRAY_SIZE(sources) > CTRACE_PROBE_SOURCES);
	if (err)
		return err;
	err = table_get();
	if (err)
		return err;
	for (i = 0; i < ARRAY_SIZE(sources); i++)
		p->sources[i] = &sources[i];
	return 0;
}

static const char *const prefixes[] = { "calls", "call:", NULL };

const struct ctrace_probe_kind ctrace_kind_calls = {
	.prefixes = prefixes, .add = calls_add, .del = calls_del,
};
