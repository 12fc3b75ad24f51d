/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls and spans under way. The probe at a beginning takes a place in a table and notes there what the probe
 * at the end needs. Both know the place by a key, the address of what they are about: a task, a bio.
 *
 * A table's size is constant, so memory is bounded. Its places are made for the first probe that needs
 * them and freed after the last one (ctrace_source.table). A beginning that finds no place is not followed;
 * if it is an event of its own, the caller counts it with ctrace_session_unfollowed().
 *
 * A search begins at a row of eight keys, which is one cache line. Users differ in two points.
 *
 * Where does the end come? On any CPU: ctrace_inflight_row() spreads the keys over all rows. On the CPU of
 * the beginning: ctrace_inflight_here() gives each CPU a row, so CPUs do not share cache lines.
 *
 * Does the end always come?
 *
 *	Yes: take, find, give. The kernel lets one context at a time deal with a key (a task in its own
 *	call, a CPU with the packet that it sends, a task under the lock of its run queue). That context
 *	owns the place that has the key; only taking one is an atomic operation. It gives the place back
 *	before the object's memory can become another object.
 *
 *	Not always: renew, hold, let_go. Some places are left behind, and nothing shows which. So if a row
 *	is full, a new beginning takes over the oldest one's place. If that has not ended yet, its end
 *	finds none; ctrace_inflight_may_be_lost() then says so. To use a place, a context makes its key
 *	BUSY. Others that need the same place do without it.
 *
 *	user                    key      row   the end                   notes
 *	probe/call.c            task     any   return, or death          sessions, time
 *	the same                task     any   return, or death          arguments that will not be there
 *	the same                task     any   return, or death          stack where it waited, and memory
 *	probe/sched_span.c      task     any   always                    sessions, time, what the span is
 *	the same                task     any   always                    the waker, until the task is woken
 *	probe/sleep_stack.c     task     any   always                    stack where it went to sleep
 *	probe/throttle.c        queue    any   not if the group goes     sessions, time
 *	probe/blame.c           queue    any   not if the group goes     times; it stays after the end
 *	probe/syscall.c         task     any   not if it is killed there  which call, if its number may change
 *	probe/net.c             packet   here  always                    owner
 *	probe/handler_span.h    context  here  always                    sessions, time
 *	probe/lock.c            context  any   always                    sessions, locks, times
 *	probe/block_owner.c     bio      any   not if its request is merged  owner, times, sectors
 *	probe/io_uring.c        request  any   not if no result is written  owner, time, operation
 *	probe/block.c           request  any   not if it is merged       sessions, time, place
 *	probe/fault.c           task     any   not if a signal comes     time
 *	probe/tcp.c             socket   any   always                    sessions, owner, times
 *
 * All users of a table go the same way, with the same kind of row. No probe waits or takes a lock, so these
 * functions are for any context incl. NMI; preemption off. A handler that interrupts another one deals with
 * other keys, or finds them BUSY.
 *
 * This is in session/, not in probe/, because session/probe.c makes and frees the tables.
 */
#ifndef CTRACE_INFLIGHT_H
#define CTRACE_INFLIGHT_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/smp.h>
#include "identity/identity.h"
#include "compat/hash.h"

#define CTRACE_INFLIGHT_NONE	(~0u)		/* instead of a place */
#define CTRACE_INFLIGHT_ROW_BITS 3
#define CTRACE_INFLIGHT_ROW	(1u << CTRACE_INFLIGHT_ROW_BITS)	/* keys in a cache line */
#define CTRACE_INFLIGHT_WINDOW	8u		/* rows where ctrace_inflight_take() looks for a place */

struct ctrace_probe;

/* The head of each place; the user's own fields follow it. A field without a use stays 0. */
struct ctrace_begun {
	/*
	 * mask of sessions << 32 | flags << 16 | event id. READ_ONCE: ctrace_inflight_put() takes bits out of
	 * the mask. cmpxchg64() for what changes other bits of a place that is in use.
	 */
	u64 wanted;
	u64 time;
};

/* Instead of it, where the end may come in another task: begins in the same way. */
struct ctrace_owned {
	u64 wanted;
	u64 time;
	/*
	 * The owner, by ctrace_begun_by(). No references: if the container dies, the GC puts its heir here,
	 * or NULL; the task may have gone
	 */
	struct ctrace_who who;
};

/* Place i has keys[i] and the struct ctrace_begun at places + i * stride. */
struct ctrace_inflight {
	const void **keys;	/* [places]; NULL: free. A row is aligned to its size */
	atomic_t *further;	/* [rows]: how many keys of this row have their place in a next one */
	u64 *lost;		/* [rows]: when a key of this row last had to do without a place; 0: never */
	char *places;
	/* The user sets these before the first get, and never changes them. */
	u32 stride;		/* a multiple of 8 */
	u8 bits;		/* there are 1 << bits places: CTRACE_INFLIGHT_ROW or more */
	/*
	 * 0, or each CPU has keys: with many CPUs there are 1 << cpu_bits places for each, up to 65,536 in
	 * all
	 */
	u8 cpu_bits;
	bool owned;		/* they begin with a struct ctrace_owned */
	/* what is made after the places, 0 or -errno, and freed before them; or NULL */
	int (*with)(void);
	void (*without)(void);
	u32 users;		/* probes; ctrace_lock */
	struct list_head list;	/* of the tables that have places; inflight.c's lock */
};

/*
 * For session/probe.c; process context, ctrace_lock held. get: p becomes a user of its sources' tables, and
 * of the one for stacks if its options ask for one; makes the places of a table for its first user. 0 or
 * -ENOMEM; then put is called, too.
 *
 * put: p goes, if it is a user; the last one frees the places. The session's index is used again, and what
 * has begun must not become an event of its next session, or of this session's next probe: so put forgets
 * that this session wanted it. Before, the caller has disarmed p, unregistered its functions, and waited for
 * those that were running.
 */
int ctrace_inflight_get(struct ctrace_probe *p);
int ctrace_inflight_get_stacks(struct ctrace_probe *p);
void ctrace_inflight_put(struct ctrace_probe *p);

extern const struct ctrace_container_watcher ctrace_inflight_watcher;

static __always_inline u32 ctrace_inflight_rows(const struct ctrace_inflight *t)
{
	return 1u << (t->bits - CTRACE_INFLIGHT_ROW_BITS);
}

static __always_inline u32 ctrace_inflight_row(const struct ctrace_inflight *t, const void *key)
{
	return ctrace_hash_ptr(key, t->bits - CTRACE_INFLIGHT_ROW_BITS);
}

static __always_inline u32 ctrace_inflight_here(const struct ctrace_inflight *t)
{
	return smp_processor_id() & (ctrace_inflight_rows(t) - 1);
}

static __always_inline void *ctrace_inflight_at(const struct ctrace_inflight *t, u32 place)
{
	return t->places + (size_t)place * t->stride;
}

/*
 * Notes the owner, before another context can find the place. The GC sets dying, then looks at all places,
 * also at free ones. Either it finds the container here, or we see dying: pairs with the barrier in
 * forget_dying(). The container stays until then, because preemption is off. A part that ends needs no such
 * care: the GC looks when no probe finds the part any more.
 */
static inline void ctrace_begun_by(struct ctrace_owned *b, const struct ctrace_who *who)
{
	b->who.task = who->task;
	b->who.tid = who->tid;
	b->who.vtid = who->vtid;
	WRITE_ONCE(b->who.container, who->container);
	smp_mb();	/* see above */
	if (unlikely(READ_ONCE(who->container->dying) && !who->container->base))
		WRITE_ONCE(b->who.container, NULL);
}

/* The owner, whose container is valid until preemption is enabled. False: that has gone. */
static inline bool ctrace_begun_whose(const struct ctrace_owned *b, struct ctrace_who *who)
{
	who->task = b->who.task;
	who->tid = b->who.tid;
	who->vtid = b->who.vtid;
	who->container = READ_ONCE(b->who.container);
	return who->container;
}

/*
 * The owner's task, if it still exists, valid while preemption is off. start: its start time, because its
 * address and its number are given to other tasks once it has gone.
 */
const struct task_struct *ctrace_begun_task(const struct ctrace_who *who, u64 start);

/* --- for what always ends ------------------------------------------------------ */

/*
 * The key's place in this row, or NONE. Each of eight compares has its own code: a loop costs twice as much.
 */
static __always_inline u32 ctrace_inflight_in_row(const struct ctrace_inflight *t, u32 row, const void *key)
{
	u32 place = row * CTRACE_INFLIGHT_ROW;
	const void **k = t->keys + place;

	BUILD_BUG_ON(CTRACE_INFLIGHT_ROW != 8);
	if (READ_ONCE(k[0]) == key)
		return place;
	if (READ_ONCE(k[1]) == key)
		return place + 1;
	if (READ_ONCE(k[2]) == key)
		return place + 2;
	if (READ_ONCE(k[3]) == key)
		return place + 3;
	if (READ_ONCE(k[4]) == key)
		return place + 4;
	if (READ_ONCE(k[5]) == key)
		return place + 5;
	if (READ_ONCE(k[6]) == key)
		return place + 6;
	if (READ_ONCE(k[7]) == key)
		return place + 7;
	return CTRACE_INFLIGHT_NONE;
}

/*
 * For the functions below, when the row is not enough. The first looks for the key in the rows that follow.
 * The second finds a place in the row or in those that follow.
 */
u32 ctrace_inflight_find_further(const struct ctrace_inflight *t, u32 row, const void *key);
u32 ctrace_inflight_take_further(struct ctrace_inflight *t, u32 row, const void *key);

/* The key's place, or NONE. */
static __always_inline u32 ctrace_inflight_find(const struct ctrace_inflight *t, u32 row, const void *key)
{
	u32 place = ctrace_inflight_in_row(t, row, key);

	/* the key's own context counted it, before it left its row */
	if (place == CTRACE_INFLIGHT_NONE && unlikely(atomic_read(&t->further[row])))
		return ctrace_inflight_find_further(t, row, key);
	return place;
}

/* A place for the key, which has none. NONE: all are taken. */
static __always_inline u32 ctrace_inflight_take_new(struct ctrace_inflight *t, u32 row, const void *key)
{
	u32 place = ctrace_inflight_in_row(t, row, NULL);

	/* Acquire: the last user has read the place before we write it. Pairs with give(). */
	if (likely(place != CTRACE_INFLIGHT_NONE && !cmpxchg_acquire(&t->keys[place], NULL, key)))
		return place;
	return ctrace_inflight_take_further(t, row, key);
}

/* The same for a key that may have one still, because an end did not come: then that one. */
static __always_inline u32 ctrace_inflight_take(struct ctrace_inflight *t, u32 row, const void *key)
{
	u32 place = ctrace_inflight_find(t, row, key);

	return unlikely(place != CTRACE_INFLIGHT_NONE) ? place : ctrace_inflight_take_new(t, row, key);
}

/* It has ended. row: where take() began to search for that key. */
static __always_inline void ctrace_inflight_give(struct ctrace_inflight *t, u32 row, u32 place)
{
	smp_store_release(&t->keys[place], NULL);	/* pairs with take() */
	if (unlikely(place / CTRACE_INFLIGHT_ROW != row))
		atomic_dec(&t->further[row]);
}

/*
 * For a list of what is under way: copies the place, stride bytes, and returns its key; NULL: it is free, or
 * a context just deals with it. The caller holds ctrace_lock, so the table stays. It does not hold the
 * place: the end would find that BUSY, and be lost. So key and copy are of one moment, which may have passed.
 * The key may point to anything: only compare it.
 */
const void *ctrace_inflight_peek(const struct ctrace_inflight *t, u32 place, void *to);

/* --- for what may not end ------------------------------------------------------ */

#define CTRACE_INFLIGHT_BUSY	((const void *)1ul)

/* A full barrier: its last context is done with it. Pairs with let_go(). */
static __always_inline bool ctrace_inflight_claim(struct ctrace_inflight *t, u32 place, const void *key)
{
	return cmpxchg(&t->keys[place], key, CTRACE_INFLIGHT_BUSY) == key;
}

/* The rest of the next one: a free place that another context did not take first, or the oldest key's. */
u32 ctrace_inflight_renew_any(struct ctrace_inflight *t, u32 row);

/* A place for the key, now BUSY: its own, a free one, or the oldest key's. NONE: another context has that. */
static __always_inline u32 ctrace_inflight_renew(struct ctrace_inflight *t, const void *key)
{
	u32 row = ctrace_inflight_row(t, key), place = ctrace_inflight_find(t, row, key);

	if (place != CTRACE_INFLIGHT_NONE)
		return ctrace_inflight_claim(t, place, key) ? place : CTRACE_INFLIGHT_NONE;
	place = ctrace_inflight_in_row(t, row, NULL);
	if (likely(place != CTRACE_INFLIGHT_NONE && ctrace_inflight_claim(t, place, NULL)))
		return place;
	return ctrace_inflight_renew_any(t, row);
}

/* The key's place, now BUSY. NONE: it has none, or another context has it. */
static inline u32 ctrace_inflight_hold(struct ctrace_inflight *t, const void *key)
{
	u32 place = ctrace_inflight_find(t, ctrace_inflight_row(t, key), key);

	return place != CTRACE_INFLIGHT_NONE && ctrace_inflight_claim(t, place, key) ? place : CTRACE_INFLIGHT_NONE;
}

/* A key without a place: had it one, or should have had one, that another key got since that time? */
static inline bool ctrace_inflight_may_be_lost(const struct ctrace_inflight *t, const void *key, u64 since)
{
	u64 last = READ_ONCE(t->lost[ctrace_inflight_row(t, key)]);

	return last && last >= since;
}

/* The place has this key and is not BUSY. NULL: it has ended, and the place is free. */
static __always_inline void ctrace_inflight_let_go(struct ctrace_inflight *t, u32 place, const void *key)
{
	smp_store_release(&t->keys[place], key);	/* pairs with claim() */
}

#endif
