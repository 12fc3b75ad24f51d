/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session's memory: one directory and equal ring slots, laid out as
 * uapi/ctrace.h says, made once and never grown.
 *
 * Slots belong to CPUs. DESIGN.md has one pool from which any ring is taken, popped
 * lock-free; a pool per CPU needs no atomic operation and no lock at all, as only that CPU
 * binds its slots, and keeps a ring near its writer. The price: a container that
 * runs on few CPUs cannot use the slots of the others.
 *
 * A slot is free (never used), bound to a container, or changing hands. It never
 * becomes free again, so a search that meets a free slot has seen all there is. Slot 0
 * of each CPU is its shared ring: who finds no slot writes there, so nothing is lost.
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
	u32 subbuf_size;
	u32 containers;		/* to be divided for so many */
	u32 session;
	bool stop_full;
};

/* Values of owner[] that are no cid + 1: CTRACE_CID_ALL and _UNKNOWN never own a ring. */
#define CTRACE_OWNER_FREE	0u
#define CTRACE_OWNER_BUSY	(CTRACE_CID_UNKNOWN + 1)

/* One CPU's part. Written on that CPU only, but for crowded. */
struct ctrace_arena_cpu {
	struct ctrace_ring_desc *rings;	/* invariant: [slots_per_cpu] */
	u32 *owner;			/* [slots_per_cpu]: cid + 1, 0 free, BUSY changing hands */
	u32 crowded;			/* cid + 1 that found no slot; 0: one may be had */
	bool changing;			/* a slot is: NMIs keep off */
};

/* What is known of a slot apart from the hot path. */
struct ctrace_arena_slot {
	u64 dead_at;		/* when dead_cid died */
	u32 dead_cid;		/* means something only if it is the owner: cids are never reused */
	u32 pins;		/* descriptors bound to its container; arena's lock */
};

struct ctrace_arena {
	struct ctrace_arena_cpu __percpu *cpu;	/* invariant */
	u32 armed;		/* somebody waits: the next record wakes. Set under wake_lock */
	u32 slots_per_cpu;	/* invariant, as the rest up to lock */
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
	u32 sweep;		/* slot; lock */

	/* wake.c's */
	wait_queue_head_t wait;
	raw_spinlock_t wake_lock;
	u64 armed_sum;		/* of heads when armed was set; wake_lock */
	u32 arms;		/* how often a waiter armed; wake_lock */
	u32 settled;		/* arms when settle looked last; settle's own */
	struct irq_work wake_work;
	struct hrtimer wake_timer;
	struct delayed_work settle;
};

/* A directory that one container's descriptor maps; dev.c owns it. */
struct ctrace_arena_view {
	struct list_head list;
	struct ctrace_dir *dir;
};

/* Process context. ERR_PTR, and why has a sentence unless out of memory. */
struct ctrace_arena *ctrace_arena_new(const struct ctrace_arena_opts *o, char *why,
				      size_t why_len);
void ctrace_arena_get(struct ctrace_arena *a);
/*
 * From now on records hold kernel addresses, and no view of one container is given.
 * -EBUSY: there is one. Process context.
 */
int ctrace_arena_kaddr(struct ctrace_arena *a);
void ctrace_arena_put(struct ctrace_arena *a);		/* process context */
/* No record will come any more: probes have gone. Process context. */
void ctrace_arena_end(struct ctrace_arena *a);
static inline bool ctrace_arena_ended(const struct ctrace_arena *a)
{
	/* partner: ctrace_arena_end(); then the last records are seen too */
	return smp_load_acquire(&a->dir->state) == CTRACE_DIR_ENDED;
}

/*
 * The ring that each session used last on a CPU, by the session's index: a cache of one. Written on
 * that CPU, and for all of them at the session's beginning, before anybody may want it. Its
 * end leaves them: who still holds the session's bit may write there until probes have synchronised.
 */
DECLARE_PER_CPU(struct ctrace_ring_desc *, ctrace_rings[CTRACE_SESSIONS_MAX]);

/* slots.c: binds one if need be. */
struct ctrace_ring_desc *ctrace_arena_ring_slow(struct ctrace_arena *a, u32 index, u32 cid);

/*
 * The ring of cid on this CPU, for one record; never NULL. Context: any incl.
 * NMI; preemption off until the record is committed.
 *
 * One load of a pointer, whose target says whom it belongs to: an interrupt that
 * changes the cache cannot make the two disagree. And the target does not change hands under us:
 * only a task takes a ring away from a container, and only one without a record in progress.
 */
static __always_inline struct ctrace_ring_desc *ctrace_arena_ring(u32 index, u32 cid)
{
	struct ctrace_ring_desc *d = __this_cpu_read(ctrace_rings[index]);

	if (likely(READ_ONCE(d->cid) == cid))
		return d;
	return ctrace_arena_ring_slow(d->arena, index, cid);
}

/*
 * Its slots may go to others from now on. alive tells whether a container still lives: late events may have
 * bound slots to one whose death was told before. Process context.
 */
void ctrace_arena_mark_dead(struct ctrace_arena *a, u32 cid, u64 when, bool (*alive)(u32 cid));

/*
 * A ring of its own on every possible CPU, holding nothing of others, until
 * unpinned. slots[ncpus] gets the slot numbers. -ENOSPC. Process context.
 */
int ctrace_arena_pin(struct ctrace_arena *a, u32 cid, u32 *slots);
void ctrace_arena_unpin(struct ctrace_arena *a, const u32 *slots);

struct ctrace_ring_stats {
	u32 slot, cpu, cid, gen;
	u64 events, bytes, lost_full, lost_nested;
};
/* fn for each slot in use, in order, until it returns != 0, which is returned. */
int ctrace_arena_each_ring(struct ctrace_arena *a,
			   int (*fn)(const struct ctrace_ring_stats *r, void *arg), void *arg);

struct ctrace_arena_stats {
	u64 arena_size;		/* as it came out: what it occupies */
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
void ctrace_arena_wake_exit(struct ctrace_arena *a);	/* nobody arms or wakes any more */
/* After a record, when armed. Any context incl. NMI and with any lock held. */
void ctrace_arena_wake(struct ctrace_arena *a);
/* Likewise, of our own accord: wakeup_ns from now. Not in NMIs or with locks held. */
void ctrace_arena_wake_later(struct ctrace_arena *a);
/* Before looking whether there is something: what comes after the look wakes a->wait. */
void ctrace_arena_arm(struct ctrace_arena *a);
u64 ctrace_arena_heads_sum(struct ctrace_arena *a);

#endif
