// SPDX-License-Identifier: GPL-2.0-only
#include <linux/atomic.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/vmalloc.h>
#include "session/tasks.h"
#include "session/session.h"
#include "compat/hash.h"
#include "compat/rcu.h"
#include "compat/task.h"
#include "compat/tracepoint.h"

/*
 * Open addressing with a bounded window: a probe looks at no more than WINDOW entries. An entry's
 * task goes NULL -> p -> GONE -> q -> ... and never back to NULL, so a look-up may stop at the first
 * NULL. Only p's fork or the adding of a target inserts p; only the freeing of p takes it out.
 */
#define BITS	14
#define WINDOW	64
#define GONE	((struct task_struct *)1)

struct entry {
	struct task_struct *task;
	u32 mask;
};

static struct entry *table;	/* made before the first pid target, freed at module exit */

static struct entry *slot(const struct task_struct *p, u32 i)
{
	return &table[(ctrace_hash_ptr(p, BITS) + i) & (BIT(BITS) - 1)];
}

static struct entry *find(const struct task_struct *p)
{
	struct task_struct *t;
	u32 i;

	for (i = 0; i < WINDOW; i++) {
		/* Acquire: pairs with insert()'s cmpxchg, for mask. */
		t = smp_load_acquire(&slot(p, i)->task);
		if (t == p)
			return slot(p, i);
		if (!t)
			break;
	}
	return NULL;
}

static bool insert(struct task_struct *p, u32 mask)
{
	struct entry *e = find(p);
	struct task_struct *t;
	u32 i;

	for (i = 0; !e && i < WINDOW; i++) {
		t = READ_ONCE(slot(p, i)->task);
		if (t && t != GONE)
			continue;
		/*
		 * Claim the entry, then set the mask, which its last user left 0. No look-up
		 * needs it earlier: p has not run yet, or its target is being added.
		 */
		if (cmpxchg(&slot(p, i)->task, t, p) == t)
			e = slot(p, i);
	}
	if (!e)
		return false;
	while (((i = READ_ONCE(e->mask)) & mask) != mask)
		cmpxchg(&e->mask, i, i | mask);
	return true;
}

u32 ctrace_tasks_mask(const struct task_struct *p)
{
	struct entry *e = find(p);

	return e ? READ_ONCE(e->mask) : 0;
}

static void probe_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	u32 mask = ctrace_tasks_mask(parent);

	if (!mask || insert(child, mask))
		return;
	ctrace_compat_probe_begin();
	ctrace_session_unfollowed(mask);
	ctrace_compat_probe_end();
}

/* Runs from the RCU callback that is about to free p. */
static void probe_free(void *data, struct task_struct *p)
{
	struct entry *e = find(p);

	if (e) {
		WRITE_ONCE(e->mask, 0);
		smp_store_release(&e->task, GONE);	/* insert() finds mask 0 */
	}
}

int ctrace_tasks_start(void)
{
	int err;

	if (table)
		return 0;
	table = vzalloc(sizeof(*table) << BITS);
	if (!table)
		return -ENOMEM;
	/* Last: the event sched_process_free still asks whose task p is. */
	err = ctrace_compat_tracepoint_register_last("sched_process_free", probe_free);
	if (err)
		goto free_table;
	err = ctrace_compat_tracepoint_register("sched_process_fork", probe_fork, NULL);
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
	vfree(table);
	table = NULL;
	return err;
}

int ctrace_tasks_add_group(struct task_struct *leader, u32 bit)
{
	struct task_struct *t;
	bool again, full = false;

	/*
	 * A thread not yet added may start another behind this walk; probe_fork() follows the
	 * children of one that was added. So walk until a walk adds none.
	 */
	do {
		again = false;
		rcu_read_lock();
		ctrace_compat_for_each_thread(leader, t) {
			if (ctrace_tasks_mask(t) & bit)
				continue;
			if (insert(t, bit))
				again = true;
			else
				full = true;
		}
		rcu_read_unlock();
	} while (again);
	return full ? -ENOSPC : 0;
}

void ctrace_tasks_del_session(u32 bit)
{
	u32 i, m;

	for (i = 0; table && i < BIT(BITS); i++)
		while ((m = READ_ONCE(table[i].mask)) & bit)
			cmpxchg(&table[i].mask, m, m & ~bit);
}

void ctrace_tasks_exit(void)
{
	if (!table)
		return;
	ctrace_compat_tracepoint_unregister("sched_process_fork", probe_fork, NULL);
	ctrace_compat_tracepoint_unregister_last("sched_process_free", probe_free);
	ctrace_compat_tracepoint_sync();
	vfree(table);
	table = NULL;
}
