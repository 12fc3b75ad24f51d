// SPDX-License-Identifier: GPL-2.0-only
/*
 * The works of identity: they keep the pools full, announce, find the dead, and free them.
 *
 * Two works run on a queue of their own: `refill` keeps the pools full; `reap` announces, finds the
 * dead, and frees them. Until ctrace_gc_exit(), only reap removes anything.
 *
 * reap waits for no command: the watchers' told() and forget() do not take ctrace_lock. It does take
 * refresh_mutex (in ctrace_identity_refresh()). So no function here but ctrace_gc_stop() waits for it, and
 * that is called without that lock.
 */
#include <linux/rculist.h>
#include <linux/workqueue.h>
#include "identity/gc.h"
#include "identity/hierarchy.h"
#include "identity/identity_internal.h"
#include "identity/learn.h"
#include "identity/parts.h"
#include "identity/rules.h"
#include "compat/cgroup_event.h"
#include "compat/clock.h"
#include "compat/pidns.h"
#include "compat/rcu.h"

/* A dead container stays resolvable for at least this long, for the last events of its last process. */
#define STRAGGLERS_NS	(2 * NSEC_PER_SEC)
#define QUICK		msecs_to_jiffies(50)	/* while something is dying */
#define SLOW		msecs_to_jiffies(1000)

static LIST_HEAD(swept);		/* in no table any more, may be referenced. Only reap uses it */
static struct workqueue_struct *queue;
/* jiffies: when reap next looks for the dead. reap may overwrite a kick's earlier time: SLOW late at most */
static unsigned long next_look;
static bool stopping = true;		/* also before the start */

static void refill_work(struct work_struct *work);
static void reap_work(struct work_struct *work);
static DECLARE_WORK(refill, refill_work);
static DECLARE_DELAYED_WORK(reap, reap_work);

void ctrace_gc_kicked(bool news)
{
	if (READ_ONCE(stopping))
		return;
	queue_work(queue, &refill);
	if (news) {
		mod_delayed_work(queue, &reap, 0);
	} else if (time_after(READ_ONCE(next_look), jiffies + QUICK)) {
		WRITE_ONCE(next_look, jiffies + QUICK);
		mod_delayed_work(queue, &reap, QUICK);
	}
}

static void refill_work(struct work_struct *work)
{
	ctrace_container_refill();
	if (ctrace_lfpool_low(&ctrace_rules.nodes))
		ctrace_lfpool_refill(&ctrace_rules.nodes);
}

static bool ns_empty(const struct ctrace_container *c)
{
	return !c->ns || ctrace_compat_pidns_empty(c->ns);
}

/*
 * Marks the dead, and sets dying on those of them that no event can come from any more. Returns true if
 * any was found, or a part ends: then sweep() has work. *dying: some container is dead or about to be,
 * so look again soon.
 */
static bool look(bool *dying)
{
	struct ctrace_container *c;
	u64 now = ctrace_compat_clock();
	bool found = ctrace_parts_end();
	unsigned long flags;

	*dying = false;
	rcu_read_lock();
	list_for_each_entry_rcu(c, &ctrace_container_list, list) {
		ctrace_ident_lock(&flags);
		if (!c->gone && c->ns && ns_empty(c))
			ctrace_container_gone(c);
		if (c->gone) {
			*dying = true;
			if (!c->dying && !c->live_keys && ns_empty(c) &&
			    now - c->gone > STRAGGLERS_NS) {
				c->dying = 1;
				ctrace_parts_end_of(c);
				found = true;
			}
		} else if (c->ns && ctrace_compat_pidns_closed(c->ns)) {
			*dying = true;
		}
		ctrace_ident_unlock(flags);
	}
	rcu_read_unlock();
	return found;
}

struct sweep {
	bool flush;	/* too many nodes are in use: drop all aliases, they come back when needed */
	u32 gen;
};

/* Drops nodes of boundaries, namespaces and parts: those of the dying, and tombstones. */
static bool drop_known(struct ctrace_lfnode *n, void *arg)
{
	struct ctrace_container *c = ctrace_lfnode_get(n);

	return !c || c->dying;
}

static bool drop_alias(struct ctrace_lfnode *n, void *arg)
{
	const struct sweep *s = arg;
	struct ctrace_container *c = ctrace_lfnode_get(n);

	return s->flush || c->dying || n->gen != s->gen || ctrace_compat_pidns_empty(n->p);
}

/* First step: takes out the parts that end, and finds their heirs. After it these parts cannot be found any more. */
static void gather(struct list_head *ending)
{
	struct ctrace_container *part;
	unsigned long flags;

	ctrace_ident_lock(&flags);
	ctrace_parts_gather(ending);
	list_for_each_entry(part, ending, list)
		part->heir = ctrace_rules_heir(&ctrace_rules, part);
	ctrace_ident_unlock(flags);
	/*
	 * A container dies long after its last task, but a part may end with tasks in it. A probe that
	 * found the part before may still note it down (ctrace_identity_note_exit()): wait for it.
	 */
	if (!list_empty(ending))
		ctrace_compat_synchronize();
}

static void sweep(bool flush)
{
	struct sweep s = { .flush = flush, .gen = READ_ONCE(ctrace_rules.gen) };
	struct ctrace_lfnode *b, *n, *a, *p;
	struct ctrace_container *c, *next;
	unsigned long flags;
	LIST_HEAD(ending);

	gather(&ending);

	/* Stop: dying is set, so no new node points to the dying. Unregister: */
	a = ctrace_lftable_sweep(&ctrace_rules.aliases, drop_alias, &s);
	n = ctrace_lftable_sweep(&ctrace_rules.namespaces, drop_known, NULL);
	/*
	 * Under ident_lock, because a node may be about to get a container: know_boundary() pushes a
	 * node before it sets the container, and ctrace_learn_part() may give the node of an ending
	 * part to a new part.
	 */
	ctrace_ident_lock(&flags);
	b = ctrace_lftable_sweep(&ctrace_rules.boundaries, drop_known, NULL);
	p = ctrace_lftable_sweep(&ctrace_rules.parts, drop_known, NULL);
	list_for_each_entry_safe(c, next, &ctrace_container_list, list)
		if (c->dying) {
			list_del_rcu(&c->list);
			list_add_tail(&c->queue, &swept);
		}
	ctrace_ident_unlock(flags);
	ctrace_container_forget();
	ctrace_identity_forget_dying();

	ctrace_compat_synchronize();

	ctrace_learn_free(&ctrace_rules, a);
	ctrace_learn_free(&ctrace_rules, n);
	ctrace_learn_free(&ctrace_rules, b);
	ctrace_learn_free(&ctrace_rules, p);
	ctrace_parts_part_with(&ending, &swept);
}

/* Frees the swept containers that have no reference left. They were swept before a grace period. */
static void free_swept(void)
{
	struct ctrace_container *c, *next;

	list_for_each_entry_safe(c, next, &swept, queue) {
		if (atomic_read(&c->refs))
			continue;
		list_del(&c->queue);
		ctrace_container_free(c);
	}
}

static void reap_work(struct work_struct *work)
{
	bool dying, found, flush;
	long wait;

	ctrace_container_announce();
	/* Births come in crowds: walk the list at most 20 times a second. */
	if (time_after_eq(jiffies, READ_ONCE(next_look))) {
		ctrace_compat_cgroup_event_check();
		ctrace_identity_refresh();
		found = look(&dying);
		WRITE_ONCE(next_look, jiffies + (dying ? QUICK : SLOW));
		ctrace_container_announce();
		flush = (unsigned int)atomic_read(&ctrace_rules.nodes.nr_taken) >
			8 * ctrace_rules.nodes.want;
		if (found || flush)
			sweep(flush);
		if (!list_empty(&swept))
			free_swept();
	}
	wait = (long)(READ_ONCE(next_look) - jiffies);
	if (!READ_ONCE(stopping))
		queue_delayed_work(queue, &reap, max(wait, 1L));
}

/* --- life ------------------------------------------------------------------- */

int ctrace_gc_init(void)
{
	queue = alloc_workqueue("ctrace", WQ_HIGHPRI | WQ_UNBOUND, 0);
	return queue ? 0 : -ENOMEM;
}

void ctrace_gc_start(void)
{
	next_look = jiffies;
	WRITE_ONCE(stopping, false);
	queue_delayed_work(queue, &reap, SLOW);
}

void ctrace_gc_stop(void)
{
	WRITE_ONCE(stopping, true);
	ctrace_container_kick_sync();
	cancel_delayed_work_sync(&reap);
	cancel_work_sync(&refill);
}

void ctrace_gc_exit(void)
{
	struct ctrace_container *c, *next;

	/*
	 * Sessions that ended after ctrace_gc_stop() may have kicked. ctrace_gc_kicked() does nothing
	 * then, but may still run.
	 */
	ctrace_container_kick_sync();
	list_for_each_entry_safe(c, next, &ctrace_container_list, list) {
		list_del(&c->list);
		list_add_tail(&c->queue, &swept);
	}
	ctrace_parts_exit(&swept);
	list_for_each_entry_safe(c, next, &swept, queue) {
		WARN_ON(atomic_read(&c->refs));	/* the holder of one would use freed memory */
		list_del(&c->queue);
		ctrace_container_free(c);
	}
	destroy_workqueue(queue);
}
