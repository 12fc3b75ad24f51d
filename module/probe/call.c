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
 * A call that finds no place is not followed, and is counted. A place has room for the longest
 * arguments of this kernel's calls (three strings), so the table takes about 3.5 MiB while there is a
 * probe of this kind.
 */
#define PLACES_BITS	12
#define PLACES		(1u << PLACES_BITS)
#define ROW		8u		/* keys in a cache line */
#define ROWS		(PLACES / ROW)
#define WINDOW		8u		/* rows where a task may be */

/* A call under way. Written by its task; forget() takes bits out of wanted. */
struct call {
	/* mask of sessions << 32 | event id; a session that ends takes its bit out */
	u64 wanted;
	u64 time;		/* of the entry; set last there, so our own work does not count */
	/* of the task, and of its group's leader, which it takes over when it executes a program */
	u64 start, leader_start;
	u32 len;		/* bytes of args */
	u64 args[];
};

/*
 * A place is a key and the call with the same number. A key goes from NULL to a task by cmpxchg. Only
 * that task sets it back, in its own context: at the return, or as it exits, before its memory can
 * become another task's. So no other task touches its key, and only taking one needs an atomic
 * operation. (The start times check the same thing once more.)
 */
static struct {
	struct task_struct **keys;	/* [PLACES]; a row is aligned to its size */
	u8 *further;			/* [ROWS]: tasks of this row may be in the next ones; never cleared */
	char *calls;			/* [PLACES], stride apart */
	u32 stride;
	u32 users;			/* probes. ctrace_lock protects it, and making and freeing the table */
} table __read_mostly;

static __always_inline struct call *call_at(u32 place)
{
	return (struct call *)(table.calls + (size_t)place * table.stride);
}

/* The place of p, which is current; PLACES: it has none. Any context; preemption off. */
static __always_inline u32 find(const struct task_struct *p)
{
	u32 row = ctrace_hash_ptr(p, PLACES_BITS - 3), home = row, i, j;

	for (i = 0; i < WINDOW; i++, row = (row + 1) % ROWS) {
		for (j = 0; j < ROW; j++)
			if (READ_ONCE(table.keys[row * ROW + j]) == p)
				return row * ROW + j;
		/* p itself set this if it went on from here; no harm if another task did */
		if (!READ_ONCE(table.further[home]))
			break;
	}
	return PLACES;
}

static u32 take(struct task_struct *p)
{
	u32 row = ctrace_hash_ptr(p, PLACES_BITS - 3), home = row, i, j, place = find(p);

	if (unlikely(place != PLACES))
		return place;	/* left by a call that did not return: overwrite it */
	for (i = 0; i < WINDOW; i++, row = (row + 1) % ROWS) {
		if (i)
			WRITE_ONCE(table.further[home], 1);
		for (j = 0; j < ROW; j++) {
			place = row * ROW + j;
			/* Acquire: its last user read its call before we write ours. Pairs with release(). */
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
	mask = ctrace_wanted(mask, who.container, p);
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

/* The call's number was noted at the entry: at the return the registers may hold another (rt_sigreturn). */
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
	mask = ctrace_wanted(mask, who.container, p);
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

/* Does not ask whether the container is wanted: it may have been when the call began. */
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
	place = find(p);	/* p is current */
	if (place != PLACES)
		release(place);
	ctrace_compat_probe_end();
}

/* --- life --------------------------------------------------------------------- */

/*
 * Registered in this order: before a call can take a place, its return and its task's death can free
 * it. All three are unregistered before the table goes.
 */
static struct ctrace_source sources[] = {
	{ .tracepoint = "sched_process_exit", .fn = probe_death },
	{ .tracepoint = "sys_exit", .fn = probe_exit },
	{ .tracepoint = "sys_enter", .fn = probe_enter },
};

static int table_get(void)
{
	u32 nr, is32, room = 0;
	void *mem;

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
	table.keys = mem;
	table.further = (void *)(table.keys + PLACES);
	table.calls = (void *)(table.further + ROWS);
	return 0;
}

/*
 * A session's index is used again. Calls under way for this probe must not become records of the next
 * session with that index, or of this session's next probe.
 */
static void forget(const struct ctrace_probe *p)
{
	u32 bit = 1u << p->session->index, i;
	u64 w, in_place = (u64)bit << 32;

	for (i = 0; i < PLACES; i++) {
		w = READ_ONCE(call_at(i)->wanted);
		/* If this fails, the place has a next user, which does not want the event: it is not armed. */
		if (w & in_place && !(ctrace_wants((u32)w) & bit))
			cmpxchg64(&call_at(i)->wanted, w, w & ~in_place);
	}
}

static void calls_del(struct ctrace_probe *p)
{
	forget(p);
	if (--table.users)
		return;
	/* The probe functions are unregistered, but may still run. */
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
