// SPDX-License-Identifier: GPL-2.0-only
/*
 * Freezing the rings of a container, and thawing them.
 *
 * The table is the truth, and the rings' marks follow it:
 *
 *	freezer, any context		who gives a ring to its owner (slots.c)
 *
 *	cmpxchg a place of the table	write owner
 *	(a full barrier)	H	smp_mb()
 *	look for rings of the owner	look into the table: mark the ring, or take its mark away
 *
 *	who thaws			the same
 *
 *	give the place back		write the mark, as the table was
 *	smp_mb()		I	(cmpxchg: a full barrier)
 *	look for rings of the owner	look into the table again: is it as it was?
 *
 * So no ring of a frozen container is left out, whatever comes at the same time, and no mark is left behind.
 * A mark names one freeze, not only the container: who thaws takes away the marks of that freeze alone, and
 * a new one, of the same container, that comes in between keeps its own.
 *
 * Nothing here is locked against a freezer. Of two that come for one container at one time on two CPUs each
 * may take a place. That harms nothing: a ring has one mark or the other, and a container is thawed as a
 * whole. A place is given back only when it is ready, so not before its freezer has marked the last ring.
 */
#include <linux/math64.h>
#include "ring/arena.h"
#include "ring/freeze.h"
#include "compat/clock.h"
#include "compat/poll.h"

static notrace u64 mark_in_table(const struct ctrace_freezer *f, u32 key)
{
	u64 mark;
	u32 i;

	if (likely(!atomic_read(&f->taken)))
		return 0;
	for (i = 0; i < CTRACE_FROZEN_MAX; i++) {
		mark = READ_ONCE(f->table[i].mark);
		if ((u32)mark == key)
			return mark;
	}
	return 0;
}

notrace bool ctrace_arena_is_frozen(const struct ctrace_arena *a, u32 cid)
{
	return mark_in_table(&a->freezer, cid + 1);
}

/* --- freezing: any context ---------------------------------------------------------- */

/* NULL: all places are taken. */
static struct ctrace_frozen *take_place(struct ctrace_freezer *f, u64 mark)
{
	struct ctrace_frozen *e;

	for (e = f->table; e < f->table + CTRACE_FROZEN_MAX; e++)
		if (!READ_ONCE(e->mark) && !cmpxchg(&e->mark, 0, mark))		/* H */
			return e;
	return NULL;
}

static void mark_ring(struct ctrace_ring_desc *d, u64 mark)
{
	u64 was;

	do {
		was = READ_ONCE(d->frozen);
		/*
		 * The mark first, then the owner: if the ring is another's by now, the mark may be that one's
		 * own. Partner: ctrace_ring_rebind(), before that one's freeze.
		 */
		smp_rmb();
		if (was == mark || READ_ONCE(d->owner) + 1 != (u32)mark)
			return;
	} while (!ctrace_ring_freeze(d, was, mark));
}

notrace void ctrace_arena_freeze(struct ctrace_arena *a, u32 cid, u64 time, u32 id, s32 tid)
{
	struct ctrace_freezer *f = &a->freezer;
	struct ctrace_ring_desc *d = NULL;
	struct ctrace_frozen *e;
	u64 mark;
	u32 cpu;

	if (mark_in_table(f, cid + 1))
		return;		/* on this CPU the record had begun before it could see that */
	mark = (u64)(u32)atomic_inc_return(&f->numbers) << 32 | (cid + 1);
	atomic_inc(&f->taken);	/* before the mark: if none is taken, nobody looks */
	if (cid != CTRACE_CID_UNKNOWN)
		d = ctrace_arena_ring_of(a, smp_processor_id(), cid);
	e = d ? take_place(f, mark) : NULL;
	if (!e) {
		atomic_dec(&f->taken);
		atomic64_inc(&f->refused);
		return;
	}
	mark_ring(d, mark);	/* first: until here an NMI may still write there */
	e->time = time;
	e->id = id;
	e->tid = tid;
	for_each_possible_cpu(cpu) {
		d = ctrace_arena_ring_of(a, cpu, cid);
		if (d)
			mark_ring(d, mark);
	}
	smp_store_release(&e->ready, mark);	/* partner: is_ready() */
	WRITE_ONCE(f->news, 1);
	irq_work_queue(&f->irq);	/* a full barrier: if it is queued already, that run sees the news */
}

notrace void ctrace_arena_freeze_bound(struct ctrace_arena *a, struct ctrace_ring_desc *d)
{
	u32 key = d->owner + 1;
	u64 was, is;

	for (;;) {
		smp_mb();						/* H, I */
		is = mark_in_table(&a->freezer, key);
		was = READ_ONCE(d->frozen);
		if (was == is || (!is && (u32)was != key))
			return;
		ctrace_ring_freeze(d, was, is);	/* if it fails, a freezer was here: look again */
	}
}

static void freeze_irq(struct irq_work *w)
{
	/* a work that waits for the next thaw comes at once, and then waits again */
	ctrace_wake_work(&container_of(w, struct ctrace_freezer, irq)->work);
}

/* --- thawing: process context, with the arena's lock, so that a ready place stays -------- */

/* Acquire: the rest of the place was written before, and its rings were marked. */
static bool is_ready(const struct ctrace_frozen *e)
{
	u64 ready = smp_load_acquire(&e->ready);	/* partner: ctrace_arena_freeze() */

	return ready && ready == READ_ONCE(e->mark);
}

static void give_back(struct ctrace_arena *a, struct ctrace_frozen *e)
{
	u64 mark = e->mark;
	struct ctrace_ring_desc *d;
	u32 cpu;

	WRITE_ONCE(e->ready, 0);
	smp_store_release(&e->mark, 0);		/* ready is 0 before the next freezer has the place */
	smp_mb();							/* I */
	for_each_possible_cpu(cpu) {
		d = ctrace_arena_ring_of(a, cpu, (u32)mark - 1);
		if (d)
			ctrace_ring_freeze(d, mark, 0);	/* false if it has another mark, or none */
		/* a ring of a dead container may be a victim now: who found none may search again */
		WRITE_ONCE(per_cpu_ptr(a->cpu, cpu)->crowded, 0);
	}
	atomic_dec(&a->freezer.taken);
}

/* All places of one container: see the head. */
static bool thaw_container(struct ctrace_arena *a, u32 key)
{
	struct ctrace_frozen *e = a->freezer.table;
	bool was = false;

	for (; e < a->freezer.table + CTRACE_FROZEN_MAX; e++)
		if (is_ready(e) && (u32)e->mark == key) {
			give_back(a, e);
			was = true;
		}
	return was;
}

/* ns until e's time is over; 0: it is */
static u64 time_left(const struct ctrace_freezer *f, const struct ctrace_frozen *e, u64 now)
{
	s64 age = now - e->time;	/* the clock of another CPU may be a little ahead */

	return age >= (s64)f->keep ? 0 : f->keep - max_t(s64, age, 0);
}

u32 ctrace_arena_frozen_left(const struct ctrace_arena *a, const struct ctrace_frozen *e)
{
	return div_u64(time_left(&a->freezer, e, ctrace_compat_clock()), NSEC_PER_MSEC);
}

/* Is e the place that says why its container is frozen? */
static bool is_reason(const struct ctrace_freezer *f, const struct ctrace_frozen *e)
{
	const struct ctrace_frozen *o;

	if (!is_ready(e))
		return false;
	for (o = f->table; o < f->table + CTRACE_FROZEN_MAX; o++)
		if (o != e && is_ready(o) && (u32)o->mark == (u32)e->mark &&
		    (o->time < e->time || (o->time == e->time && o < e)))
			return false;
	return true;
}

/* Readers see how many there are. */
static void show_count(struct ctrace_arena *a)
{
	struct ctrace_freezer *f = &a->freezer;
	u32 i, n = 0;

	for (i = 0; i < CTRACE_FROZEN_MAX; i++)
		n += is_reason(f, &f->table[i]);
	WRITE_ONCE(f->now, n);
	WRITE_ONCE(a->dir->frozen, n);
}

static void freeze_work(struct work_struct *work)
{
	struct ctrace_arena *a = container_of(to_delayed_work(work), struct ctrace_arena, freezer.work);
	struct ctrace_freezer *f = &a->freezer;
	u64 now = ctrace_compat_clock(), left, next = U64_MAX;
	struct ctrace_frozen *e;
	bool news = xchg(&f->news, 0);	/* before the look: a later freeze has a run of its own */

	mutex_lock(&a->lock);
	for (e = f->table; e < f->table + CTRACE_FROZEN_MAX; e++)
		if (is_ready(e) && !time_left(f, e, now))
			thaw_container(a, (u32)e->mark);
	for (e = f->table; e < f->table + CTRACE_FROZEN_MAX; e++) {
		left = is_ready(e) ? time_left(f, e, now) : U64_MAX;
		next = min(next, left);
	}
	show_count(a);
	mutex_unlock(&a->lock);
	if (news)
		wake_up_interruptible_poll(&a->all.wait, EPOLLPRI);
	/* A freeze that came since begins the work once more, and at once: then this does nothing. */
	if (next != U64_MAX)
		ctrace_wake_work_later(&f->work, div_u64(next, NSEC_PER_MSEC) + 1);
}

int ctrace_arena_thaw(struct ctrace_arena *a, u32 cid)
{
	struct ctrace_freezer *f = &a->freezer;
	struct ctrace_frozen *e;
	bool was = false;

	mutex_lock(&a->lock);
	if (cid == CTRACE_CID_ALL) {
		was = true;
		for (e = f->table; e < f->table + CTRACE_FROZEN_MAX; e++)
			if (is_ready(e))
				give_back(a, e);
	} else {
		was = thaw_container(a, cid + 1);
	}
	show_count(a);
	mutex_unlock(&a->lock);
	return was ? 0 : -ENOENT;
}

bool ctrace_arena_frozen_after(struct ctrace_arena *a, u32 after, struct ctrace_frozen *to)
{
	const struct ctrace_frozen *e = a->freezer.table, *next = NULL;

	mutex_lock(&a->lock);
	for (; e < a->freezer.table + CTRACE_FROZEN_MAX; e++)
		if (is_reason(&a->freezer, e) && ctrace_frozen_number(e) > after &&
		    (!next || ctrace_frozen_number(e) < ctrace_frozen_number(next)))
			next = e;
	if (next)
		*to = *next;
	mutex_unlock(&a->lock);
	return next;
}

u32 ctrace_arena_freeze_ms(const struct ctrace_arena *a)
{
	return div_u64(a->freezer.keep, NSEC_PER_MSEC);
}

void ctrace_arena_freeze_init(struct ctrace_arena *a, u32 freeze_ms)
{
	struct ctrace_freezer *f = &a->freezer;

	f->keep = (u64)(freeze_ms ?: CTRACE_FREEZE_MS_DEFAULT) * NSEC_PER_MSEC;
	init_irq_work(&f->irq, freeze_irq);
	INIT_DELAYED_WORK(&f->work, freeze_work);
}

/* In the order in which one starts the other. */
void ctrace_arena_freeze_exit(struct ctrace_arena *a)
{
	irq_work_sync(&a->freezer.irq);
	cancel_delayed_work_sync(&a->freezer.work);
}
