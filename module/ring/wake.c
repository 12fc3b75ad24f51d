// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waking readers: once per wait, never per event.
 *
 * A waiter arms, looks at the heads, sleeps. The first record after that finds `armed` set,
 * clears it and queues an irq_work. (A probe may run in an NMI or hold a run queue's lock, so
 * it can do no more.) The irq_work starts a timer of wakeup_ns, and the timer wakes the
 * waiter: one wake covers all records that came until then.
 *
 *	waiter				writer
 *	write armed			store head
 *	smp_mb()			(no barrier!)
 *	read heads			read armed
 *
 * Without a full barrier the writer may read armed before its head is visible, and the two
 * miss each other. Every record would pay for that barrier, so the waiter pays instead: a
 * store becomes visible in far less than a tick, so `settle` looks at the heads once more,
 * at least a whole tick after the newest arming. An idle session thus costs one or two such
 * looks per wait, and no wake.
 */
#include "ring/arena.h"
#include "compat/poll.h"
#include "compat/timer.h"

u64 ctrace_arena_heads_sum(struct ctrace_arena *a)
{
	u32 i, n = a->dir->nslots;
	u64 sum = 0;

	for (i = 0; i < n; i++)
		sum += READ_ONCE(a->heads[i]);
	smp_rmb();						/* C: partner in ring.h */
	return sum;
}

static void wake_now(struct ctrace_arena *a)
{
	wake_up_interruptible_poll(&a->wait, EPOLLIN | EPOLLRDNORM);
}

static enum hrtimer_restart wake_timer(struct hrtimer *t)
{
	wake_now(container_of(t, struct ctrace_arena, wake_timer));
	return HRTIMER_NORESTART;
}

void ctrace_arena_wake_later(struct ctrace_arena *a)
{
	if (!a->wakeup_ns)
		wake_now(a);
	else if (!hrtimer_is_queued(&a->wake_timer))
		hrtimer_start(&a->wake_timer, ns_to_ktime(a->wakeup_ns), HRTIMER_MODE_REL);
}

/* Context: an interrupt's, so wakeups and timers are allowed again. */
static void wake_work(struct irq_work *w)
{
	ctrace_arena_wake_later(container_of(w, struct ctrace_arena, wake_work));
}

void ctrace_arena_wake(struct ctrace_arena *a)
{
	if (cmpxchg(&a->armed, 1, 0) == 1)
		irq_work_queue(&a->wake_work);
}

static void settle(struct work_struct *work)
{
	struct ctrace_arena *a = container_of(to_delayed_work(work), struct ctrace_arena, settle);
	u64 sum = ctrace_arena_heads_sum(a);
	unsigned long flags;
	bool moved, again;

	raw_spin_lock_irqsave(&a->wake_lock, flags);
	moved = READ_ONCE(a->armed) && sum != a->armed_sum;
	again = a->settled != a->arms;
	a->settled = a->arms;
	raw_spin_unlock_irqrestore(&a->wake_lock, flags);
	if (moved)
		ctrace_arena_wake(a);
	else if (again)
		schedule_delayed_work(&a->settle, 2);
}

/*
 * With several waiters armed_sum is the first one's: the others have seen at
 * least as much.
 */
void ctrace_arena_arm(struct ctrace_arena *a)
{
	u64 sum = ctrace_arena_heads_sum(a);
	unsigned long flags;

	if (ctrace_arena_ended(a))
		return;
	raw_spin_lock_irqsave(&a->wake_lock, flags);
	a->arms++;
	if (!READ_ONCE(a->armed)) {
		a->armed_sum = sum;
		WRITE_ONCE(a->armed, 1);
	}
	raw_spin_unlock_irqrestore(&a->wake_lock, flags);
	smp_mb();	/* store armed before the caller reads heads: see the table above */
	schedule_delayed_work(&a->settle, 2);
}

void ctrace_arena_wake_init(struct ctrace_arena *a)
{
	init_waitqueue_head(&a->wait);
	raw_spin_lock_init(&a->wake_lock);
	init_irq_work(&a->wake_work, wake_work);
	ctrace_compat_hrtimer_setup(&a->wake_timer, wake_timer);
	INIT_DELAYED_WORK(&a->settle, settle);
}

/* Stops settle, irq_work, timer: the order in which each starts the next. */
void ctrace_arena_wake_exit(struct ctrace_arena *a)
{
	cancel_delayed_work_sync(&a->settle);
	irq_work_sync(&a->wake_work);
	hrtimer_cancel(&a->wake_timer);
}
