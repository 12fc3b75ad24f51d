/* SPDX-License-Identifier: GPL-2.0-only */
/* The end of ring.h, which includes it: a ring changes hands, and what earlier hands left is wiped. */
#ifndef CTRACE_RING_BIND_H
#define CTRACE_RING_BIND_H

/*
 * Gives the slot to container cid. Context: on the ring's CPU (or that CPU is offline), interrupts
 * off, not busy, and NMIs kept from this ring by the caller. The old records stay
 * readable until the new ones overwrite them.
 */
static inline void ctrace_ring_rebind(struct ctrace_ring_desc *d, u32 cid, u32 cpu, u32 flags)
{
	u64 old = d->reserve, base = (old + d->submask) & ~(u64)d->submask;
	struct ctrace_ring *r = d->ctl;

	WRITE_ONCE(d->gen, d->gen + 1);
	WRITE_ONCE(r->gen, d->gen);
	smp_wmb();						/* E */
	d->base = base;
	d->base_events = d->events;
	WRITE_ONCE(d->owner, cid);
	WRITE_ONCE(r->cid, cid);
	WRITE_ONCE(r->cpu, cpu);
	WRITE_ONCE(r->flags, flags);
	WRITE_ONCE(r->base, base);
	WRITE_ONCE(r->base_events, d->events);
	/* no B: base is where entered is already */
	if (base != old)
		*(u64 *)ctrace_ring_at(d, old) = 0;
	smp_store_release(&r->head, base);			/* A */
	smp_store_release(d->hint, base);			/* C */
	WRITE_ONCE(d->reserve, base);
	WRITE_ONCE(d->head, base);
	WRITE_ONCE(d->end, 0);		/* the new owner's first record looks whether it is frozen */
	WRITE_ONCE(d->gen, d->gen + 1);
	smp_store_release(&r->gen, d->gen);			/* E */
	ctrace_ring_show_frozen(d);	/* the last owner's state is not this one's */
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

	if (d->floor != d->base) {
		/* odd: floor_events may belong to the old floor or to the new one */
		WRITE_ONCE(r->floor, d->base | 1);
		smp_wmb();					/* D */
		WRITE_ONCE(r->floor_events, d->base_events);
		smp_store_release(&r->floor, d->base);		/* D */
		smp_wmb();					/* D */
		d->floor = d->base;
	}
	/* below this the slot's new owner has overwritten the bytes already */
	from = d->reserve > d->mask + 1 ? d->reserve - d->mask - 1 : 0;
	if (from < *wiped)
		from = *wiped;
	if (from >= d->base)
		return true;
	n = d->base - from;
	off = from & d->mask;
	if (n > max)
		n = max;
	if (n > d->mask + 1 - off)
		n = d->mask + 1 - off;
	memset(d->data + off, 0, n);
	*wiped = from + n;
	return *wiped >= d->base;
}

#endif
