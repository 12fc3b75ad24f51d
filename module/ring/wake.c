// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waking readers: once per wait, never per event, and never from the interrupt of the traced.
 *
 * A waiter arms: it sets its bit in the word that records of its rings look at. Then it looks at the heads
 * and sleeps. The first record after that finds the word set, clears it and begins a round: it queues
 * an irq_work. (A probe may run in an NMI or hold a run queue's lock, so it can do no more.) The irq_work
 * starts a timer, the timer a work item, and the work item wakes those waiters whose own heads moved: one
 * wake covers all records that came until then.
 *
 *	ring without a view	d->wake is &arena->armed: one word, which only the session's waiter sets
 *	ring with views		d->wake is &d->armed: the session's waiter and the views of this ring set it
 *
 * So a record in a ring without a view never looks at what a view's holder can set. While a round
 * is on its way, records clear their words and begin nothing, and a waiter that is armed need not arm
 * again. So there is one irq_work in each period at most, however often poll() is called.
 *
 * Rounds come at multiples of the period on the clock, not one period after the first record: when
 * a view is woken depends on its own records alone, not on those that began the round.
 *
 *	waiter				writer
 *	write the word			store head
 *	smp_mb()			(no barrier!)
 *	read heads			read the word
 *
 * Without a full barrier the writer may read the word before its head is visible, and the two
 * miss each other. Every record would pay for that barrier, so the waiter pays instead: a
 * store becomes visible in far less than a tick, so `settle` looks at the heads once more,
 * at least a whole tick after the word was set last. An idle waiter thus costs one or two such
 * looks per wait, and no wake.
 */
#include <linux/bitops.h>
#include <linux/math64.h>
#include "ring/arena.h"
#include "compat/clock.h"
#include "compat/poll.h"
#include "compat/timer.h"

/* Views are never woken at once: their holders could make every record of their container begin a round. */
#define VIEW_PERIOD_NS	1000000u

/* Unbound: a task that owns the CPU of the record must not keep a reader on another CPU asleep. */
static struct workqueue_struct *waker;

u64 ctrace_waiter_sum(const struct ctrace_waiter *w)
{
	const struct ctrace_arena *a = w->arena;
	u32 i, n = w->slots ? a->ncpus : a->ncpus * a->heads_per_cpu;
	u64 sum = 0;

	for (i = 0; i < n; i++)
		if (!w->slots || w->slots[i])
			sum += READ_ONCE(*(w->slots ? ctrace_arena_hint(a, w->slots[i]) : &a->heads[i]));
	smp_rmb();						/* C: partner in ring.h */
	return sum;
}

/* --- rounds ---------------------------------------------------------------------- */

/* Context: process, or an interrupt's: wakeups and timers are allowed. The caller has set r->on. */
static void start(struct ctrace_round *r)
{
	u64 next;

	if (!r->period) {
		queue_work(waker, &r->work);
		return;
	}
	next = (div64_u64(ktime_get_ns(), r->period) + 1) * r->period;
	hrtimer_start(&r->timer, ns_to_ktime(next), HRTIMER_MODE_ABS);
}

static void irq_fn(struct irq_work *w)
{
	start(container_of(w, struct ctrace_round, irq));
}

static enum hrtimer_restart timer_fn(struct hrtimer *t)
{
	queue_work(waker, &container_of(t, struct ctrace_round, timer)->work);
	return HRTIMER_NORESTART;
}

/* True: the caller is the one to begin it. A full barrier in any case, but where r->on is read to be 1. */
static inline bool claim_round(struct ctrace_round *r)
{
	return !READ_ONCE(r->on) && !cmpxchg(&r->on, 0, 1);
}

void ctrace_ring_wake(struct ctrace_ring_desc *d)
{
	struct ctrace_arena *a = d->arena;
	u32 *word = READ_ONCE(d->wake);		/* a view may begin or end right now */
	/* a full barrier: if r->on is 1 below, that round's look comes after our head was stored */
	u32 bits = xchg(word, 0);

	if (bits & CTRACE_WAKE_ALL && claim_round(&a->all_round))
		irq_work_queue(&a->all_round.irq);
	if (bits & CTRACE_WAKE_VIEWS && claim_round(&a->view_round))
		irq_work_queue(&a->view_round.irq);
}

/* --- waiters --------------------------------------------------------------------- */

/* True if the bit was not set. Stores only then: the word's line belongs to a writer. */
static bool set_word(u32 *word, u32 bit)
{
	u32 old;

	do {
		old = READ_ONCE(*word);
		if (old & bit)
			return false;
	} while (cmpxchg(word, old, old | bit) != old);
	return true;
}

static bool set_words(struct ctrace_waiter *w)
{
	struct ctrace_arena *a = w->arena;
	bool set = false;
	u32 i;

	if (w->slots) {
		for (i = 0; i < a->ncpus; i++)
			if (w->slots[i])
				set |= set_word(&a->rings[w->slots[i]].armed, CTRACE_WAKE_VIEWS);
		return set;
	}
	set = set_word(&a->armed, CTRACE_WAKE_ALL);
	/* partner: view_begins() in slots.c. Where this does not see the view yet, that sets the word */
	smp_mb();
	for_each_set_bit(i, a->viewed, ctrace_arena_nslots(a))
		set |= set_word(&a->rings[i].armed, CTRACE_WAKE_ALL);
	return set;
}

static void begin(struct ctrace_round *r)
{
	if (claim_round(r))
		start(r);
}

/* The words were set: look once more, when every store of before has become visible. w->lock held. */
static void settle_later(struct ctrace_waiter *w)
{
	w->arms++;
	queue_delayed_work(waker, &w->settle, 2);
}

static void settle(struct work_struct *work)
{
	struct ctrace_waiter *w = container_of(to_delayed_work(work), struct ctrace_waiter, settle);
	u64 sum = ctrace_waiter_sum(w);
	bool moved, again;

	spin_lock(&w->lock);
	moved = w->waiting && sum != w->sum;
	again = w->settled != w->arms;
	w->settled = w->arms;
	spin_unlock(&w->lock);
	if (moved)
		begin(w->round);
	else if (again)
		queue_delayed_work(waker, &w->settle, 2);
}

/* If several wait on w, w->sum is what the first one saw: the others have seen at least as much. */
void ctrace_waiter_arm(struct ctrace_waiter *w)
{
	u64 sum;

	if (!READ_ONCE(w->waiting)) {
		sum = ctrace_waiter_sum(w);	/* not under the lock: a session may have very many rings */
		spin_lock(&w->lock);
		if (!w->waiting) {
			WRITE_ONCE(w->waiting, true);
			w->sum = sum;
			set_words(w);
			settle_later(w);
		}
		spin_unlock(&w->lock);
	}
	smp_mb();	/* store the word before the caller reads heads: see the table above */
}

void ctrace_waiter_later(struct ctrace_waiter *w)
{
	spin_lock(&w->lock);
	WRITE_ONCE(w->waiting, true);
	w->due = true;
	spin_unlock(&w->lock);
	smp_mb();	/* store due before reading w->round->on; partner: round_work() */
	begin(w->round);
}

/* In a round: wakes w if its heads moved. A record that did not move a head may have cleared its words. */
static void look(struct ctrace_waiter *w)
{
	bool wake = false;
	u64 sum;

	if (!READ_ONCE(w->waiting))
		return;
	sum = ctrace_waiter_sum(w);
	spin_lock(&w->lock);
	if (w->waiting) {
		wake = w->due || sum != w->sum;
		if (wake) {
			WRITE_ONCE(w->waiting, false);
			w->due = false;
		} else if (set_words(w)) {
			settle_later(w);
		}
	}
	spin_unlock(&w->lock);
	if (wake)
		wake_up_interruptible_poll(&w->wait, EPOLLIN | EPOLLRDNORM);
}

static void each_view(struct ctrace_arena *a, void (*fn)(struct ctrace_waiter *w))
{
	struct ctrace_arena_view *v;

	mutex_lock(&a->lock);
	list_for_each_entry(v, &a->views, list) {
		fn(&v->waiter);
		cond_resched();
	}
	mutex_unlock(&a->lock);
}

static void round_work(struct work_struct *work)
{
	struct ctrace_round *r = container_of(work, struct ctrace_round, work);
	struct ctrace_arena *a = r->arena;

	WRITE_ONCE(r->on, 0);
	smp_mb();	/* then read heads: a record that is not seen below begins another round */
	if (r == &a->all_round)
		look(&a->all);
	else
		each_view(a, look);
}

static void poke(struct ctrace_waiter *w)
{
	if (READ_ONCE(w->waiting))
		ctrace_waiter_later(w);
}

void ctrace_arena_wake(struct ctrace_arena *a)
{
	poke(&a->all);
	each_view(a, poke);
}

void ctrace_wake_work(struct delayed_work *w)
{
	mod_delayed_work(waker, w, 0);
}

void ctrace_wake_work_later(struct delayed_work *w, u32 ms)
{
	queue_delayed_work(waker, w, msecs_to_jiffies(ms));
}

/* --- beginning and end ------------------------------------------------------------- */

void ctrace_waiter_init(struct ctrace_waiter *w, struct ctrace_arena *a, const u32 *slots)
{
	w->arena = a;
	w->round = slots ? &a->view_round : &a->all_round;
	w->slots = slots;
	init_waitqueue_head(&w->wait);
	spin_lock_init(&w->lock);
	INIT_DELAYED_WORK(&w->settle, settle);
}

void ctrace_waiter_exit(struct ctrace_waiter *w)
{
	/* a round that still looks at it queues settle no more */
	spin_lock(&w->lock);
	WRITE_ONCE(w->waiting, false);
	spin_unlock(&w->lock);
	cancel_delayed_work_sync(&w->settle);
}

static void round_init(struct ctrace_round *r, struct ctrace_arena *a, u64 period)
{
	r->arena = a;
	r->period = period;
	init_irq_work(&r->irq, irq_fn);
	ctrace_compat_hrtimer_setup(&r->timer, timer_fn);
	INIT_WORK(&r->work, round_work);
}

/* Stops irq_work, timer, work: the order in which each starts the next. */
static void round_exit(struct ctrace_round *r)
{
	irq_work_sync(&r->irq);
	hrtimer_cancel(&r->timer);
	cancel_work_sync(&r->work);
}

void ctrace_arena_wake_init(struct ctrace_arena *a)
{
	round_init(&a->all_round, a, a->wakeup_ns);
	round_init(&a->view_round, a, a->wakeup_ns ?: VIEW_PERIOD_NS);
	ctrace_waiter_init(&a->all, a, NULL);
}

void ctrace_arena_wake_exit(struct ctrace_arena *a)
{
	ctrace_waiter_exit(&a->all);	/* settle, which may begin a round */
	round_exit(&a->all_round);
	round_exit(&a->view_round);
}

int ctrace_wake_module_init(void)
{
	waker = alloc_workqueue("ctrace_wake", WQ_UNBOUND, 0);
	return waker ? 0 : -ENOMEM;
}

void ctrace_wake_module_exit(void)
{
	destroy_workqueue(waker);
}
