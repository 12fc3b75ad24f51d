// SPDX-License-Identifier: GPL-2.0-only
/*
 * lock_contention: a wait for a lock of the kernel that is held elsewhere, until the lock is taken or the
 * wait is given up. It is the event of the task that waits, or in an interrupt the host's.
 *
 *	contention_begin(lock, flags)	find the context's place, or take one if wanted; note lock and time
 *	contention_end(lock, ret)	find the lock in the place; emit; give the place back with its
 *					last lock
 *
 * The same function of the kernel calls both. So they come in pairs, and the end has the same task and the
 * same context (task, soft interrupt, interrupt, NMI), though perhaps another CPU, as a task may sleep in
 * between. Only this context uses its place: the key is one of the first bytes of the task's structure. A
 * task cannot exit in between. A task that an oops kills there leaves its place behind until the table goes
 * with the last probe.
 *
 * Contentions nest, and each has a record of its own. The inner one's time is part of the outer one's:
 *
 *	rwlock				the spinlock inside it, where its waiters queue
 *	mutex, rwsem, rtmutex		the spinlock of the list of waiters; the run queue's, to sleep
 *	percpu-rwsem, by a writer	what synchronize_rcu() takes: a mutex, and its spinlocks
 *	rwsem with PREEMPT_RT		the rtmutex inside it, and its spinlock
 *
 * So a place has room for four. Deeper ones are counted as unfollowed. A mutex begins more than once before
 * it ends: its waiter spins, sleeps, and may spin again when it is the first in the list. That is one
 * contention, and `kind` has CTRACE_LOCK_SPIN only if the waiter never slept.
 *
 * The sessions that want the event when a context's outermost contention begins get the records of the
 * inner ones, too. A session that comes later gets that context's records from its next outermost
 * contention on.
 *
 * The probes run where locks are taken: with interrupts off, run queues locked, the task's state already
 * that of a sleeper. They do not sleep, wake no task and leave the state alone. They take one lock,
 * identity/'s, to look up a task that is not known, and no CPU takes that twice (ctrace_ident_lock()). If it
 * is held elsewhere, that is a contention inside this one, whose probe does without the lock. The stack at
 * the end is the stack at the beginning: the same function is called from the same place.
 *
 * The address of a lock is a kernel address. Only sessions without views of single containers get it
 * (CTRACE_SESSION_F_NEIGHBOURS), and none if the kernel is locked down when the first probe comes.
 */
#include <linux/hardirq.h>
#include <linux/sched.h>
#include "probe/table.h"
#include "emit/simple.h"
#include "session/inflight.h"
#include "compat/clock.h"
#include "compat/lock.h"
#include "compat/lockdown.h"
#include "compat/tracepoint.h"

#define DEPTH	4u

struct contention {
	u64 time;
	const void *lock;
	u32 kind;
};

/* The contentions of one context, the outermost first. */
struct contended {
	struct ctrace_begun begun;	/* no time */
	u32 n;				/* 1 to DEPTH */
	struct contention at[DEPTH];
};

static bool addresses __read_mostly;	/* may be shown */

static int table_made(void)
{
	WRITE_ONCE(addresses, !ctrace_compat_locked_tracing());
	return 0;
}

/* 0.6 MiB. */
static struct ctrace_inflight contexts __read_mostly = {
	.stride = sizeof(struct contended), .bits = 12, .with = table_made,
};

/* All keys of a task have one row, so that its interrupts use the same cache line. */
static __always_inline u32 row_of(void)
{
	return ctrace_inflight_row(&contexts, current);
}

static __always_inline const void *key_of(void)
{
	return (const char *)current + (in_nmi() ? 3 : hardirq_count() ? 2 : in_serving_softirq() ? 1 : 0);
}

/* --- the beginning --------------------------------------------------------------- */

static void note(struct contended *c, const void *lock, u32 kind)
{
	struct contention *k = &c->at[c->n++];

	k->lock = lock;
	k->kind = kind;
	k->time = ctrace_compat_clock();
}

/* The context has a place: the lock that is the last there begins again, or an inner one begins. */
static void inner(struct contended *c, const void *lock, u32 kind)
{
	struct contention *last = &c->at[c->n - 1];

	if (last->lock == lock)
		last->kind &= kind;
	else if (c->n < DEPTH)
		note(c, lock, kind);
	else
		ctrace_session_unfollowed(READ_ONCE(c->begun.wanted) >> 32);
}

static noinline void contention_begins(const void *lock, u32 kind)
{
	u32 row = row_of(), place = ctrace_inflight_find(&contexts, row, key_of()), mask;
	struct contended *c;
	struct ctrace_who who;

	if (place != CTRACE_INFLIGHT_NONE) {
		inner(ctrace_inflight_at(&contexts, place), lock, kind);
		return;
	}
	ctrace_identity_resolve_context(&who);
	mask = ctrace_wanted(ctrace_wants(CTRACE_ID_LOCK_CONTENTION), who.container, who.task);
	if (!mask)
		return;
	place = ctrace_inflight_take_new(&contexts, row, key_of());
	if (place == CTRACE_INFLIGHT_NONE) {
		ctrace_session_unfollowed(mask);
		return;
	}
	c = ctrace_inflight_at(&contexts, place);
	WRITE_ONCE(c->begun.wanted, (u64)mask << 32 | CTRACE_ID_LOCK_CONTENTION);
	c->n = 0;
	note(c, lock, kind);
}

/*
 * A neighbour's contention costs no more than this. If its task was wanted when an outer contention began,
 * the inner one's end finds a place, but not this lock in it.
 */
static void probe_begin(void *data, void *lock, unsigned int flags)
{
	ctrace_compat_probe_begin();
	if (ctrace_wants(CTRACE_ID_LOCK_CONTENTION) && !(in_task() && ctrace_identity_unwanted()))
		contention_begins(lock, ctrace_compat_lock_kind(flags));
	ctrace_compat_probe_end();
}

/* --- the end --------------------------------------------------------------------- */

#define CONTENTION_FIELDS(F)	F(u64, duration) F(x64, lock) F(u32, kind) F(s32, ret)
CTRACE_PAYLOAD(contention_payload, CONTENTION_FIELDS);

static __always_inline void fill_contention(void *payload, const void *arg)
{
	*(struct contention_payload *)payload = *(const struct contention_payload *)arg;
}

static void contention_emit(u32 mask, struct contention_payload *a)
{
	const u32 id = CTRACE_ID_LOCK_CONTENTION, size = CTRACE_SIZE(contention_payload);
	struct ctrace_who who;
	u32 shown;

	ctrace_identity_resolve_context(&who);
	mask = ctrace_wanted(mask, who.container, who.task);
	smp_rmb();	/* as in ctrace_sides_both() */
	shown = READ_ONCE(addresses) ? mask & READ_ONCE(ctrace_neighbour_sessions) : 0;
	if (shown)
		ctrace_emit(shown, id, &who, size, fill_contention, a);
	mask &= ~shown;
	if (!mask)
		return;
	a->lock = 0;
	ctrace_emit(mask, id, &who, size, fill_contention, a);
}

static noinline void contention_ends(u32 row, u32 place, const void *lock, int ret)
{
	struct contended *c = ctrace_inflight_at(&contexts, place);
	struct contention_payload a;
	u32 n = c->n, mask;

	while (n && c->at[n - 1].lock != lock)
		n--;
	if (!n)
		return;		/* it was not followed */
	mask = READ_ONCE(c->begun.wanted) >> 32 & ctrace_wants(CTRACE_ID_LOCK_CONTENTION);
	n--;
	a = (struct contention_payload) {
		.duration = ctrace_compat_passed(c->at[n].time, ctrace_compat_clock()),
		.lock = (uintptr_t)lock, .kind = c->at[n].kind, .ret = ret,
	};
	if (n)
		c->n = n;
	else
		ctrace_inflight_give(&contexts, row, place);
	if (mask)
		contention_emit(mask, &a);
}

/* It is asked although no session may want the event any more: the place is given back. */
static void probe_end(void *data, void *lock, int ret)
{
	u32 row, place;

	ctrace_compat_probe_begin();
	row = row_of();
	place = ctrace_inflight_find(&contexts, row, key_of());
	if (place != CTRACE_INFLIGHT_NONE)
		contention_ends(row, place, lock, ret);
	ctrace_compat_probe_end();
}

/* --- what user space gets ---------------------------------------------------------- */

static const struct ctrace_field_desc f_contention[] = { CTRACE_FIELDS(CONTENTION_FIELDS) };

static const struct ctrace_event_type types[] = {
	CTRACE_TYPE(LOCK_CONTENTION, "lock", "lock_contention", "contention_end", f_contention),
};

static struct ctrace_source sources[] = {
	{ .tracepoint = "contention_end", .fn = probe_end, .with = { "contention_begin" },
	  .table = &contexts },
	{ .tracepoint = "contention_begin", .fn = probe_begin },
	{ }
};

const struct ctrace_family ctrace_family_lock = {
	.types = types, .ntypes = ARRAY_SIZE(types), .sources = sources,
	.lacks = CTRACE_COMPAT_LOCK_LACKS,
};
