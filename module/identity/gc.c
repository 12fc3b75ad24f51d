// SPDX-License-Identifier: GPL-2.0-only
/*
 * The works of identity: they keep the pools full, announce, find the dead, and free them.
 *
 * Two works run on a queue of their own: `refill` keeps the pools full; `reap` announces, finds the
 * dead, and frees them. Until ctrace_gc_exit(), only reap removes anything.
 *
 * The time that this takes depends on how many have died, not on all containers. ident_lock is held for SLICE
 *  of them at a time, because it keeps interrupts off. The dead are found in two ways:
 *  - events: each death, and each that may be one, makes its container a suspect (container.h);
 *  - the slow walk: each look also passes by the next WALK containers, without a lock. It finds those whose
 *    event was missed (in an NMI, or under ident_lock), and those that live in another container's pid
 *    namespace, which is found by its owner alone.
 *
 * reap waits for no command: the watchers' told() and forget() do not take ctrace_lock. It does take
 * refresh_mutex (in ctrace_identity_refresh()). So no function here but ctrace_gc_stop() waits for it, and
 * that is called without that lock.
 */
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/workqueue.h>
#include "identity/cids.h"
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
#define AGAIN		msecs_to_jiffies(5000)	/* until places that were refused a container may ask again */
#define SLICE		16u		/* containers, or nodes, looked at with interrupts off */
#define WALK		4096u		/* containers that one look passes by */
#define ALIASES		131072u		/* places remembered; more are dropped, and come back when needed */

/* dead, waiting for STRAGGLERS_NS to pass, the first first: by ->list. Only reap uses it, under ident_lock */
static LIST_HEAD(waiting);
/* in no table any more, may be referenced: by ->queue. Only reap uses it */
static LIST_HEAD(swept);
static u32 walked;			/* the slow walk's last cid. Only reap uses it */
static struct workqueue_struct *queue;
/* jiffies: when reap next looks for the dead. reap may overwrite a kick's earlier time: SLOW late at most */
static unsigned long next_look;
/* jiffies: when these places were last let ask again. Only reap uses it */
static unsigned long asked;
static unsigned long not_before;	/* jiffies: sweeps took long, so reap rests until then */
static bool stopping = true;		/* also before the start */
static unsigned long next_beat;		/* jiffies. Only reap uses it */

static void refill_work(struct work_struct *work);
static void reap_work(struct work_struct *work);
static DECLARE_WORK(refill, refill_work);
static DECLARE_DELAYED_WORK(reap, reap_work);

static unsigned long soon(void)
{
	unsigned long at = jiffies + QUICK, rested = READ_ONCE(not_before);

	return time_after(rested, at) ? rested : at;
}

void ctrace_gc_kicked(bool news)
{
	if (READ_ONCE(stopping))
		return;
	queue_work(queue, &refill);
	if (news) {
		mod_delayed_work(queue, &reap, 0);
	} else if (time_after(READ_ONCE(next_look), soon())) {
		WRITE_ONCE(next_look, soon());
		mod_delayed_work(queue, &reap, QUICK);
	}
}

static void refill_work(struct work_struct *work)
{
	ctrace_container_refill();
	if (ctrace_lfpool_low(&ctrace_rules.nodes))
		ctrace_lfpool_refill(&ctrace_rules.nodes);
}

/* --- who is dead ------------------------------------------------------------- */

static bool ns_real(const struct ctrace_container *c)
{
	const void *ns = READ_ONCE(c->ns);

	return ns && ns != CTRACE_NS_PAST;
}

static bool ns_empty(const struct ctrace_container *c)
{
	return !ns_real(c) || ctrace_compat_pidns_empty(c->ns);
}

/* What one look found. Each list is in use for that look alone. */
struct found {
	struct list_head again;		/* suspects that still live: by ->list */
	struct list_head emptied;	/* whose pid namespaces have just become empty: by ->queue */
	struct list_head dying;		/* those that no event can come from any more: by ->list */
	bool ending;			/* a container is about to die, so look again soon */
};

/* ident_lock held. Only reap frees containers: they stay. */
static void look_at(struct ctrace_container *c, struct found *f)
{
	bool empty = ns_empty(c);

	if (empty && ns_real(c)) {
		ctrace_container_gone(c);
		list_add_tail(&c->queue, &f->emptied);
	}
	if (!c->gone) {
		list_move_tail(&c->list, &f->again);
		f->ending |= ns_real(c) && ctrace_compat_pidns_closed(c->ns);
	} else if (empty && !c->live_keys) {
		list_move_tail(&c->list, &waiting);
	} else {
		/*
		 * Its last cgroup's removal, or the exit of its namespace's init, makes it a suspect again.
		 */
		list_del_init(&c->list);
	}
}

/*
 * A user can have many containers die, or be about to die, for as long as they like. That must not keep a CPU
 * busy: reap rests ten times as long as a look at them, or a sweep, took.
 */
static void rest_since(u64 start)
{
	u64 ms = div_u64(10 * (ctrace_compat_clock() - start), NSEC_PER_MSEC);
	unsigned long until = jiffies + min(msecs_to_jiffies(min(ms, 10000ull)), SLOW);

	if (time_after(until, not_before))
		WRITE_ONCE(not_before, until);
}

static void look_at_suspects(struct found *f)
{
	u64 start = ctrace_compat_clock();
	LIST_HEAD(suspects);
	unsigned long flags;
	u32 n;

	ctrace_ident_lock(&flags);
	ctrace_container_suspects(&suspects);
	ctrace_ident_unlock(flags);
	while (!list_empty(&suspects)) {
		ctrace_ident_lock(&flags);
		for (n = 0; n < SLICE && !list_empty(&suspects); n++)
			look_at(list_first_entry(&suspects, struct ctrace_container, list), f);
		ctrace_ident_unlock(flags);
		cond_resched();
	}
	rest_since(start);
}

/* Sets dying on those that have waited long enough, and of which all has been announced. */
static void end_of_waiting(struct found *f)
{
	u64 now = ctrace_compat_clock();
	struct ctrace_container *c;
	unsigned long flags;
	u32 n = SLICE;

	while (n == SLICE) {
		ctrace_ident_lock(&flags);
		for (n = 0; n < SLICE && !list_empty(&waiting); n++) {
			c = list_first_entry(&waiting, struct ctrace_container, list);
			if (now - c->gone <= STRAGGLERS_NS || !ctrace_container_announced(c))
				break;
			c->dying = 1;
			ctrace_parts_end_of(c);
			list_move_tail(&c->list, &f->dying);
		}
		ctrace_ident_unlock(flags);
		cond_resched();
	}
}

/* Only reap frees containers, and arrays of the table by cid: so it reads both without RCU. */
static void walk(void)
{
	struct ctrace_container *c;
	unsigned long flags;
	u32 n;

	for (n = 1; n <= WALK; n++) {
		c = ctrace_cids_from(walked + 1);
		walked = c ? c->cid : 0;
		if (!c)
			return;
		if (READ_ONCE(c->gone) ? ns_empty(c) && !READ_ONCE(c->live_keys) :
					 ns_real(c) && ctrace_compat_pidns_closed(c->ns)) {
			ctrace_ident_lock(&flags);
			ctrace_container_suspect(c);
			ctrace_ident_unlock(flags);
		}
		if (n % 256 == 0)
			cond_resched();
	}
}

/* Marks the dead. */
static void look(struct found *f)
{
	unsigned long flags;

	INIT_LIST_HEAD(&f->again);
	INIT_LIST_HEAD(&f->emptied);
	INIT_LIST_HEAD(&f->dying);
	f->ending = false;
	walk();
	look_at_suspects(f);
	end_of_waiting(f);
	ctrace_ident_lock(&flags);
	/*
	 * Perhaps many: a namespace whose init is exiting stays so while a tracer outside keeps one of its
	 * zombies.
	 */
	ctrace_container_suspects_again(&f->again);
	f->ending |= !list_empty(&waiting);
	ctrace_ident_unlock(flags);
}

/* --- sweeping ------------------------------------------------------------------ */

static bool flush(void)
{
	return READ_ONCE(ctrace_rules.nr_aliases) > ALIASES;
}

struct sweep {
	bool flush;	/* too many are in use: drop all aliases, they come back when needed */
	u32 broad;
	u32 dropped;
};

static bool drop_alias(struct ctrace_lfnode *n, void *arg)
{
	struct sweep *s = arg;
	struct ctrace_container *c = ctrace_lfnode_get(n);
	bool drop = s->flush || READ_ONCE(c->dying) || READ_ONCE(ctrace_container_base(c)->taken_over) ||
		    (s32)(READ_ONCE(n->gen) - s->broad) < 0 || ctrace_compat_pidns_empty(n->p);

	s->dropped += drop;
	return drop;
}

static struct ctrace_lfnode *sweep_aliases(void)
{
	struct sweep s = { .flush = flush(), .broad = READ_ONCE(ctrace_rules.broad) };
	u64 start = ctrace_compat_clock();
	struct ctrace_lfnode *chain;
	unsigned long flags;

	chain = ctrace_lftable_sweep(&ctrace_rules.aliases, drop_alias, &s);
	ctrace_ident_lock(&flags);
	ctrace_rules.nr_aliases -= s.dropped;
	ctrace_ident_unlock(flags);
	rest_since(start);
	return chain;
}

/*
 * First step: takes out the parts that end, and finds their heirs. After it these parts cannot be found any
 * more.
 */
static void gather(struct list_head *ending)
{
	struct ctrace_container *part;
	unsigned long flags;
	u32 n = 0;

	ctrace_ident_lock(&flags);
	ctrace_parts_gather(ending);
	list_for_each_entry(part, ending, list) {
		part->heir = ctrace_rules_heir(&ctrace_rules, part);
		if (++n % SLICE == 0) {
			ctrace_ident_unlock(flags);
			cond_resched();
			ctrace_ident_lock(&flags);
		}
	}
	ctrace_ident_unlock(flags);
}

/*
 * ident_lock held, and given back in between. c is dying: gives its network namespaces to who took c over, or
 * to nobody.
 */
static void leave_nets(struct ctrace_container *c, unsigned long *flags)
{
	struct ctrace_container *to = c->taken_by && !c->taken_by->dying ? c->taken_by : NULL;

	while (ctrace_container_give_nets(c, to)) {	/* it gets no more: it is dead (netns.c) */
		ctrace_ident_unlock(*flags);
		cond_resched();
		ctrace_ident_lock(flags);
	}
}

/* Takes the nodes of all in the list out; of containers, also their places in the table by cid. */
static void unlink_all(const struct list_head *list, struct ctrace_lfnode **chain)
{
	struct ctrace_container *c;
	unsigned long flags;
	u32 n = 0;

	ctrace_ident_lock(&flags);
	list_for_each_entry(c, list, list) {
		leave_nets(c, &flags);
		ctrace_learn_unlink(&ctrace_rules, c, chain);
		if (!c->base)
			ctrace_container_unpublish(c);
		if (++n % SLICE == 0) {
			ctrace_ident_unlock(flags);
			cond_resched();
			ctrace_ident_lock(&flags);
		}
	}
	ctrace_ident_unlock(flags);
}

static void leave_namespaces(const struct list_head *emptied, struct ctrace_lfnode **chain)
{
	struct ctrace_container *c;
	unsigned long flags;

	list_for_each_entry(c, emptied, queue) {
		ctrace_ident_lock(&flags);
		c->ns_put = ctrace_learn_ns_gone(&ctrace_rules, c, chain);
		ctrace_ident_unlock(flags);
		cond_resched();
	}
}

static void put_namespaces(struct list_head *emptied)
{
	struct ctrace_container *c, *next;

	list_for_each_entry_safe(c, next, emptied, queue) {
		list_del_init(&c->queue);
		put_pid_ns((struct pid_namespace *)c->ns_put);
		c->ns_put = NULL;
		cond_resched();
	}
}

static void to_swept(struct list_head *dying, struct list_head *ending)
{
	struct ctrace_container *c, *next;
	unsigned long flags;
	u32 n = 0;

	list_for_each_entry_safe(c, next, dying, list) {
		list_del_init(&c->list);
		list_add_tail(&c->queue, &swept);
		cond_resched();
	}
	ctrace_ident_lock(&flags);
	list_for_each_entry_safe(c, next, ending, list) {
		ctrace_part_swept(c, &swept);
		if (++n % SLICE == 0) {
			ctrace_ident_unlock(flags);
			cond_resched();
			ctrace_ident_lock(&flags);
		}
	}
	ctrace_learn_room(&ctrace_rules);
	ctrace_ident_unlock(flags);
}

static void sweep(struct found *f)
{
	struct ctrace_lfnode *aliases, *known = NULL;
	LIST_HEAD(ending);

	gather(&ending);
	/*
	 * A container dies long after its last task, but a part may end with tasks in it. A probe that
	 * found the part before may still note it down (ctrace_identity_note_exit()). And a probe that saw a
	 * namespace's last task may still ask whose the namespace is: it must not find that it is nobody's.
	 * Wait for them.
	 */
	if (!list_empty(&ending) || !list_empty(&f->emptied))
		ctrace_compat_synchronize();

	/*
	 * Stop: dying is set, so no new node points to the dying; no task is in an emptied namespace.
	 * Unregister:
	 */
	aliases = sweep_aliases();
	unlink_all(&f->dying, &known);
	unlink_all(&ending, &known);
	leave_namespaces(&f->emptied, &known);
	ctrace_container_forget();
	ctrace_identity_forget_dying();

	ctrace_compat_synchronize();

	ctrace_learn_free(&ctrace_rules, aliases);
	ctrace_learn_free(&ctrace_rules, known);
	ctrace_cids_free();
	put_namespaces(&f->emptied);
	to_swept(&f->dying, &ending);
}

/* Frees the swept containers that have no reference left. They were swept before a grace period. */
static void free_swept(void)
{
	struct ctrace_container *c, *next;

	list_for_each_entry_safe(c, next, &swept, queue) {
		cond_resched();
		if (atomic_read(&c->refs))
			continue;
		/* pairs with ctrace_container_put(): its holders have read all that they read of it */
		smp_mb();
		list_del(&c->queue);
		ctrace_container_free(c);
	}
}

/*
 * Time fills the buckets of cids (charge.h), also where nothing is swept, which lets places ask again at
 * once.
 */
static void ask_again(void)
{
	unsigned long flags;

	if (!READ_ONCE(ctrace_rules.refused) || time_after(asked + AGAIN, jiffies))
		return;
	asked = jiffies;
	ctrace_ident_lock(&flags);
	ctrace_learn_room(&ctrace_rules);
	ctrace_ident_unlock(flags);
}

static void reap_work(struct work_struct *work)
{
	bool more = ctrace_container_announce();
	struct found f;
	long wait;

	if (time_after_eq(jiffies, next_beat)) {
		next_beat = jiffies + SLOW;
		ctrace_container_beat();
		ctrace_identity_moves_beat();
	}
	/* Births and deaths come in crowds: look at most 20 times a second. */
	if (time_after_eq(jiffies, READ_ONCE(next_look))) {
		ctrace_compat_cgroup_event_check();
		ctrace_identity_refresh();
		look(&f);
		more = ctrace_container_announce();
		if (!list_empty(&f.emptied) || !list_empty(&f.dying) || ctrace_parts_end() || flush())
			sweep(&f);
		ask_again();
		WRITE_ONCE(next_look, f.ending ? soon() : jiffies + SLOW);
		if (!list_empty(&swept))
			free_swept();
	}
	wait = more ? 0 : (long)(READ_ONCE(next_look) - jiffies);
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
	next_beat = jiffies;
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
	while ((c = ctrace_cids_from(0))) {
		ctrace_container_unpublish(c);
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
