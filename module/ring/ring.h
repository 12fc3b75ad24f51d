/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing a ring: the pure algorithm, without the module around it. The host's
 * unit tests and KUnit compile this very file. The reader is ctrace_ring_read.h.
 *
 * One CPU writes a ring. Only that CPU's own interrupts and NMIs can interrupt
 * a writer, and they nest strictly: an interrupt has finished writing when the
 * interrupted writer resumes. So no access needs a lock prefix, and only the
 * compiler can reorder the CPU's own accesses (barrier()). Readers are on any CPU:
 *
 *	writer (here)				reader (ctrace_ring_read.h, dev.c)
 *
 *	write records, sub-buffer header
 *	store-release head		A	load-acquire head
 *						read header and records
 *
 *	advance reserve
 *	smp_wmb()			B	smp_rmb()
 *	overwrite the oldest sub-buffer		read reserve: is what was read still whole?
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
 *	store-release *hint		F	load-acquire nest, reserve: is a record to come?
 *	store-release last_time			load-acquire last_time: if so, it is no older
 *	store-release nest, 0			load-acquire hint (is it reserve?), read the ring
 *
 *	advance reserve
 *	smp_wmb()			B, G	load-acquire head
 *	write last, events			read last, events
 *	store-release head		A	smp_rmb()
 *						read reserve: is it head? Then they are head's
 *
 * F lets a reader merge rings by time (userspace/lib/merge.c). last_time is published after
 * head and hint, or a reader would take for past what it cannot see yet; nest drops to 0 last.
 * nest may read 0 for a moment while records that an interrupt left are unpublished
 * (ctrace_ring_leave()): then reserve is beyond the hint. Raising nest is not ordered against
 * the clock read after it, as that would cost every record a full barrier; the reader allows
 * for the delay of that store instead (SETTLE_NS).
 *
 * selftests/model has these pairs as litmus tests.
 *
 * Every writer executes B, even one that enters no new sub-buffer: it may have interrupted
 * one that does, between that writer's advance and its barrier.
 *
 *	       base/floor      head (published)   reserve
 *	|......|===============|------------------|............|
 *	                        a nest being written
 *
 * Positions only grow; see struct ctrace_ring. A record never crosses the end of a
 * sub-buffer. If it does not fit, a zero word (if there is room for one) ends the
 * sub-buffer, and the record goes behind the next sub-buffer's header. The outermost
 * writer of a nest writes the headers when it publishes: only it knows how many
 * records precede them, even if interrupts nested across a boundary.
 *
 * nest: 0 idle. Only the writer that raised it to 1 publishes.
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
#include <linux/compiler.h>
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

/* What the writer knows of a ring; kernel-private, so that nobody can change it. */
struct ctrace_ring_desc {
	struct ctrace_ring *ctl;	/* invariant */
	char *data;			/* invariant */
	u64 *hint;			/* invariant: where readers see that this ring moved */
	u64 end;			/* up to here a record needs no limit check: end of a
					 * sub-buffer we own, normally the newest. May lag (an
					 * interrupt entered the next one), never runs ahead of
					 * reserve's sub-buffer
					 */
	u64 mask;			/* invariant: ring_size - 1 */
	u32 submask;			/* invariant: subbuf_size - 1 */
	u32 stop_full;			/* invariant: refuse rather than overwrite */
	u32 cid;			/* its container; CTRACE_CID_ALL: shared, free or changing
					 * hands. Changed on its CPU only, with interrupts off
					 */
	u32 slot;			/* invariant: in the directory */
	u32 *wake;			/* the word that a record looks at: does a reader wait? (wake.h) */
	struct ctrace_arena *arena;	/* invariant: the arena it is part of */
	u32 armed;			/* that word, while the ring has views */
};

/* A record being written; on the writer's stack. */
struct ctrace_writer {
	struct ctrace_record *rec;
	u64 end;			/* if alone: position of the record's end */
	u64 time;			/* if alone: the record's time */
	bool alone;			/* reserved by ctrace_ring_take() */
};

static __always_inline void *ctrace_ring_at(const struct ctrace_ring_desc *d, u64 pos)
{
	return d->data + (pos & d->mask);
}

/* A plain ++ would lose counts: an interrupt between its load and its store may count, too. */
static inline void ctrace_ring_count(u64 *n)
{
	u64 old;

	do {
		old = READ_ONCE(*n);
	} while (cmpxchg_local(n, old, old + 1) != old);
}

/* Time does not run backwards in a ring, whatever the clock did: readers merge by it. */
static __always_inline u64 ctrace_ring_time(struct ctrace_record *rec, u64 last)
{
	if (unlikely(rec->time < last))
		rec->time = last;
	return rec->time;
}

/* Publishes what lies between head and reserve; nest is 1 and all of it is complete. */
static inline void ctrace_ring_walk(struct ctrace_ring_desc *d)
{
	struct ctrace_ring *r = d->ctl;
	u64 pos = r->head, end = READ_ONCE(r->reserve);
	u64 events = r->events, time = r->last_time, last = r->last, before;
	struct ctrace_record *rec;
	struct ctrace_subbuf *sub;

	while (pos < end) {
		rec = ctrace_ring_at(d, pos);
		if (!(pos & d->submask)) {
			sub = (struct ctrace_subbuf *)rec;
			rec = (struct ctrace_record *)(sub + 1);
			sub->pos = pos;
			sub->events = events;
			sub->time = ctrace_ring_time(rec, time);
			before = pos - d->submask - 1;
			sub->last = pos && last > before ? last - before : 0;
			pos += sizeof(*sub);
		} else if (!rec->time) {
			pos = (pos | d->submask) + 1;
			continue;
		}
		time = ctrace_ring_time(rec, time);
		last = pos;
		pos += rec->len;
		events++;
	}
	WRITE_ONCE(r->last, last);				/* G */
	WRITE_ONCE(r->events, events);				/* G */
	smp_store_release(&r->head, pos);			/* A */
	smp_store_release(d->hint, pos);			/* C */
	smp_store_release(&r->last_time, time);			/* F */
}

/*
 * Leaves the nest; the outermost writer publishes. As in perf: an interrupt that came
 * after we loaded reserve, and before we set nest to 0, left its records to us, so look again.
 * One that came after nest was 0 has published its own, and head equals reserve.
 */
static noinline __maybe_unused notrace void ctrace_ring_leave(struct ctrace_ring_desc *d)
{
	struct ctrace_ring *r = d->ctl;

	barrier();
	if (READ_ONCE(r->nest) > 1) {
		WRITE_ONCE(r->nest, READ_ONCE(r->nest) - 1);
		return;
	}
	do {
		WRITE_ONCE(r->nest, 1);
		barrier();
		if (r->head != READ_ONCE(r->reserve))
			ctrace_ring_walk(d);
		smp_store_release(&r->nest, 0);			/* F */
		barrier();
	} while (unlikely(READ_ONCE(r->head) != READ_ONCE(r->reserve)));
}

/*
 * Ends the sub-buffer that old lies in. A reader needs the zero word only. The rest is cleared
 * because it may hold records of an earlier container, which a view of the ring must not show.
 */
static noinline __maybe_unused notrace void ctrace_ring_pad(struct ctrace_ring_desc *d, u64 old)
{
	memset(ctrace_ring_at(d, old), 0, -old & d->submask);
}

/*
 * Returns where the next sub-buffer's first record goes, or 0: refused and counted. The two
 * limits are checked nowhere else: a sub-buffer that may be entered may be filled.
 */
static noinline __maybe_unused notrace u64 ctrace_ring_cross(struct ctrace_ring_desc *d, u64 old)
{
	struct ctrace_ring *r = d->ctl;
	u64 sub = (old + d->submask) & ~(u64)d->submask;
	u64 end = sub + d->submask + 1;

	/* this session keeps the oldest records */
	if (d->stop_full && end - r->base > d->mask + 1) {
		ctrace_ring_count(&r->lost_full);
		return 0;
	}
	/* a nest longer than the ring would overwrite records that it has not published */
	if (end - READ_ONCE(r->head) > d->mask + 1) {
		ctrace_ring_count(&r->lost_nested);
		return 0;
	}
	return sub + sizeof(struct ctrace_subbuf);
}

/* The general case of ctrace_ring_reserve(): other records may be under way in the ring. */
static noinline __maybe_unused notrace struct ctrace_record *
ctrace_ring_reserve_any(struct ctrace_ring_desc *d, struct ctrace_writer *w, u32 len)
{
	struct ctrace_ring *r = d->ctl;
	u64 old, start, time;

	/* an interrupt between the load and the store restores nest before it returns */
	WRITE_ONCE(r->nest, data_race(r->nest) + 1);
	barrier();
	do {
		old = READ_ONCE(r->reserve);
		start = old;
		/*
		 * With x the offset of old in its sub-buffer: true if x + len exceeds the
		 * sub-buffer, or if x is 0 (-1 & submask is submask): the header goes there.
		 */
		if (unlikely((((u32)old - 1) & d->submask) + len > d->submask)) {
			start = ctrace_ring_cross(d, old);
			if (!start) {
				ctrace_ring_leave(d);
				return NULL;
			}
		}
		time = CTRACE_CLOCK();
	} while (unlikely(cmpxchg_local(&r->reserve, old, start + len) != old));
	smp_wmb();						/* B */
	if (unlikely(start != old))
		ctrace_ring_pad(d, old);
	WRITE_ONCE(d->end, (start | d->submask) + 1);

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
 * Alone means that nobody is writing (nest == 0) and everything is published (head == reserve):
 * this record starts at head, and its writer publishes it. Both must be checked, as nest is 0
 * for a moment while records that an interrupt left are unpublished.
 */
static __always_inline bool ctrace_ring_try(struct ctrace_ring_desc *d, u32 len, u64 *pos)
{
	struct ctrace_ring *r = d->ctl;
	u64 old;

	/* data_race: interrupts change these and put them back, or see our change; each is one instruction */
	if (unlikely(data_race(r->nest)))
		return false;
	old = READ_ONCE(r->reserve);
	/* data_race: as above */
	if (unlikely(data_race(r->head) != old || old + len > data_race(d->end)))
		return false;
	*pos = old;
	WRITE_ONCE(r->nest, 1);
	barrier();
	return true;
}

/*
 * False: interrupts wrote to the ring since ctrace_ring_try(); call ctrace_ring_leave().
 * *time: in, the clock's reading; out, the record's time.
 */
static __always_inline bool ctrace_ring_take(struct ctrace_ring_desc *d, u32 len, u64 pos,
					     u64 *time, struct ctrace_record **rec)
{
	struct ctrace_ring *r = d->ctl;

	if (unlikely(cmpxchg_local(&r->reserve, pos, pos + len) != pos))
		return false;
	smp_wmb();						/* B */
	if (unlikely(*time < r->last_time)) {
		*time = r->last_time;
		barrier();	/* makes this a branch, almost never taken, not a conditional move */
	}
	*rec = ctrace_ring_at(d, pos);
	(*rec)->time = *time;
	(*rec)->len = len;
	WRITE_ONCE(r->last, pos);				/* G */
	return true;
}

/* Publishes a record from ctrace_ring_take(). False: interrupts left records, call ctrace_ring_leave(). */
static __always_inline bool ctrace_ring_commit_alone(struct ctrace_ring_desc *d, u64 end, u64 time)
{
	struct ctrace_ring *r = d->ctl;

	barrier();
	ctrace_ring_inc(&r->events);				/* G */
	smp_store_release(&r->head, end);			/* A */
	smp_store_release(d->hint, end);			/* C */
	smp_store_release(&r->last_time, time);			/* F */
	smp_store_release(&r->nest, 0);				/* F */
	/* an interrupt that came after this has published its own */
	barrier();
	/* data_race: one instruction */
	return likely(data_race(r->reserve) == end);
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
		ctrace_ring_leave(d);
	}
	return ctrace_ring_reserve_any(d, w, len);
}

/* Context: the one that reserved. */
static __always_inline void ctrace_ring_commit(struct ctrace_ring_desc *d, struct ctrace_writer *w)
{
	if (!likely(w->alone) || !ctrace_ring_commit_alone(d, w->end, w->time))
		ctrace_ring_leave(d);
}

/*
 * Gives the slot to container cid. Context: on the ring's CPU (or that CPU is offline), interrupts
 * off, nest is 0, and NMIs kept from this ring by the caller. The old records stay
 * readable until the new ones overwrite them.
 */
static inline void ctrace_ring_rebind(struct ctrace_ring_desc *d, u32 cid, u32 cpu, u32 flags)
{
	struct ctrace_ring *r = d->ctl;
	u64 old = r->reserve, base = (old + d->submask) & ~(u64)d->submask;

	WRITE_ONCE(r->gen, r->gen + 1);
	smp_wmb();						/* E */
	WRITE_ONCE(r->cid, cid);
	WRITE_ONCE(r->cpu, cpu);
	WRITE_ONCE(r->flags, flags);
	WRITE_ONCE(r->base, base);
	WRITE_ONCE(r->base_events, r->events);
	WRITE_ONCE(r->reserve, base);
	/* no B: this is within a sub-buffer that the writer has entered already */
	if (base != old)
		*(u64 *)ctrace_ring_at(d, old) = 0;
	smp_store_release(&r->head, base);			/* A */
	smp_store_release(d->hint, base);			/* C */
	smp_store_release(&r->gen, r->gen + 1);			/* E */
}

/*
 * Wipes up to max bytes that earlier bindings left, lowest positions first. *wiped: how far earlier
 * calls came, 0 before the first. Call it until it returns true: nothing is left. Writers may write
 * between calls. Context: as ctrace_ring_rebind().
 */
static inline bool ctrace_ring_wipe(struct ctrace_ring_desc *d, u64 *wiped, u64 max)
{
	struct ctrace_ring *r = d->ctl;
	u64 from, n, off;

	if (READ_ONCE(r->floor) != r->base) {
		/* odd: floor_events may belong to the old floor or to the new one */
		WRITE_ONCE(r->floor, r->base | 1);
		smp_wmb();					/* D */
		WRITE_ONCE(r->floor_events, r->base_events);
		smp_store_release(&r->floor, r->base);		/* D */
		smp_wmb();					/* D */
	}
	/* below this the slot's new owner has overwritten the bytes already */
	from = r->reserve > d->mask + 1 ? r->reserve - d->mask - 1 : 0;
	if (from < *wiped)
		from = *wiped;
	if (from >= r->base)
		return true;
	n = r->base - from;
	off = from & d->mask;
	if (n > max)
		n = max;
	if (n > d->mask + 1 - off)
		n = d->mask + 1 - off;
	memset(d->data + off, 0, n);
	*wiped = from + n;
	return *wiped >= r->base;
}

#endif
