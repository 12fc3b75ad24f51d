// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bitops.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include "session/tasks.h"
#include "session/followed.h"
#include "session/session.h"
#include "compat/rcu.h"
#include "compat/task.h"
#include "compat/tracepoint.h"

/*
 * Only p's fork or the adding of a target puts p into the set; only the freeing of p, or the end of its last
 * target, takes it out. Forks are rare, and only forks of followed tasks come to the lock. Whatever they read
 * of the parent they hand on under the lock, so it does not matter that some kernels call follow_fork() with
 * preemption on.
 *
 * A target goes in two steps. ctrace_tasks_target_del() takes its session away: no fork hands it on from then
 * on. Then the caller waits for look-ups that have read a mask with that session, and ctrace_tasks_sweep()
 * takes the target out of each entry. After that its number is free. A task that no target follows leaves the
 * set, so after the last target the set is empty.
 */
/* its tables: made before the first pid target, freed at module exit */
static struct ctrace_followed_set set;
/* all changes of set; interrupts off, as the kernel frees tasks in softirqs */
static DEFINE_RAW_SPINLOCK(set_lock);
static bool swept = true;	/* no target has gone since the last sweep; ctrace_lock */

u32 ctrace_tasks_mask(const struct task_struct *p)
{
	return ctrace_followed_mask(&set, p);
}

static bool followed(const struct task_struct *p)
{
	return ctrace_followed_find(&set, p) != CTRACE_FOLLOWED_NONE;
}

/*
 * The child is on its process's list of threads already, so ctrace_tasks_add_group() may add it at the same
 * time.
 */
static void follow_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	unsigned long flags;
	u32 i, mask = 0;

	if (!followed(parent))
		return;
	raw_spin_lock_irqsave(&set_lock, flags);
	i = ctrace_followed_find(&set, parent);
	if (i != CTRACE_FOLLOWED_NONE && ctrace_followed_add(&set, child, &set.led[i]) < 0)
		mask = set.table[i].mask;
	raw_spin_unlock_irqrestore(&set_lock, flags);
	if (!mask)
		return;
	ctrace_compat_probe_begin();
	ctrace_session_unfollowed_tasks(mask);
	ctrace_compat_probe_end();
}

/* Runs from the RCU callback that is about to free p. Nothing adds p any more. */
static void probe_free(void *data, struct task_struct *p)
{
	unsigned long flags;
	u32 i;

	if (!followed(p))
		return;
	raw_spin_lock_irqsave(&set_lock, flags);
	i = ctrace_followed_find(&set, p);	/* a sweep may have been first */
	if (i != CTRACE_FOLLOWED_NONE)
		ctrace_followed_remove(&set, i);
	raw_spin_unlock_irqrestore(&set_lock, flags);
}

static void free_tables(void)
{
	vfree(set.led);
	vfree(set.table);
	set.led = NULL;
	set.table = NULL;
}

int ctrace_tasks_start(void)
{
	int err;

	if (set.table)
		return 0;
	/* charged to no session: all share them, until the module goes */
	set.table = vzalloc(sizeof(*set.table) * CTRACE_FOLLOWED_MAX);
	set.led = vzalloc(sizeof(*set.led) * CTRACE_FOLLOWED_MAX);
	if (!set.table || !set.led) {
		err = -ENOMEM;
		goto free_table;
	}
	/* Last: the event sched_process_free still asks whose task p is. */
	err = ctrace_compat_tracepoint_register_last("sched_process_free", probe_free);
	if (err)
		goto free_table;
	err = ctrace_compat_tracepoint_register("sched_process_fork", follow_fork, NULL);
	if (err)
		goto unregister_free;
	/*
	 * A probe that sees a bit in ctrace_pid_sessions must see the table too. The bit is set
	 * after this, when all probes that may not see the table have ended.
	 */
	ctrace_compat_synchronize();
	return 0;

unregister_free:
	ctrace_compat_tracepoint_unregister_last("sched_process_free", probe_free);
	ctrace_compat_tracepoint_sync();
free_table:
	free_tables();
	return err;
}

static void give_session(u32 target, u32 session)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&set_lock, flags);
	set.sessions[target] = session;
	raw_spin_unlock_irqrestore(&set_lock, flags);
}

int ctrace_tasks_target_new(u32 session)
{
	u32 n;

	for (n = 0; n < CTRACE_PID_TARGETS && set.sessions[n]; n++)
		;
	if (n == CTRACE_PID_TARGETS)
		return -ENOSPC;
	give_session(n, session);
	return n;
}

/*
 * Under RCU. A task that is alive now is not freed before RCU allows it, so probe_free() comes after this.
 * One that is not may have gone past it.
 */
static int add(struct task_struct *p, const struct ctrace_targets *by)
{
	unsigned long flags;
	int added = 0;

	raw_spin_lock_irqsave(&set_lock, flags);
	if (pid_alive(p))
		added = ctrace_followed_add(&set, p, by);
	raw_spin_unlock_irqrestore(&set_lock, flags);
	return added;
}

int ctrace_tasks_add_group(struct task_struct *leader, u32 target)
{
	struct ctrace_targets by = { };
	bool again, full = false;
	struct task_struct *t;
	int added;

	__set_bit(target, by.bits);

	/*
	 * A thread not yet added may start another behind this walk; follow_fork() follows the
	 * children of one that was added. So walk until a walk adds none.
	 */
	do {
		again = false;
		rcu_read_lock();
		ctrace_compat_for_each_thread(leader, t) {
			added = add(t, &by);
			again |= added > 0;
			full |= added < 0;
		}
		rcu_read_unlock();
	} while (again);
	return full ? -ENOSPC : 0;
}

void ctrace_tasks_target_del(u32 target)
{
	give_session(target, 0);
	swept = false;
}

void ctrace_tasks_sweep(void)
{
	unsigned long flags;
	u32 i;

	for (i = 0; !swept && set.table && i < CTRACE_FOLLOWED_MAX; i++) {
		if (!READ_ONCE(set.table[i].task))
			continue;
		raw_spin_lock_irqsave(&set_lock, flags);
		ctrace_followed_refresh(&set, i);
		raw_spin_unlock_irqrestore(&set_lock, flags);
	}
	swept = true;
}

void ctrace_tasks_exit(void)
{
	if (!set.table)
		return;
	ctrace_compat_tracepoint_unregister("sched_process_fork", follow_fork, NULL);
	ctrace_compat_tracepoint_unregister_last("sched_process_free", probe_free);
	ctrace_compat_tracepoint_sync();
	free_tables();
}
