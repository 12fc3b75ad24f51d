// SPDX-License-Identifier: GPL-2.0-only
/* poll() of descriptors that show records. */
#include <linux/math64.h>
#include "api/dev.h"
#include "compat/clock.h"

/* Is now in the same period as then, on the clock? The waiter's rounds come at the periods' ends. */
static bool same_period(const struct ctrace_waiter *w, u64 then, u64 now)
{
	u64 period = ctrace_waiter_period(w);

	return period && div64_u64(then, period) == div64_u64(now, period);
}

/*
 * Does poll() say POLLIN to a reader that maps? The kernel does not know its cursors, so the question is
 * whether any head moved since this descriptor last got POLLIN. Then the reader must look at its rings before
 * it polls again.
 *
 * A caller that is ready to sleep passes a queueing function: poll() before it sleeps, and epoll
 * when a descriptor is added (EPOLL_CTL_ADD). epoll drops the mask of that answer, and asks
 * again, without one, before epoll_wait() returns. So a "yes" to a queueing caller is repeated
 * once to the next caller that does not queue.
 *
 * While records stream, each look finds some: a polling reader would never sleep, and would
 * compete with what it traces. So a queueing caller that got POLLIN in this period already is made to sleep
 * until it ends. Other callers get the plain truth.
 *
 *	heads moved	caller		POLLIN before	answer	then again =
 *	no		queues		any			no	false
 *	no		does not	any			again	false
 *	yes		queues		no			yes	true
 *	yes		queues		yes, not ended		later	unchanged
 *	yes		does not	any			yes	false
 *
 * "later" is "no" now, and wakes the caller at the period's end.
 *
 * One poller per descriptor: if there are several, only one of them gets POLLIN.
 */
static bool moved_since_told(struct ctrace_file *f, struct ctrace_arena *a, bool queueing)
{
	u64 sum = ctrace_waiter_sum(f->waiter), now = ktime_get_ns();
	bool tell, later;

	spin_lock(&f->poll_lock);
	tell = sum != f->reported || (!queueing && f->again);
	later = tell && queueing && f->told_at && same_period(f->waiter, f->told_at, now) &&
		!ctrace_arena_ended(a);
	if (!later) {
		f->again = queueing && sum != f->reported;
		f->reported = sum;
		if (tell)
			f->told_at = now;
	}
	spin_unlock(&f->poll_lock);
	if (later)
		ctrace_waiter_later(f->waiter);
	return tell && !later;
}

__poll_t ctrace_file_poll(struct file *file, poll_table *wait)
{
	struct ctrace_file *f = file->private_data;
	struct ctrace_arena *a = smp_load_acquire(&f->arena);	/* partner: dev_bind() */
	struct ctrace_file_ring *rings;
	__poll_t mask = 0;
	bool in;

	if (!a && !f->is_view)
		return EPOLLERR;
	/*
	 * may allocate, so not in ctrace_file_enter(); the queue is the file's, or its arena's, which it
	 * holds
	 */
	poll_wait(file, &f->waiter->wait, wait);
	a = ctrace_file_enter(f);
	if (!a)
		return EPOLLHUP;
	/* before looking for records: a caller that sees the end sees the last records, too */
	if (ctrace_arena_ended(a))
		mask = EPOLLHUP;
	else
		ctrace_waiter_arm(f->waiter);
	rings = smp_load_acquire(&f->rings);	/* partner: set_up() in dev_read.c */
	in = rings ? ctrace_file_readable(f, a, rings) :
		     moved_since_told(f, a, wait && wait->_qproc);
	/* not of a view: its rings show whether they are frozen, and others are no affair of its holder */
	if (!f->is_view && READ_ONCE(a->freezer.now))
		mask |= EPOLLPRI;
	ctrace_file_leave();
	return in ? mask | EPOLLIN | EPOLLRDNORM : mask;
}
