// SPDX-License-Identifier: GPL-2.0-only
#include <linux/atomic.h>
#include <linux/bitops.h>
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
 *
 * Look-ups read mask alone: the sessions that want the task. It is made from the entry's set of pid targets,
 * which a fork hands on. update_mask() comes after each change of that set.
 *
 * A target goes in two steps. ctrace_tasks_target_del() takes its session away: forks that read
 * target_session[] from then on do not hand it on. Then the caller waits for the forks that read it before,
 * and ctrace_tasks_sweep() takes the target out of each entry. After that its number is free.
 */
#define BITS	14
#define WINDOW	64
#define GONE	((struct task_struct *)1)

struct entry {
	struct task_struct *task;
	u32 mask;
};

struct targets {
	unsigned long bits[BITS_TO_LONGS(CTRACE_PID_TARGETS)];
};

static struct entry *table;	/* made before the first pid target, freed at module exit */
static struct targets *led;	/* [i]: the targets that led to table[i].task. As long as table */
static u32 target_session[CTRACE_PID_TARGETS];	/* each target's session, as a mask; 0: none. ctrace_lock to write */
static bool swept = true;	/* no target has gone since the last sweep; ctrace_lock */

static struct targets *led_to(const struct entry *e)
{
	return &led[e - table];
}

static struct entry *slot(const struct task_struct *p, u32 i)
{
	return &table[(ctrace_hash_ptr(p, BITS) + i) & (BIT(BITS) - 1)];
}

static struct entry *find(const struct task_struct *p)
{
	struct task_struct *t;
	u32 i;

	for (i = 0; i < WINDOW; i++) {
		/* Acquire: pairs with insert()'s cmpxchg, for mask and led. */
		t = smp_load_acquire(&slot(p, i)->task);
		if (t == p)
			return slot(p, i);
		if (!t)
			break;
	}
	return NULL;
}

static u32 sessions_of(const struct targets *by)
{
	u32 mask = 0, n;

	for_each_set_bit(n, by->bits, CTRACE_PID_TARGETS)
		mask |= READ_ONCE(target_session[n]);
	return mask;
}

/*
 * Two may do this at once for one entry. Each looks at the targets again after it wrote the mask (cmpxchg is
 * a full barrier), so the last one to write has seen all that were set or cleared before.
 */
static void update_mask(struct entry *e)
{
	const struct targets *by = led_to(e);
	u32 was, mask;

	do {
		was = READ_ONCE(e->mask);
		mask = sessions_of(by);
	} while (cmpxchg(&e->mask, was, mask) != was || sessions_of(by) != mask);
}

/* Follows p for those of the targets that still have a session. False: no room. */
static bool insert(struct task_struct *p, const struct targets *by)
{
	struct entry *e = find(p);
	struct task_struct *t;
	u32 i;

	for (i = 0; !e && i < WINDOW; i++) {
		t = READ_ONCE(slot(p, i)->task);
		if (t && t != GONE)
			continue;
		/*
		 * Claim the entry, then set its targets. The entry's last user has cleared its own. No
		 * look-up needs them earlier: p has not run yet, or its target is being added.
		 */
		if (cmpxchg(&slot(p, i)->task, t, p) == t)
			e = slot(p, i);
	}
	if (!e)
		return false;
	for_each_set_bit(i, by->bits, CTRACE_PID_TARGETS)
		if (READ_ONCE(target_session[i]))
			set_bit(i, led_to(e)->bits);
	update_mask(e);
	return true;
}

u32 ctrace_tasks_mask(const struct task_struct *p)
{
	struct entry *e = find(p);

	return e ? READ_ONCE(e->mask) : 0;
}

static void probe_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	const struct entry *e = find(parent);
	u32 mask = e ? READ_ONCE(e->mask) : 0;

	if (!mask || insert(child, led_to(e)))
		return;
	ctrace_compat_probe_begin();
	ctrace_session_unfollowed_tasks(mask);
	ctrace_compat_probe_end();
}

/* Runs from the RCU callback that is about to free p. */
static void probe_free(void *data, struct task_struct *p)
{
	struct entry *e = find(p);

	u32 i;

	if (!e)
		return;
	for_each_set_bit(i, led_to(e)->bits, CTRACE_PID_TARGETS)
		clear_bit(i, led_to(e)->bits);
	update_mask(e);
	smp_store_release(&e->task, GONE);	/* insert() finds no targets */
}

static void free_tables(void)
{
	vfree(led);
	vfree(table);
	led = NULL;
	table = NULL;
}

int ctrace_tasks_start(void)
{
	int err;

	if (table)
		return 0;
	table = vzalloc(sizeof(*table) << BITS);
	led = vzalloc(sizeof(*led) << BITS);
	if (!table || !led) {
		err = -ENOMEM;
		goto free_table;
	}
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
	free_tables();
	return err;
}

int ctrace_tasks_target_new(u32 session)
{
	u32 n;

	for (n = 0; n < CTRACE_PID_TARGETS && target_session[n]; n++)
		;
	if (n == CTRACE_PID_TARGETS)
		return -ENOSPC;
	WRITE_ONCE(target_session[n], session);
	return n;
}

int ctrace_tasks_add_group(struct task_struct *leader, u32 target)
{
	struct targets by = { };
	struct task_struct *t;
	struct entry *e;
	bool again, full = false;

	__set_bit(target, by.bits);

	/*
	 * A thread not yet added may start another behind this walk; probe_fork() follows the
	 * children of one that was added. So walk until a walk adds none.
	 */
	do {
		again = false;
		rcu_read_lock();
		ctrace_compat_for_each_thread(leader, t) {
			e = find(t);
			if (e && test_bit(target, led_to(e)->bits))
				continue;
			if (insert(t, &by))
				again = true;
			else
				full = true;
		}
		rcu_read_unlock();
	} while (again);
	return full ? -ENOSPC : 0;
}

void ctrace_tasks_target_del(u32 target)
{
	WRITE_ONCE(target_session[target], 0);
	swept = false;
}

void ctrace_tasks_sweep(void)
{
	struct entry *e;
	bool changed;
	u32 n;

	for (e = table; !swept && e < table + BIT(BITS); e++) {
		changed = false;
		for_each_set_bit(n, led_to(e)->bits, CTRACE_PID_TARGETS) {
			if (target_session[n])
				continue;
			clear_bit(n, led_to(e)->bits);
			changed = true;
		}
		if (changed)
			update_mask(e);
	}
	swept = true;
}

void ctrace_tasks_exit(void)
{
	if (!table)
		return;
	ctrace_compat_tracepoint_unregister("sched_process_fork", probe_fork, NULL);
	ctrace_compat_tracepoint_unregister_last("sched_process_free", probe_free);
	ctrace_compat_tracepoint_sync();
	free_tables();
}
