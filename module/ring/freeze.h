/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Freezing a container's rings, in the event that asks for it: uapi/ctrace_freeze.h says what it means.
 *
 * A table in the arena has the containers that are frozen; a ring's mark (ring.h, `frozen`) repeats what the
 * table says of its owner. freeze.c has the order in which the two are written and looked at.
 *
 * Lifetime: all of it is the arena's. A freezer is a probe, and no probe is left when the arena is released;
 * ctrace_arena_freeze_exit() then stops what it began: the irq_work, and the work that this starts.
 */
#ifndef CTRACE_FREEZE_H
#define CTRACE_FREEZE_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include "../uapi/ctrace_freeze.h"

struct ctrace_arena;
struct ctrace_ring_desc;

/* A place of the table. The freezer that took it writes it; it is given back with the arena's lock. */
struct ctrace_frozen {
	u64 mark;	/* 0: free; else the freeze's number << 32, and cid + 1 */
	u64 time;	/* of the record that asked, and so are the next two */
	u32 id;
	s32 tid;
	u64 ready;	/* == mark: the rest is written, and the rings are marked */
};

struct ctrace_freezer {
	struct ctrace_frozen table[CTRACE_FROZEN_MAX];
	atomic_t taken;		/* places; never fewer than have a mark */
	atomic_t numbers;	/* of freezes so far */
	atomic64_t refused;	/* freezes that found no place, or the record in a shared ring */
	u64 keep;		/* invariant: ns until a container is thawed by itself */
	u32 now;		/* containers that readers see; arena's lock, poll() reads it */
	u32 news;		/* 1: a freeze came since they were woken */
	struct irq_work irq;	/* begun by a freeze, in any context; starts the work */
	struct delayed_work work;	/* wakes readers; thaws after `keep`, and waits for the next time */
};

/*
 * Freezes cid's rings for the record of this time, type and tid, which has just been written on this CPU.
 * Interrupts have been off since before that: else their records would follow it. Any context incl. NMI and
 * with any lock held. It looks at each CPU's slots, up to 64 words of each.
 */
void ctrace_arena_freeze(struct ctrace_arena *a, u32 cid, u64 time, u32 id, s32 tid);
/*
 * d has been given to its owner, or given back after a wipe: it is marked if that is frozen, and only then.
 * Context: on d's CPU (or that is offline), interrupts off.
 */
void ctrace_arena_freeze_bound(struct ctrace_arena *a, struct ctrace_ring_desc *d);
/* Is cid frozen? For those who find it no ring. Any context. */
bool ctrace_arena_is_frozen(const struct ctrace_arena *a, u32 cid);

/* --- process context --------------------------------------------------------------- */

/* Lets cid, or all (CTRACE_CID_ALL), write again. -ENOENT: it was not frozen. */
int ctrace_arena_thaw(struct ctrace_arena *a, u32 cid);
/*
 * Copies the place of the next freeze after number `after`, in the order in which they came; false: there is
 * none. Of two that froze one container at one time, only the earlier one counts.
 */
bool ctrace_arena_frozen_after(struct ctrace_arena *a, u32 after, struct ctrace_frozen *to);
/* ms until e is thawed by itself */
u32 ctrace_arena_frozen_left(const struct ctrace_arena *a, const struct ctrace_frozen *e);
u32 ctrace_arena_freeze_ms(const struct ctrace_arena *a);	/* of a whole freeze */
void ctrace_arena_freeze_init(struct ctrace_arena *a, u32 freeze_ms);
void ctrace_arena_freeze_exit(struct ctrace_arena *a);	/* no record comes, and no waiter is left */

static inline u32 ctrace_frozen_number(const struct ctrace_frozen *e)
{
	return e->mark >> 32;
}

static inline u32 ctrace_frozen_cid(const struct ctrace_frozen *e)
{
	return (u32)e->mark - 1;
}

#endif
