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
 * Lifetime: the session holds one reference, each descriptor of /dev/ctrace that is bound to the whole
 * session another, each view one until it is revoked (CTRACE_VIEW_DRAIN_MS after the session's end
 * at the latest), and each pin that waits for a CPU one. A mapping of the session holds its descriptor,
 * so it needs none itself; a view's is emptied when the view is revoked.
 * Probes hold none: a session ends (ctrace_arena_end()) only after its probes have.
 */
#ifndef CTRACE_ARENA_H
#define CTRACE_ARENA_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>
#include "aggregate/aggregate.h"
#include "ring/freeze.h"
#include "ring/ring.h"
#include "ring/wake.h"
#include "../uapi/ctrace.h"

#define CTRACE_SESSIONS_MAX	32	/* bits of a mask */

struct ctrace_arena_opts {
	u64 arena_size;		/* 0: default, and so below */
	u64 table_size;		/* for tables, beside arena_size; 0: none */
	u64 ring_size;
	u64 wakeup_ns;		/* 0: at once */
	u64 features;		/* CTRACE_FEATURE_*, for the directory */
	u32 subbuf_size;
	u32 containers;		/* size rings for this many containers */
	u32 session;
	u32 freeze_ms;		/* see CTRACE_A_SESSION_FREEZE_MS */
	bool stop_full;
	bool no_views;		/* from the beginning: records show several containers */
	bool limited;		/* it counts for its user, see ring/quota.h */
	kuid_t user;
	u32 owner;		/* the session's, for its description, and so is this: */
	const char *name;	/* or NULL */
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
	/*
	 * What a frozen container has in place of a ring, where it has none: it refuses everything. It counts
	 * in the shared ring's page, where nothing else is ever refused for that
	 */
	struct ctrace_ring_desc refuser;
};

/* A slot's state that the hot path does not need. */
struct ctrace_arena_slot {
	u64 dead_at;		/* when dead_cid died */
	u32 dead_cid;		/* counts only while it owns the slot: cids are never reused */
	u32 pins;		/* views of its container; arena's pin_lock */
	/* a wipe has begun and not ended, perhaps for a pin that was given up; slots.c, on the ring's CPU */
	bool wiping;
	u64 wiped;		/* how far it came; the same */
};

struct ctrace_arena {
	struct ctrace_arena_cpu __percpu *cpu;	/* invariant */
	u32 armed;		/* the word of every ring without a view, see wake.h */
	u32 slots_per_cpu;	/* invariant, like the rest up to ref */
	u32 ncpus;
	bool stop_full;
	u64 wakeup_ns;
	void *mem;		/* what session-wide readers map */
	u64 mem_size;
	bool limited;		/* mem_size bytes are taken from user's quota */
	kuid_t user;
	u64 stride;		/* of slots in mem */
	struct ctrace_table_room tables;	/* in mem, behind the slots; used is ctrace_lock's */
	struct arena_description *description;	/* for who finds it in a vmcore: describe.c's; or NULL */
	struct ctrace_dir *dir;	/* in mem; readers map it, so nothing is decided by what it says */
	u64 *heads;		/* in mem: [ncpus][heads_per_cpu]. Each CPU's hints come first, then zeros */
	u32 heads_per_cpu;
	struct ctrace_ring_desc *rings;		/* [nslots] */
	struct ctrace_arena_slot *slots;	/* [nslots] */
	u32 *owner;				/* [nslots] */
	unsigned long *viewed;			/* bit per slot: it has views; pin_lock */
	struct kref ref;
	u32 ended;		/* 1: no record comes any more; set once, under lock */

	struct mutex lock;	/* views, sweep; not held while a CPU or a wipe is waited for */
	struct list_head views;	/* struct ctrace_arena_view; lock */
	bool no_views;		/* records hold what the viewer of one container must not see; lock */
	u32 sweep;		/* slot that ctrace_arena_mark_dead() checked last; lock */
	raw_spinlock_t pin_lock;	/* pins, and which word a ring's records look at */

	struct ctrace_freezer freezer;
	struct ctrace_waiter all;	/* descriptors of the whole session */
	struct ctrace_round all_round, view_round;
};

static inline u32 ctrace_arena_nslots(const struct ctrace_arena *a)
{
	return a->slots_per_cpu * a->ncpus;
}

/* The hint of that slot. */
static inline u64 *ctrace_arena_hint(const struct ctrace_arena *a, u32 slot)
{
	return &a->heads[slot / a->slots_per_cpu * a->heads_per_cpu + slot % a->slots_per_cpu];
}

/*
 * A view of one container, as its arena knows it; api/view.c owns it. In the arena's list until it is
 * revoked.
 */
struct ctrace_arena_view {
	struct list_head list;
	u32 cid;
	struct ctrace_dir *dir;
	struct ctrace_waiter waiter;
	/* revokes it: CTRACE_VIEW_DRAIN_MS after it has nothing to show any more */
	struct delayed_work expire;
};

/*
 * Process context. ERR_PTR on error, with a sentence in why unless memory ran out. All that it has is charged
 * to the memory cgroup of current, as far as the kernel can (compat/vmalloc.h).
 */
struct ctrace_arena *ctrace_arena_new(const struct ctrace_arena_opts *o, char *why,
				      size_t why_len);
void ctrace_arena_get(struct ctrace_arena *a);
/*
 * Declares that records will hold what the viewer of one container must not see, kernel addresses: no view is
 * given from now on. -EBUSY: there is one already. Process context.
 */
int ctrace_arena_no_views(struct ctrace_arena *a);
void ctrace_arena_put(struct ctrace_arena *a);		/* process context */
/* Ends it: the caller has waited for its probes, no record comes any more. Process context. */
void ctrace_arena_end(struct ctrace_arena *a);
static inline bool ctrace_arena_ended(const struct ctrace_arena *a)
{
	/* partner: ctrace_arena_end(). A caller that sees the end sees the last records, too */
	return smp_load_acquire(&a->ended);
}

/*
 * Enters a view, whose slots are pinned; from now on the arena notifies it of its session's end and its
 * container's death. -EACCES: the arena gives no views. Process context.
 */
int ctrace_arena_view_add(struct ctrace_arena *a, struct ctrace_arena_view *v);
/*
 * Takes it out: state is the last thing that its directory says. Nothing refers to v then. Process context.
 */
void ctrace_arena_view_del(struct ctrace_arena *a, struct ctrace_arena_view *v, u32 state);
/* Begins v's time to drain, if it has not begun. The caller holds a->lock, or v cannot go. */
void ctrace_arena_view_expire(struct ctrace_arena_view *v);

/*
 * By session index: the ring that the session used last on this CPU, a cache of one. Only this CPU
 * writes it, except when a session is made: that sets all CPUs' before any probe can use them. A
 * session's end leaves them alone: a probe that still holds the session's bit may write there until
 * probes have been synchronised.
 */
DECLARE_PER_CPU(struct ctrace_ring_desc *, ctrace_rings[CTRACE_SESSIONS_MAX]);

/* slots.c: binds a slot if there is none yet. */
struct ctrace_ring_desc *ctrace_arena_ring_slow(struct ctrace_arena *a, u32 index, u32 cid);

/* slots.c: cid's own ring on that CPU; NULL: it has none, or it is changing hands. Any context, any CPU. */
struct ctrace_ring_desc *ctrace_arena_ring_of(const struct ctrace_arena *a, u32 cpu, u32 cid);

/*
 * The ring of cid on this CPU, for one record; never NULL. Context: any incl.
 * NMI; preemption off until the record is committed.
 *
 * This loads one pointer, and its target says which container it belongs to: an interrupt
 * that changes the cache cannot make the two disagree. The target does not change hands under us either: only
 * a task takes a ring from a container, and only a ring with no record in progress.
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
 * until unpinned. slots[ncpus] gets the slot numbers. -ENOSPC: a CPU has no slot left. -ETIMEDOUT: a CPU
 * does not let our work run. -ERESTARTSYS: a signal came. Process context, no lock held.
 */
int ctrace_arena_pin(struct ctrace_arena *a, u32 cid, u32 *slots);
void ctrace_arena_unpin(struct ctrace_arena *a, const u32 *slots);

struct ctrace_ring_stats {
	u32 slot, cpu, cid, gen;
	u64 events, bytes, lost_full, lost_nested, lost_frozen;
};
/*
 * Calls fn for each slot in use from slot `from` on, in order, until fn returns != 0, and returns that.
 * Process context: it rests, as a large arena has a million slots. So the caller holds no lock that others
 * wait for.
 */
int ctrace_arena_each_ring(struct ctrace_arena *a, u32 from,
			   int (*fn)(const struct ctrace_ring_stats *r, void *arg), void *arg);

struct ctrace_arena_stats {
	u64 arena_size;		/* bytes that it occupies without tables; may be less than asked for */
	u64 table_size;
	u64 ring_size, wakeup_ns, events, lost_full, lost_nested, lost_frozen;
	u32 subbuf_size, slots, slots_used;
};
/* looks at all slots, as above */
void ctrace_arena_stats(struct ctrace_arena *a, struct ctrace_arena_stats *st);
/* The same for an arena without a record: looks at none. */
void ctrace_arena_stats_new(const struct ctrace_arena *a, struct ctrace_arena_stats *st);

static inline struct ctrace_ring *ctrace_arena_ctl(const struct ctrace_arena *a, u32 slot)
{
	return a->rings[slot].ctl;
}

/* Of the module: what all arenas share. */
int ctrace_pin_module_init(void);	/* slots.c's part, for arena.c */
void ctrace_pin_module_exit(void);
int ctrace_arena_module_init(void);
void ctrace_arena_module_exit(void);	/* every session and every descriptor has gone */

#endif
