/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waiting for records: who waits (a waiter), and when the waiters of a kind are looked at (a round).
 *
 * An arena has one waiter for all descriptors of the whole session, and one for each view. A waiter of
 * the session is woken for every ring, a view's for the view's own slots alone: nothing else touches it, so
 * being woken reveals nothing of other containers to a view. wake.c has the protocol.
 */
#ifndef CTRACE_WAKE_H
#define CTRACE_WAKE_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct ctrace_arena;
struct ctrace_ring_desc;

/* Bits of the word that a record looks at (struct ctrace_ring_desc, wake): who waits. */
#define CTRACE_WAKE_ALL		(1u << 0)	/* the session's waiter */
#define CTRACE_WAKE_VIEWS	(1u << 1)	/* a view of this ring */

/* Looks at the waiters of one kind, at most once in each period; they are woken from process context. */
struct ctrace_round {
	struct ctrace_arena *arena;	/* invariant */
	u64 period;			/* ns; 0: at once; invariant */
	u32 on;				/* a round is on its way: records need not begin another */
	struct irq_work irq;		/* begun by a record; starts the timer */
	struct hrtimer timer;		/* starts the work at the next multiple of period */
	struct work_struct work;	/* looks at the waiters */
};

struct ctrace_waiter {
	struct ctrace_arena *arena;	/* invariant; a reference of the arena's or the view's */
	struct ctrace_round *round;	/* invariant: the arena's round for its kind */
	const u32 *slots;		/* invariant: [ncpus], 0 for none; NULL: all of the arena */
	wait_queue_head_t wait;
	spinlock_t lock;
	bool waiting;			/* armed, and not found to have moved since; lock */
	bool due;			/* wake it in the next round, moved or not; lock */
	u64 sum;			/* of its heads when it was armed; lock */
	u32 arms;			/* how often its words were set; lock */
	u32 settled;			/* arms when settle ran last; lock */
	struct delayed_work settle;
};

/* Process context, as all here but ctrace_ring_wake() and ctrace_wake_work(). */
int ctrace_wake_module_init(void);
void ctrace_wake_module_exit(void);	/* every arena has gone */

void ctrace_waiter_init(struct ctrace_waiter *w, struct ctrace_arena *a, const u32 *slots);
/* Call when nobody arms it any more, and before its arena and its slots go. */
void ctrace_waiter_exit(struct ctrace_waiter *w);
/* Call before looking for records: one that comes after the look wakes w->wait. Does not sleep. */
void ctrace_waiter_arm(struct ctrace_waiter *w);
/* Wakes w->wait in the next round, armed or not. Does not sleep. */
void ctrace_waiter_later(struct ctrace_waiter *w);
/* ns between rounds that look at it; 0: it is woken at once */
static inline u64 ctrace_waiter_period(const struct ctrace_waiter *w)
{
	return w->round->period;
}
/* The sum of its heads: it changes when one of them moves. */
u64 ctrace_waiter_sum(const struct ctrace_waiter *w);

/* After a record in this ring, if *d->wake is not 0. Any context incl. NMI and with any lock held. */
void ctrace_ring_wake(struct ctrace_ring_desc *d);

/* Begins w at once, also if it waits. Any context but NMI. */
void ctrace_wake_work(struct delayed_work *w);
/* Begins w after so many ms, unless it waits already. */
void ctrace_wake_work_later(struct delayed_work *w, u32 ms);

/* Of a whole arena. */
void ctrace_arena_wake_init(struct ctrace_arena *a);
void ctrace_arena_wake_exit(struct ctrace_arena *a);	/* no record comes, and no waiter is left */
/* Wakes every waiter that waits, in its next round. */
void ctrace_arena_wake(struct ctrace_arena *a);

#endif
