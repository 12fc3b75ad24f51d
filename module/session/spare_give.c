// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spared tasks get the flag back.
 *
 * A look at all threads takes milliseconds on a large machine. So it is made in process context, in batches
 * (threads.h): by the command that makes it necessary, which then returns when it is done, or by a work.
 * Where nobody may wait, one batch is looked at in place, which is all of a small machine; the work does the
 * rest. Until it has, a spared task is not seen: by our own session, if its container has just turned out to
 * be a wanted one's; by another tracer, if it begins just now.
 */
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "session/spare.h"
#include "session/spare_give.h"
#include "session/threads.h"
#include "compat/calls.h"
#include "compat/rcu.h"
#include "compat/task.h"

atomic_t ctrace_spare_holds = ATOMIC_INIT(1);
int ctrace_spare_some;
atomic_t ctrace_spare_giving;
bool ctrace_spare_active;
unsigned long ctrace_spare_from;

/* one walk at a time, and none while active changes; no lock is taken under it */
static DEFINE_MUTEX(walking);
/* Unbound: a task that owns the CPU where this became necessary must not keep flags from others. */
static struct workqueue_struct *queue;

static DEFINE_RAW_SPINLOCK(share_lock);	/* innermost; the next four */
static u64 recalls, off_ns;
static u64 off_until, started;		/* ns of CLOCK_MONOTONIC */

/* A recall began, and nobody is spared until then. */
static void count_time(u64 began, u64 until)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&share_lock, flags);
	recalls++;
	if (until > off_until) {
		off_ns += until - max(began, off_until);
		off_until = until;
	}
	raw_spin_unlock_irqrestore(&share_lock, flags);
}

void ctrace_spare_share(u64 *n, u64 *off, u64 *ns)
{
	u64 now = ktime_get_ns();
	unsigned long flags;

	raw_spin_lock_irqsave(&share_lock, flags);
	*n = recalls;
	*off = off_ns - (off_until > now ? min(off_until - now, off_ns) : 0);
	*ns = now - started;
	raw_spin_unlock_irqrestore(&share_lock, flags);
}

/* --- giving --------------------------------------------------------------------- */

void ctrace_spare_give(struct task_struct *p)
{
	if (!ctrace_compat_calls_shown(p))
		ctrace_compat_calls_show(p);
}

static void give(struct task_struct *t, void *arg)
{
	ctrace_spare_give(t);
}

/* May flags have to be given back? After a full barrier, which follows the change that makes it necessary. */
static bool due(void)
{
	if (READ_ONCE(ctrace_spare_some))
		return true;
	smp_rmb();	/* partner: atomic_inc_return() in begin() */
	/* one that may have begun before the change: then each gives all */
	if (atomic_read(&ctrace_spare_giving))
		return true;
	/* one that did not reach all has said so before it ended; partner: ctrace_spare_recall_now() */
	smp_rmb();
	return READ_ONCE(ctrace_spare_some);
}

static void begin(void)
{
	/* a full barrier: who sees some == false also sees this, or that it is done */
	atomic_inc_return(&ctrace_spare_giving);
	WRITE_ONCE(ctrace_spare_some, 0);
	smp_mb();	/* before the flags; partner: ctrace_spare_now() */
}

static void end(u64 began)
{
	u64 now = ktime_get_ns(), rest = usecs_to_jiffies((now - began) / 10);	/* a hundred times as long */

	rest = max_t(u64, rest, HZ / 10);
	WRITE_ONCE(ctrace_spare_from, jiffies + rest);
	count_time(began, now + rest * (NSEC_PER_SEC / HZ));
	/* a full barrier: who sees that it is over also sees all flags; partner: probe_fork() */
	atomic_dec_return(&ctrace_spare_giving);
}

void ctrace_spare_recall(void)
{
	u64 began;

	if (!due())
		return;
	mutex_lock(&walking);
	/* if a walk has ended just now, nobody may be spared any more who was when it began */
	if (READ_ONCE(ctrace_spare_active) && due()) {
		began = ktime_get_ns();
		begin();
		ctrace_threads_all(NULL, give, NULL);
		end(began);
	}
	mutex_unlock(&walking);
}

static void recall_work(struct work_struct *w)
{
	smp_mb();	/* after the change; partner: ctrace_spare_now() */
	ctrace_spare_recall();
}
static DECLARE_WORK(recall, recall_work);

static void pass_on(struct irq_work *w)
{
	queue_work(queue, &recall);
}
static struct irq_work kick;

void ctrace_spare_recall_soon(void)
{
	/* not active: the queue may have gone */
	if (READ_ONCE(ctrace_spare_active) && due())
		irq_work_queue(&kick);
}

void ctrace_spare_recall_now(void)
{
	struct ctrace_threads w = { };
	bool whole = true;
	u64 began;

	if (!due())
		return;
	rcu_read_lock();
	if (READ_ONCE(ctrace_spare_active)) {
		began = ktime_get_ns();
		begin();
		whole = ctrace_threads_some(&w, CTRACE_THREADS_BATCH, give, NULL);
		if (whole) {
			end(began);
		} else {
			/* as if nothing had been given; before giving, which due() reads after it */
			WRITE_ONCE(ctrace_spare_some, 1);
			atomic_dec_return(&ctrace_spare_giving);
		}
	}
	rcu_read_unlock();
	if (!whole)
		ctrace_spare_recall_soon();
}

/* --- holds ---------------------------------------------------------------------- */

void ctrace_spare_hold(void)
{
	atomic_inc_return(&ctrace_spare_holds);	/* a full barrier; partner: ctrace_spare_now() */
	ctrace_spare_recall();
}

void ctrace_spare_hold_now(void)
{
	atomic_inc_return(&ctrace_spare_holds);	/* likewise */
	ctrace_spare_recall_now();
}

/* --- life ----------------------------------------------------------------------- */

void ctrace_spare_give_start(void)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&share_lock, flags);
	recalls = 0;
	off_ns = 0;
	started = ktime_get_ns();
	off_until = started;
	raw_spin_unlock_irqrestore(&share_lock, flags);
	WRITE_ONCE(ctrace_spare_from, jiffies + HZ / 10);
	WRITE_ONCE(ctrace_spare_active, true);
}

void ctrace_spare_give_stop(void)
{
	mutex_lock(&walking);
	WRITE_ONCE(ctrace_spare_active, false);
	mutex_unlock(&walking);
	ctrace_compat_synchronize();	/* for those that give in place */
}

int ctrace_spare_give_init(void)
{
	queue = alloc_workqueue("ctrace_spare", WQ_UNBOUND | WQ_HIGHPRI, 0);
	if (!queue)
		return -ENOMEM;
	init_irq_work(&kick, pass_on);
	return 0;
}

void ctrace_spare_give_exit(void)
{
	irq_work_sync(&kick);
	destroy_workqueue(queue);	/* runs what is queued first */
}
