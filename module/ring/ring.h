/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing a ring: the pure algorithm, without the module around it. The host's
 * unit tests and KUnit compile this very file. The reader is ctrace_ring_read.h.
 *
 * One CPU writes a ring. Only that CPU's own interrupts and NMIs can interrupt
 * a writer, and they nest strictly: an interrupt has finished writing when the
 * interrupted writer resumes. So no access needs a lock prefix, and only the
 * compiler can reorder the CPU's own accesses (barrier()). Readers are on any CPU.
 *
 * The writer's knowledge lies in struct ctrace_ring_desc, which nobody maps. To the pages that readers map
 * (struct ctrace_ring, the hint, the records) the writer only stores, so bytes that somebody forged there
 * mislead readers of this ring and nobody else. There is one exception: publishing a nest, the writer walks
 * the lengths of the records, and it takes none that leaves its sub-buffer.
 *
 *	writer (here)				reader (ctrace_ring_read.h, dev_read.c)
 *
 *	write records, sub-buffer header
 *	store-release head		A	load-acquire head
 *						read header and records
 *
 *	store entered
 *	smp_wmb()			B	smp_rmb()
 *	overwrite the oldest sub-buffer		read entered: is what was read still whole?
 *
 *	store-release head
 *	store-release *hint		C	load-acquire hints (poll),
 *						then leave for user space, which looks at head
 *
 *	floor odd, smp_wmb()		D	load-acquire floor: even?
 *	write floor_events			read floor_events, smp_rmb()
 *	store-release floor, even		read floor: the same?
 *	smp_wmb()
 *	wipe what is below			(and after reading records: smp_rmb(), floor)
 *
 *	gen odd, smp_wmb()		E	load-acquire gen: even?
 *	write cid, base, base_events		read them, smp_rmb()
 *	store-release gen, even			read gen: the same?
 *
 *	store-release head, *hint	F	load-acquire nest: is a record to come?
 *	store-release nest, 0			if not: load-acquire hint, read the ring
 *
 * F lets a reader merge rings by time (userspace/lib/merge.c): if it finds nest 0, everything that began
 * before is published. If not, what is to come is no older than the newest record that it has read from
 * this ring. Raising nest is not ordered against the clock read after it, as that would cost every
 * record a full barrier; the reader allows for the delay of that store instead (SETTLE_NS).
 *
 *	writer				freezer (any CPU, any context; ring/freeze.c)
 *
 *	store end			cmpxchg frozen (a full barrier)
 *	smp_mb()		G	store end = 0
 *	read frozen: then end = 0
 *
 * G keeps a check out of the way of every record: a frozen ring's end is 0, so nothing fits, and each record
 * comes to ctrace_ring_reserve_any(), which refuses it. The barrier is paid where end changes, once in a
 * sub-buffer. Whichever of the two stores comes last, end is 0.
 *
 * selftests/model has these pairs as litmus tests.
 *
 *	       base/floor      head (published)   reserve        entered
 *	|......|===============|------------------|..............|
 *	                        a nest being written
 *
 * Positions only grow; see struct ctrace_ring. A record never crosses the end of a
 * sub-buffer. If it does not fit, a zero word (if there is room for one) ends the
 * sub-buffer, and the record goes behind the next sub-buffer's header. The outermost
 * writer of a nest writes the headers when it publishes: only it knows how many
 * records precede them, even if interrupts nested across a boundary.
 *
 * A sub-buffer is entered with interrupts off: nobody but an NMI can come between the store of
 * entered and the reservation, and an NMI that would have to enter one itself is refused there. So
 * entered never goes back, and no record is written into a sub-buffer before readers can see that it
 * was entered.
 *
 * If head is reserve, nobody is writing. The writer that finds it so and reserves is the outermost of
 * its nest: it publishes, and others that interrupt it leave their records to it. An interrupt between its
 * look at head and its reservation writes and publishes all of its own records; then reserve has moved, and
 * the reservation fails.
 *
 * Nearly every record is alone: no other is being written when it begins, it fits into the
 * sub-buffer, and no interrupt writes to the ring before it is committed. ctrace_ring_try(),
 * _take() and _commit_alone() write such a record inline. Everything else goes through
 * ctrace_ring_reserve_any() and ctrace_ring_leave(), which handle every case.
 */
#ifndef CTRACE_RING_H
#define CTRACE_RING_H

#ifdef __KERNEL__
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include "../uapi/ctrace.h"
/* Increments what only the caller writes: one instruction, where WRITE_ONCE() would make three. */
#define ctrace_ring_inc(p)	data_race((*(p))++)
#ifndef CTRACE_CLOCK
#include "compat/clock.h"
/* ns, never 0. May go back a little, as it does in NMIs: publication corrects that. */
#define CTRACE_CLOCK()		ctrace_compat_clock()
/* CTRACE_CLOCK_NOW() is the same without a function call; use it only if CTRACE_CLOCK_INLINE(). */
#define CTRACE_CLOCK_INLINE()	ctrace_compat_clock_inline()
#define CTRACE_CLOCK_NOW()	ctrace_compat_clock_now()
#endif
#endif
#ifndef CTRACE_CLOCK_NOW
#define CTRACE_CLOCK_INLINE()	true
#define CTRACE_CLOCK_NOW()	CTRACE_CLOCK()
#endif

struct ctrace_arena;

/*
 * What the writer knows of a ring. The kernel's own: no user maps it. Only the ring's CPU changes it, except
 * `wake` and `armed` (wake.c), and `frozen` and `end` = 0 (freeze.c).
 */
struct ctrace_ring_desc {
	/* first cache line: what every record reads or changes */
	u64 reserve;			/* end of what writers have reserved */
	u64 head;			/* end of what is published; reserve, if nobody is writing */
	u64 end;			/* up to here a record needs no limit check: end of a
					 * sub-buffer we own, normally the newest. May lag (an
					 * interrupt entered the next one), never runs ahead of
					 * reserve's sub-buffer. 0: nothing fits, as in a ring that is
					 * frozen, or was until now
					 */
	u64 last_time;			/* time of the newest published record */
	u64 events;			/* records published below head */
	u64 last;			/* position of the newest published record */
	struct ctrace_ring *ctl;	/* invariant: what readers see; the writer only stores to it */
	u32 cid;			/* its container; CTRACE_CID_ALL: shared, free or changing
					 * hands. Changed on its CPU only, with interrupts off
					 */
	u32 submask;			/* invariant: subbuf_size - 1 */

	/* second cache line */
	char *data;			/* invariant */
	u64 *hint;			/* invariant: where readers see that this ring moved */
	u64 mask;			/* invariant: ring_size - 1 */
	u32 *wake;			/* the word that a record looks at: does a reader wait? (wake.h) */
	struct ctrace_arena *arena;	/* invariant: the arena it is part of */
	u32 slot;			/* invariant: in the directory */
	u32 gen;			/* the binding's; odd while it changes */
	u32 owner;			/* of this binding; CTRACE_CID_ALL in a shared ring */
	bool stop_full;			/* invariant: refuse rather than overwrite */
	bool trying;			/* a record may be reserved at once, see ctrace_ring_busy() */
	bool entering;			/* a sub-buffer is being entered, see ctrace_ring_enter() */
	u32 armed;			/* the word, while the ring has views */
	u64 base, base_events;		/* as in struct ctrace_ring, and so are these: */
	u64 floor;
	u64 lost_full, lost_nested, lost_frozen;
	u64 frozen;			/* a freeze's number << 32, and its container's cid + 1; 0: none */
} __aligned(64);

/* A record being written; on the writer's stack. */
struct ctrace_writer {
	struct ctrace_record *rec;
	u64 end;			/* if alone: position of the record's end */
	u64 time;			/* if alone: the record's time */
	bool alone;			/* reserved by ctrace_ring_take() */
	bool outermost;			/* if not alone: this writer publishes */
};

static __always_inline void *ctrace_ring_at(const struct ctrace_ring_desc *d, u64 pos)
{
	return d->data + (pos & d->mask);
}

/*
 * Counts a refused record, and shows the count to readers. An interrupt may do the same anywhere in here: a
 * plain ++ would lose counts, and without the second look an older count could be what is shown.
 */
static inline void ctrace_ring_count(u64 *n, u64 *shown)
{
	u64 old;

	do {
		old = READ_ONCE(*n);
	} while (cmpxchg_local(n, old, old + 1) != old);
	do {
		old = READ_ONCE(*n);
		WRITE_ONCE(*shown, old);
		barrier();
	} while (READ_ONCE(*n) != old);
}

/*
 * Is the ring frozen? A freezer that came late may leave the mark of the slot's last container here: cids are
 * never reused, so that means nothing to this one. Any CPU, any context.
 */
static __always_inline bool ctrace_ring_frozen(const struct ctrace_ring_desc *d)
{
	u64 frozen = READ_ONCE(d->frozen);

	return frozen && (u32)frozen == READ_ONCE(d->owner) + 1;
}

/*
 * A record for this ring could not be made, because too much was under way. If the ring is frozen, that was
 * reason enough. Context: as _reserve().
 */
static inline void ctrace_ring_lost_nested(struct ctrace_ring_desc *d)
{
	if (ctrace_ring_frozen(d))
		ctrace_ring_count(&d->lost_frozen, &d->ctl->lost_frozen);
	else
		ctrace_ring_count(&d->lost_nested, &d->ctl->lost_nested);
}

/* Shows readers whether it is frozen. Others may do the same: the last one to look again writes the truth. */
static inline void ctrace_ring_show_frozen(struct ctrace_ring_desc *d)
{
	u32 is;

	do {
		is = ctrace_ring_frozen(d);
		WRITE_ONCE(d->ctl->frozen, is);
		smp_mb();	/* the store before the look: one of two that cross sees the other's mark */
	} while (ctrace_ring_frozen(d) != is);
}

/* Replaces the mark. False: it is not `was` any more. Any CPU, any context; a full barrier, if true. */
static inline bool ctrace_ring_freeze(struct ctrace_ring_desc *d, u64 was, u64 is)
{
	if (cmpxchg(&d->frozen, was, is) != was)
		return false;
	if (is)
		WRITE_ONCE(d->end, 0);				/* G */
	ctrace_ring_show_frozen(d);
	return true;
}

/*
 * May a record be under way here? Context: on the ring's CPU; then what it says is true until a writer comes.
 */
static inline bool ctrace_ring_busy(const struct ctrace_ring_desc *d)
{
	return READ_ONCE(d->trying) || READ_ONCE(d->head) != READ_ONCE(d->reserve);
}

/* Time does not run backwards in a ring, whatever the clock did: readers merge by it. */
static __always_inline u64 ctrace_ring_time(struct ctrace_record *rec, u64 last)
{
	if (unlikely(rec->time < last))
		rec->time = last;
	return rec->time;
}

/*
 * Publishes what lies from pos to end. The caller is the outermost writer; pos is head, end is a reserve
 * behind it, and all of it is complete.
 */
static inline void ctrace_ring_walk(struct ctrace_ring_desc *d, u64 pos, u64 end)
{
	u64 events = d->events, time = d->last_time, last = d->last, before, left;
	struct ctrace_ring *r = d->ctl;
	struct ctrace_record *rec;
	struct ctrace_subbuf *sub;
	u32 len;

	while (pos < end) {
		left = d->submask + 1 - (pos & d->submask);
		rec = ctrace_ring_at(d, pos);
		if (left > d->submask) {
			sub = (struct ctrace_subbuf *)rec;
			rec = (struct ctrace_record *)(sub + 1);
			sub->pos = pos;
			sub->events = events;
			sub->time = ctrace_ring_time(rec, time);
			before = pos - left;
			sub->last = pos && last > before ? last - before : 0;
			pos += sizeof(*sub);
			left -= sizeof(*sub);
		} else if (!READ_ONCE(rec->time)) {
			pos += left;
			continue;
		}
		/*
		 * Nobody but writers has a mapping that may be written. Should somebody find a way all the
		 * same, a length that cannot be must not lead us out of the sub-buffer, nor in a circle: give
		 * up the rest, which readers then find to be no ring.
		 */
		len = left < sizeof(*rec) ? 0 : READ_ONCE(rec->len);
		if (unlikely(len < sizeof(*rec) || len > left || len & 7))
			break;
		time = ctrace_ring_time(rec, time);
		last = pos;
		pos += len;
		events++;
	}
	WRITE_ONCE(d->last, last);
	WRITE_ONCE(d->events, events);
	WRITE_ONCE(d->last_time, time);
	smp_store_release(&r->head, end);			/* A */
	smp_store_release(d->hint, end);			/* C */
	barrier();
	WRITE_ONCE(d->head, end);	/* last: from now on an interrupt publishes its own */
}

/*
 * Is there anything to publish, from *pos to *end? Only the outermost writer asks. If head is the same before
 * and after the look at reserve, it was head at that look: then what lies between the two was left to us,
 * and stays as it is until we publish it. Else an interrupt came in between, and published its own.
 */
static inline bool ctrace_ring_left(const struct ctrace_ring_desc *d, u64 *pos, u64 *end)
{
	do {
		*pos = READ_ONCE(d->head);
		*end = READ_ONCE(d->reserve);
	} while (READ_ONCE(d->head) != *pos);
	return *pos != *end;
}

/*
 * The outermost writer leaves: it publishes its records, and those that interrupts left to it. As in perf:
 * one that came before head was moved has left its records to us, so look again; one that comes after has
 * published its own.
 */
static noinline __maybe_unused notrace void ctrace_ring_leave(struct ctrace_ring_desc *d)
{
	u64 pos, end;

	barrier();
	while (ctrace_ring_left(d, &pos, &end))
		ctrace_ring_walk(d, pos, end);
	smp_store_release(&d->ctl->nest, 0);			/* F */
}

/*
 * Ends the sub-buffer that old lies in. A reader needs the zero word only. The rest is cleared
 * because it may hold records of an earlier container, which a view of the ring must not show.
 */
static noinline __maybe_unused notrace void ctrace_ring_pad(struct ctrace_ring_desc *d, u64 old)
{
	memset(ctrace_ring_at(d, old), 0, -old & d->submask);
}

enum ctrace_ring_entry {
	CTRACE_RING_ENTERED,	/* and reserved */
	CTRACE_RING_AGAIN,	/* another writer came first */
	CTRACE_RING_REFUSED,	/* and counted */
};

/*
 * Reserves len bytes behind the next sub-buffer's header. old: reserve, as the caller found it. *time: the
 * record's. The two limits are checked nowhere else: a sub-buffer that may be entered may be filled.
 */
static noinline __maybe_unused notrace enum ctrace_ring_entry
ctrace_ring_enter(struct ctrace_ring_desc *d, u64 old, u32 len, u64 *time)
{
	u64 sub = (old + d->submask) & ~(u64)d->submask, end = sub + d->submask + 1;
	enum ctrace_ring_entry ret = CTRACE_RING_AGAIN;
	struct ctrace_ring *r = d->ctl;
	unsigned long flags;

	raw_local_irq_save(flags);	/* raw: tracing of irqs-off must not call us again */
	if (d->entering) {		/* an NMI between the lines below */
		ctrace_ring_lost_nested(d);
		ret = CTRACE_RING_REFUSED;
		goto out;
	}
	WRITE_ONCE(d->entering, true);
	barrier();
	if (READ_ONCE(d->reserve) != old)
		goto entered;
	/* this session keeps the oldest records */
	if (d->stop_full && end - d->base > d->mask + 1) {
		ctrace_ring_count(&d->lost_full, &r->lost_full);
		ret = CTRACE_RING_REFUSED;
		goto entered;
	}
	/* a nest longer than the ring would overwrite records that it has not published */
	if (end - READ_ONCE(d->head) > d->mask + 1) {
		ctrace_ring_lost_nested(d);
		ret = CTRACE_RING_REFUSED;
		goto entered;
	}
	WRITE_ONCE(r->entered, end);
	smp_wmb();						/* B */
	WRITE_ONCE(r->nest, 1);
	barrier();
	*time = CTRACE_CLOCK();
	/* if an NMI wrote into the old sub-buffer, entered is early, which harms nobody */
	if (cmpxchg_local(&d->reserve, old, sub + sizeof(struct ctrace_subbuf) + len) == old)
		ret = CTRACE_RING_ENTERED;
entered:
	barrier();
	WRITE_ONCE(d->entering, false);
out:
	raw_local_irq_restore(flags);
	return ret;
}

/*
 * The general case of ctrace_ring_reserve(): other records may be under way in the ring.
 *
 * nest is raised before the clock is read. An interrupt that moves reserve in between may lower it again, as
 * it knows nothing of us; but then our reservation fails, and we raise it again.
 */
static noinline __maybe_unused notrace struct ctrace_record *
ctrace_ring_reserve_any(struct ctrace_ring_desc *d, struct ctrace_writer *w, u32 len)
{
	enum ctrace_ring_entry ret;
	bool trying = d->trying, again = false;
	u64 old, start, end, time;

	WRITE_ONCE(d->trying, true);
	barrier();
	for (;; again = true) {
		/* in this order: see ctrace_ring_left() */
		old = READ_ONCE(d->reserve);
		w->outermost = READ_ONCE(d->head) == old;
		/* if an interrupt writes a record and freezes the ring, reserve moves: we come here again */
		if (unlikely(ctrace_ring_frozen(d))) {
			ctrace_ring_count(&d->lost_frozen, &d->ctl->lost_frozen);
			ret = CTRACE_RING_REFUSED;
			break;
		}
		/*
		 * With x the offset of old in its sub-buffer: true if x + len exceeds the
		 * sub-buffer, or if x is 0 (-1 & submask is submask): the header goes there.
		 */
		if (unlikely((((u32)old - 1) & d->submask) + len > d->submask)) {
			start = ((old + d->submask) & ~(u64)d->submask) + sizeof(struct ctrace_subbuf);
			ret = ctrace_ring_enter(d, old, len, &time);
		} else {
			start = old;
			WRITE_ONCE(d->ctl->nest, 1);
			barrier();
			time = CTRACE_CLOCK();
			ret = cmpxchg_local(&d->reserve, old, start + len) == old ?
				CTRACE_RING_ENTERED : CTRACE_RING_AGAIN;
		}
		if (likely(ret != CTRACE_RING_AGAIN))
			break;
	}
	barrier();
	WRITE_ONCE(d->trying, trying);
	if (unlikely(ret == CTRACE_RING_REFUSED)) {
		/*
		 * If an earlier try raised nest, lower it again, unless a writer that we interrupted is under
		 * way. One that we interrupted while it tried does not rely on it: that try fails, as reserve
		 * has moved.
		 */
		if (again && READ_ONCE(d->head) == READ_ONCE(d->reserve))
			smp_store_release(&d->ctl->nest, 0);	/* F */
		return NULL;
	}
	if (unlikely(start != old))
		ctrace_ring_pad(d, old);
	end = (start | d->submask) + 1;
	if (READ_ONCE(d->end) != end) {
		WRITE_ONCE(d->end, end);
		smp_mb();					/* G */
		if (unlikely(ctrace_ring_frozen(d)))
			WRITE_ONCE(d->end, 0);
	}

	w->rec = ctrace_ring_at(d, start);
	w->rec->time = time;
	w->rec->len = len;
	return w->rec;
}

/*
 * If CTRACE_CLOCK_INLINE(), a record that is alone takes three steps: this, CTRACE_CLOCK_NOW(),
 * ctrace_ring_take(). False: the record is not alone, and nothing has been done.
 * *pos: where the record will be.
 *
 * Alone means that nobody is writing: head is reserve. This record starts there, and its writer publishes it.
 */
static __always_inline bool ctrace_ring_try(struct ctrace_ring_desc *d, u32 len, u64 *pos)
{
	/* reserve first, then head: see ctrace_ring_left() */
	u64 old = READ_ONCE(d->reserve);

	/* data_race: interrupts move head with reserve, and then _take() fails */
	if (unlikely(data_race(d->head) != old || old + len > data_race(d->end)))
		return false;
	*pos = old;
	WRITE_ONCE(d->ctl->nest, 1);
	barrier();
	return true;
}

/*
 * False: interrupts wrote to the ring since ctrace_ring_try(), and nothing of ours is left in it.
 * *time: in, the clock's reading; out, the record's time.
 */
static __always_inline bool ctrace_ring_take(struct ctrace_ring_desc *d, u32 len, u64 pos,
					     u64 *time, struct ctrace_record **rec)
{
	if (unlikely(cmpxchg_local(&d->reserve, pos, pos + len) != pos)) {
		/* They lowered nest, but perhaps before we raised it. Later ones do the same. */
		smp_store_release(&d->ctl->nest, 0);		/* F */
		return false;
	}
	if (unlikely(*time < d->last_time)) {
		*time = d->last_time;
		barrier();	/* makes this a branch, almost never taken, not a conditional move */
	}
	*rec = ctrace_ring_at(d, pos);
	(*rec)->time = *time;
	(*rec)->len = len;
	WRITE_ONCE(d->last, pos);
	return true;
}

/* Publishes a record from ctrace_ring_take(). False: interrupts left records, call ctrace_ring_leave(). */
static __always_inline bool ctrace_ring_commit_alone(struct ctrace_ring_desc *d, u64 end, u64 time)
{
	struct ctrace_ring *r = d->ctl;

	barrier();
	ctrace_ring_inc(&d->events);
	WRITE_ONCE(d->last_time, time);
	smp_store_release(&r->head, end);			/* A */
	smp_store_release(d->hint, end);			/* C */
	barrier();
	WRITE_ONCE(d->head, end);
	/* an interrupt that came after this has published its own */
	barrier();
	/* data_race: one instruction */
	if (unlikely(data_race(d->reserve) != end))
		return false;
	smp_store_release(&r->nest, 0);				/* F */
	return true;
}

/*
 * Context: any incl. NMI; preemption off, on the ring's CPU. len: whole record, multiple of 8,
 * at most CTRACE_RECORD_MAX. Returns the record with time and len set, to be filled and
 * committed by the same context; or NULL: refused, counted, nothing to commit.
 *
 * The clock is read between the load of reserve and the cmpxchg. If an interrupt writes a record in
 * between, the cmpxchg fails and we read the clock again. So positions are in order of time.
 */
static __always_inline struct ctrace_record *
ctrace_ring_reserve(struct ctrace_ring_desc *d, struct ctrace_writer *w, u32 len)
{
	u64 pos;

	w->alone = CTRACE_CLOCK_INLINE() && ctrace_ring_try(d, len, &pos);
	if (likely(w->alone)) {
		w->time = CTRACE_CLOCK_NOW();
		w->end = pos + len;
		if (likely(ctrace_ring_take(d, len, pos, &w->time, &w->rec)))
			return w->rec;
		w->alone = false;
	}
	return ctrace_ring_reserve_any(d, w, len);
}

/* Context: the one that reserved. */
static __always_inline void ctrace_ring_commit(struct ctrace_ring_desc *d, struct ctrace_writer *w)
{
	if (likely(w->alone)) {
		if (unlikely(!ctrace_ring_commit_alone(d, w->end, w->time)))
			ctrace_ring_leave(d);
	} else if (w->outermost) {
		ctrace_ring_leave(d);
	}
}

#include "ring/ring_bind.h"

#endif
