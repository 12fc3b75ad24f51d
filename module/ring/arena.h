/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session's memory: one directory and equal ring slots, laid out as
 * uapi/ctrace.h says, made once and never grown.
 *
 * Slots belong to CPUs. One pool for all CPUs would have its rings popped
 * by an atomic operation. A pool per CPU needs none and no lock, as only that CPU
 * binds its slots, and it keeps a ring near its writer. The price: a container that
 * runs on few CPUs cannot use the slots of the others.
 *
 * A slot is free (never used), bound to a container, or changing hands. It never
 * becomes free again, so a search can stop at the first free slot. Slot 0 of each CPU
 * is its shared ring: a container that finds no slot writes there, so nothing is lost.
 *
 * Lifetime: the session holds one reference, each bound descriptor of
 * /dev/ctrace another. A mapping holds its descriptor, so it needs none itself.
 * Probes hold none: a session ends (ctrace_arena_end()) only after its probes have.
 */
#ifndef CTRACE_ARENA_H
#define CTRACE_ARENA_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "ring/ring.h"
#include "../uapi/ctrace.h"

#define CTRACE_SESSIONS_MAX	32	/* bits of a mask */

struct ctrace_arena_opts {
	u64 arena_size;		/* 0: default, and so below */
	u64 ring_size;
	u64 wakeup_ns;		/* 0: at once */
	u64 features;		/* CTRACE_FEATURE_*, for the directory */
	u32 subbuf_size;
	u32 containers;		/* size rings for this many containers */
	u32 session;
	bool stop_full;
};

/* Values of owner[] that are no cid + 1: CTRACE_CID_ALL and _UNKNOWN never own a ring. */
#define CTRACE_OWNER_FREE	0u
#define CTRACE_OWNER_BUSY	(CTRACE_CID_UNKNOWN + 1)

/* One CPU's part. Only that CPU writes it, except crowded. */
struct ctrace_arena_cpu {
	struct ctrace_ring_desc *rings;	/* invariant: [slots_per_cpu] */
	u32 *owner;			/* [slots_per_cpu]: cid + 1, 0 free, BUSY changing hands */
	u32 crowded;			/* cid + 1 that found no slot last, so it need not search; or 0 */
	bool changing;			/* a slot is changing hands: NMIs keep off */
};

/* A slot's state that the hot path does not need. */
struct ctrace_arena_slot {
	u64 dead_at;		/* when dead_cid died */
	u32 dead_cid;		/* counts only while it owns the slot: cids are never reused */
	u32 pins;		/* descriptors bound to its container; arena's lock */
};

struct ctrace_arena {
	struct ctrace_arena_cpu __percpu *cpu;	/* invariant */
	u32 armed;		/* a reader waits: the next record wakes it. Set under wake_lock */
	u32 slots_per_cpu;	/* invariant, like the rest up to lock */
	u32 ncpus;
	bool stop_full;
	u64 wakeup_ns;
	void *mem;		/* what session-wide readers map */
	u64 mem_size;
	struct ctrace_dir *dir;	/* in mem */
	u64 *heads;		/* in mem */
	struct ctrace_ring_desc *rings;		/* [nslots] */
	struct ctrace_arena_slot *slots;	/* [nslots] */
	u32 *owner;				/* [nslots] */
	struct kref ref;

	struct mutex lock;	/* pins, views, sweep */
	struct list_head views;	/* directories of one container, see dev.c; lock */
	bool kaddr;		/* records hold kernel addresses: no views; lock */
	u32 sweep;		/* slot that ctrace_arena_mark_dead() checked last; lock */

	/* wake.c's */
	wait_queue_head_t wait;
	raw_spinlock_t wake_lock;
	u64 armed_sum;		/* sum of heads when armed was set; wake_lock */
	u32 arms;		/* how often a waiter armed; wake_lock */
	u32 settled;		/* arms when settle ran last; only settle uses it */
	struct irq_work wake_work;
	struct hrtimer wake_timer;
	struct delayed_work settle;
};

/* A directory that one container's descriptor maps; dev.c owns it. */
struct ctrace_arena_view {
	struct list_head list;
	struct ctrace_dir *dir;
};

/* Process context. ERR_PTR on error, with a sentence in why unless memory ran out. */
struct ctrace_arena *ctrace_arena_new(const struct ctrace_arena_opts *o, char *why,
				      size_t why_len);
void ctrace_arena_get(struct ctrace_arena *a);
/*
 * Declares that records will hold kernel addresses: no view of one container is given
 * from now on. -EBUSY: there is one already. Process context.
 */
int ctrace_arena_kaddr(struct ctrace_arena *a);
void ctrace_arena_put(struct ctrace_arena *a);		/* process context */
/* Ends it: the caller has waited for its probes, no record comes any more. Process context. */
void ctrace_arena_end(struct ctrace_arena *a);
static inline bool ctrace_arena_ended(const struct ctrace_arena *a)
{
	/* partner: ctrace_arena_end(). A caller that sees the end sees the last records, too */
	return smp_load_acquire(&a->dir->state) == CTRACE_DIR_ENDED;
}

/*
 * By session index: the ring that the session used last on this CPU, a cache of one. Only this CPU
 * writes it, except when a session is made: that sets all CPUs' before any probe can use them. A
 * session's end leaves them alone: a probe that still holds the session's bit may write there until
 * probes have been synchronised.
 */
DECLARE_PER_CPU(struct ctrace_ring_desc *, ctrace_rings[CTRACE_SESSIONS_MAX]);

/* slots.c: binds a slot if there is none yet. */
struct ctrace_ring_desc *ctrace_arena_ring_slow(struct ctrace_arena *a, u32 index, u32 cid);

/*
 * The ring of cid on this CPU, for one record; never NULL. Context: any incl.
 * NMI; preemption off until the record is committed.
 *
 * This loads one pointer, and its target says which container it belongs to: an interrupt
 * that changes the cache cannot make the two disagree. Nor does the target change hands under
 * us: only a task takes a ring from a container, and only a ring with no record in progress.
 */
static __always_inline struct ctrace_ring_desc *ctrace_arena_ring(u32 index, u32 cid)
{
	struct ctrace_ring_desc *d = __this_cpu_read(ctrace_rings[index]);

	if (likely(READ_ONCE(d->cid) == cid))
		return d;
	return ctrace_arena_ring_slow(d->arena, index, cid);
}

/*
 * cid has died: its slots may go to other containers from now on. alive() says whether a container still
 * lives: late events may have bound slots to one that was reported dead before. Process context.
 */
void ctrace_arena_mark_dead(struct ctrace_arena *a, u32 cid, u64 when, bool (*alive)(u32 cid));

/*
 * Gives cid a ring of its own on every possible CPU, holding no other container's records,
 * until unpinned. slots[ncpus] gets the slot numbers. -ENOSPC: a CPU has no slot left.
 * Process context.
 */
int ctrace_arena_pin(struct ctrace_arena *a, u32 cid, u32 *slots);
void ctrace_arena_unpin(struct ctrace_arena *a, const u32 *slots);

struct ctrace_ring_stats {
	u32 slot, cpu, cid, gen;
	u64 events, bytes, lost_full, lost_nested;
};
/* Calls fn for each slot in use, in order, until fn returns != 0, and returns that. */
int ctrace_arena_each_ring(struct ctrace_arena *a,
			   int (*fn)(const struct ctrace_ring_stats *r, void *arg), void *arg);

struct ctrace_arena_stats {
	u64 arena_size;		/* bytes that it occupies; may be less than asked for */
	u64 ring_size, wakeup_ns, events, lost_full, lost_nested;
	u32 subbuf_size, slots, slots_used;
};
void ctrace_arena_stats(struct ctrace_arena *a, struct ctrace_arena_stats *st);

static inline struct ctrace_ring *ctrace_arena_ctl(const struct ctrace_arena *a, u32 slot)
{
	return a->rings[slot].ctl;
}

/* --- wake.c: waiting for records ------------------------------------------------ */

void ctrace_arena_wake_init(struct ctrace_arena *a);
void ctrace_arena_wake_exit(struct ctrace_arena *a);	/* call when nobody arms or wakes any more */
/* Wakes a->wait after a record, when armed. Any context incl. NMI and with any lock held. */
void ctrace_arena_wake(struct ctrace_arena *a);
/* Wakes a->wait wakeup_ns from now, armed or not. Not in NMIs or with locks held. */
void ctrace_arena_wake_later(struct ctrace_arena *a);
/* Call before looking for records: one that comes after the look wakes a->wait. */
void ctrace_arena_arm(struct ctrace_arena *a);
u64 ctrace_arena_heads_sum(struct ctrace_arena *a);

#endif
