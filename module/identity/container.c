// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pool, the list, the announcements, and the GC.
 *
 * Two works run on a queue of their own: `refill` keeps the pools full; `reap` announces, finds the
 * dead, and frees them. Until ctrace_container_exit(), only reap removes anything.
 *
 * reap takes ctrace_lock (in a watcher's told()) and refresh_mutex (in ctrace_identity_refresh()). So
 * no function here but ctrace_container_stop() waits for it, and that is called with neither lock held.
 */
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include "identity/container.h"
#include "identity/hierarchy.h"
#include "identity/identity.h"
#include "identity/parts.h"
#include "identity/rules.h"
#include "compat/cgroup.h"
#include "compat/cgroup_event.h"
#include "compat/clock.h"
#include "compat/pidns.h"
#include "compat/rcu.h"

#define POOL		1024u	/* containers kept ready; refilled below half */
/* A dead container stays resolvable for at least this long, for the last events of its last process. */
#define STRAGGLERS_NS	(2 * NSEC_PER_SEC)
#define QUICK		msecs_to_jiffies(50)	/* while something is dying */
#define SLOW		msecs_to_jiffies(1000)

struct ctrace_container ctrace_container_host = {
	.cid = CTRACE_CID_HOST, .path = "/", .ns_fixed = true,
	.flags = CTRACE_CONTAINER_F_HOSTPID, .refs = ATOMIC_INIT(1),
	.parts = LIST_HEAD_INIT(ctrace_container_host.parts),
};

struct ctrace_container ctrace_container_unknown = {
	.cid = CTRACE_CID_UNKNOWN, .ns_fixed = true, .refs = ATOMIC_INIT(1),
	.parts = LIST_HEAD_INIT(ctrace_container_unknown.parts),	/* always empty */
};

static DEFINE_RAW_SPINLOCK(ident_lock);
static DEFINE_PER_CPU(u32, ident_lock_here);

static LIST_HEAD(containers);		/* ident_lock to change, RCU to walk */
static LIST_HEAD(pool);			/* ident_lock */
static u32 pool_size;			/* ident_lock; READ_ONCE elsewhere */
static atomic_t made = ATOMIC_INIT(0);	/* allocated and not freed, wherever they are; 0 at the end */
static LIST_HEAD(news);			/* struct ctrace_news. ident_lock */
static LIST_HEAD(swept);		/* in no table any more, may be referenced. Only reap uses it */
static u32 last_cid;			/* ident_lock */
static atomic_t alive = ATOMIC_INIT(0);
static atomic64_t unknown = ATOMIC64_INIT(0);

u32 ctrace_pid_sessions;

static const struct ctrace_container_watcher *const *watchers;	/* invariant after init */
static struct ctrace_rules *rules;	/* invariant after start */
static struct workqueue_struct *queue;
/* jiffies: when reap next looks for the dead. reap may overwrite a kick's earlier time: SLOW late at most */
static unsigned long next_look;
static bool hurry;			/* there is news to announce at once */
static bool stopping = true;		/* also before the start */

static void refill_work(struct work_struct *work);
static void reap_work(struct work_struct *work);
static DECLARE_WORK(refill, refill_work);
static DECLARE_DELAYED_WORK(reap, reap_work);

/* --- ident_lock ------------------------------------------------------------ */

bool ctrace_ident_lock(unsigned long *flags)
{
	if (in_nmi())
		return false;
	local_irq_save(*flags);
	if (__this_cpu_read(ident_lock_here)) {
		local_irq_restore(*flags);
		return false;
	}
	__this_cpu_write(ident_lock_here, 1);
	barrier();	/* a kprobe inside raw_spin_lock() must see ident_lock_here set */
	raw_spin_lock(&ident_lock);
	return true;
}

void ctrace_ident_unlock(unsigned long flags)
{
	raw_spin_unlock(&ident_lock);
	barrier();	/* as above, inside raw_spin_unlock() */
	__this_cpu_write(ident_lock_here, 0);
	local_irq_restore(flags);
}

/* --- from any context ------------------------------------------------------ */

/* An irq_work queues the works for callers that must not wake tasks: in NMI, or with a run-queue lock. */
static void kicked(struct irq_work *w)
{
	if (READ_ONCE(stopping))
		return;
	queue_work(queue, &refill);
	if (READ_ONCE(hurry)) {
		WRITE_ONCE(hurry, false);
		mod_delayed_work(queue, &reap, 0);
	} else if (time_after(READ_ONCE(next_look), jiffies + QUICK)) {
		WRITE_ONCE(next_look, jiffies + QUICK);
		mod_delayed_work(queue, &reap, QUICK);
	}
}

static struct irq_work kick;

void ctrace_container_kick(void)
{
	irq_work_queue(&kick);
}

static void kick_now(void)
{
	WRITE_ONCE(hurry, true);
	irq_work_queue(&kick);
}

void ctrace_container_count_unknown(void)
{
	atomic64_inc(&unknown);
}

u64 ctrace_container_unknown_count(void)
{
	return atomic64_read(&unknown);
}

u32 ctrace_container_count(void)
{
	return atomic_read(&alive);
}

/* --- ident_lock held ------------------------------------------------------- */

struct ctrace_container *ctrace_container_take(void)
{
	struct ctrace_container *c = list_first_entry_or_null(&pool, struct ctrace_container,
							      queue);

	if (!c)
		return NULL;
	list_del_init(&c->queue);
	WRITE_ONCE(pool_size, pool_size - 1);
	INIT_LIST_HEAD(&c->parts);
	if (pool_size < POOL / 2)
		ctrace_container_kick();	/* publishing kicks, but parts are not published */
	return c;
}

struct ctrace_container *ctrace_container_new(void)
{
	struct ctrace_container *c = ctrace_container_take();

	if (!c)
		return NULL;
	c->cid = ++last_cid;
	c->first_seen = ctrace_compat_clock();
	return c;
}

void ctrace_container_inherit(struct ctrace_container *c, const struct ctrace_container *in)
{
	u32 denied = c->denied | in->denied, wanted = (c->wanted | in->wanted) & ~denied;

	if (denied == c->denied && wanted == c->wanted)
		return;
	WRITE_ONCE(c->denied, denied);
	WRITE_ONCE(c->wanted, wanted);
	ctrace_parts_remask(c);
	ctrace_identity_forget_tasks();
}

static void each_born(struct ctrace_container *c, const struct ctrace_container *parent)
{
	const struct ctrace_container_watcher *const *w;

	for (w = watchers; *w; w++)
		if ((*w)->born)
			(*w)->born(c, parent);
}

void ctrace_container_publish(struct ctrace_container *c, struct ctrace_container *parent)
{
	list_add_tail_rcu(&c->list, &containers);
	each_born(c, parent);
	c->news[1].born = true;
	INIT_LIST_HEAD(&c->news[0].list);
	list_add_tail(&c->news[1].list, &news);
	atomic_inc(&alive);
	kick_now();
}

void ctrace_container_changed(struct ctrace_container *c)
{
	if (!c->told || c->gone || !list_empty(&c->news[1].list))
		return;
	list_add_tail(&c->news[1].list, &news);
	kick_now();
}

void ctrace_container_gone(struct ctrace_container *c)
{
	if (c->gone)
		return;
	WRITE_ONCE(c->gone, ctrace_compat_clock());
	c->flags |= CTRACE_CONTAINER_F_DEAD;
	list_add_tail(&c->news[0].list, &news);
	atomic_dec(&alive);
	kick_now();
}

/* --- the list -------------------------------------------------------------- */

struct ctrace_container *ctrace_container_after(u32 after_cid)
{
	struct ctrace_container *c, *found = NULL;

	rcu_read_lock();
	list_for_each_entry_rcu(c, &containers, list)
		if (c->cid > after_cid) {
			ctrace_container_get(c);	/* the GC reads refs only after a grace period */
			found = c;
			break;
		}
	rcu_read_unlock();
	return found;
}

struct ctrace_container *ctrace_container_next(struct ctrace_container *prev)
{
	u32 cid;

	if (!prev) {
		ctrace_container_get(&ctrace_container_host);
		return &ctrace_container_host;
	}
	cid = prev->cid;
	ctrace_container_put(prev);
	return ctrace_container_after(cid);
}

struct ctrace_container *ctrace_container_find_get(u32 cid)
{
	struct ctrace_container *c;

	if (cid == CTRACE_CID_HOST)
		return ctrace_container_next(NULL);
	c = ctrace_container_after(cid - 1);
	if (c && c->cid != cid) {
		ctrace_container_put(c);
		c = NULL;
	}
	return c;
}

bool ctrace_container_exists(u32 cid)
{
	struct ctrace_container *c = ctrace_container_find_get(cid);
	bool lives = c && !READ_ONCE(c->gone);

	if (c)
		ctrace_container_put(c);
	return lives;
}

void ctrace_container_info(const struct ctrace_container *c, struct ctrace_container_info *out)
{
	unsigned long flags;
	bool locked = ctrace_ident_lock(&flags);

	out->cid = c->cid;
	out->parent = c->parent;
	out->hierarchy = c->hierarchy;
	out->ns_inum = c->ns_inum;
	out->flags = c->flags;
	out->init_pid = c->init_pid;
	out->cgroup_id = ctrace_compat_cgroup_number(c->cgroup_id);
	out->first_seen = c->first_seen;
	out->gone = c->gone;
	out->runtime = c->runtime;
	memcpy(out->runtime_id, c->runtime_id, sizeof(out->runtime_id));
	memcpy(out->path, c->path, sizeof(out->path));
	if (locked)
		ctrace_ident_unlock(flags);
}

/* --- works ----------------------------------------------------------------- */

static void free_container(struct ctrace_container *c)
{
	atomic_dec(&made);
	kfree(c);
}

static int fill_pool(void)
{
	struct ctrace_container *c;
	unsigned long flags;

	while (READ_ONCE(pool_size) < POOL) {
		c = kzalloc(sizeof(*c), GFP_KERNEL);
		if (!c)
			return -ENOMEM;
		atomic_inc(&made);
		ctrace_ident_lock(&flags);
		list_add(&c->queue, &pool);
		pool_size++;
		ctrace_ident_unlock(flags);
	}
	return 0;
}

static void refill_work(struct work_struct *work)
{
	if (READ_ONCE(pool_size) < POOL / 2)
		fill_pool();
	if (ctrace_lfpool_low(&rules->nodes))
		ctrace_lfpool_refill(&rules->nodes);
}

static void announce(void)
{
	const struct ctrace_container_watcher *const *w;
	struct ctrace_container *c;
	struct ctrace_news *n;
	unsigned long flags;

	for (;;) {
		ctrace_ident_lock(&flags);
		n = list_first_entry_or_null(&news, struct ctrace_news, list);
		if (n) {
			list_del_init(&n->list);
			/* Only reap frees containers, and this is reap: c stays. */
			c = container_of(n, struct ctrace_container, news[n->born]);
			c->told = true;
		}
		ctrace_ident_unlock(flags);
		if (!n)
			return;
		for (w = watchers; *w; w++)
			if ((*w)->told)
				(*w)->told(c, n->born);
	}
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
	list_for_each_entry_rcu(c, &containers, list) {
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

static void put_ns(const void *ns)
{
	put_pid_ns((struct pid_namespace *)ns);
}

/* After the grace period: no reader has these nodes any more. */
static void free_nodes(struct ctrace_lfnode *chain)
{
	struct ctrace_lfnode *n;

	for (n = chain; n; n = n->chain) {
		if (n->p)
			put_ns(n->p);
		if (n->val)
			ctrace_container_put(n->val);
	}
	ctrace_lfpool_free_chain(&rules->nodes, chain);
}

static void sweep(bool flush)
{
	struct sweep s = { .flush = flush, .gen = READ_ONCE(rules->gen) };
	const struct ctrace_container_watcher *const *w;
	struct ctrace_lfnode *b, *n, *a, *p;
	struct ctrace_container *c, *next;
	unsigned long flags;
	LIST_HEAD(ending);

	ctrace_parts_gather(&ending, rules);

	/* Stop: dying is set, so no new node points to the dying. Unregister: */
	a = ctrace_lftable_sweep(&rules->aliases, drop_alias, &s);
	n = ctrace_lftable_sweep(&rules->namespaces, drop_known, NULL);
	/*
	 * Under ident_lock, because a node may be about to get a container: know_boundary() pushes a
	 * node before it sets the container, and ctrace_learn_part() may give the node of an ending
	 * part to a new part.
	 */
	ctrace_ident_lock(&flags);
	b = ctrace_lftable_sweep(&rules->boundaries, drop_known, NULL);
	p = ctrace_lftable_sweep(&rules->parts, drop_known, NULL);
	list_for_each_entry_safe(c, next, &containers, list)
		if (c->dying) {
			list_del_rcu(&c->list);
			list_add_tail(&c->queue, &swept);
		}
	ctrace_ident_unlock(flags);
	for (w = watchers; *w; w++)
		if ((*w)->forget)
			(*w)->forget();
	ctrace_identity_forget_dying();

	ctrace_compat_synchronize();

	free_nodes(a);
	free_nodes(n);
	free_nodes(b);
	free_nodes(p);
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
		if (c->ns)
			put_ns(c->ns);
		if (c->base)
			ctrace_container_put(c->base);
		free_container(c);
	}
}

static void reap_work(struct work_struct *work)
{
	bool dying, found, flush;
	long wait;

	announce();
	/* Births come in crowds: walk the list at most 20 times a second. */
	if (time_after_eq(jiffies, READ_ONCE(next_look))) {
		ctrace_compat_cgroup_event_check();
		ctrace_identity_refresh();
		found = look(&dying);
		WRITE_ONCE(next_look, jiffies + (dying ? QUICK : SLOW));
		announce();
		flush = (unsigned int)atomic_read(&rules->nodes.nr_taken) >
			8 * rules->nodes.want;
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

static void free_pool(void)
{
	struct ctrace_container *c, *next;

	list_for_each_entry_safe(c, next, &pool, queue)
		free_container(c);
	INIT_LIST_HEAD(&pool);
	pool_size = 0;
}

int ctrace_container_init(const struct ctrace_container_watcher *const *all)
{
	int err;

	watchers = all;

	init_irq_work(&kick, kicked);
	queue = alloc_workqueue("ctrace", WQ_HIGHPRI | WQ_UNBOUND, 0);
	if (!queue)
		return -ENOMEM;
	err = fill_pool();
	if (err) {
		free_pool();
		destroy_workqueue(queue);
	}
	return err;
}

void ctrace_container_start(struct ctrace_rules *r)
{
	rules = r;
	next_look = jiffies;
	WRITE_ONCE(stopping, false);
	queue_delayed_work(queue, &reap, SLOW);
}

void ctrace_container_stop(void)
{
	WRITE_ONCE(stopping, true);
	irq_work_sync(&kick);
	cancel_delayed_work_sync(&reap);
	cancel_work_sync(&refill);
}

void ctrace_container_exit(void)
{
	struct ctrace_container *c, *next;

	/*
	 * Sessions that ended after ctrace_container_stop() may have kicked. kicked() does nothing then, but
	 * may still run.
	 */
	irq_work_sync(&kick);
	list_for_each_entry_safe(c, next, &containers, list) {
		list_del(&c->list);
		list_add_tail(&c->queue, &swept);
	}
	ctrace_parts_exit(&swept);
	list_for_each_entry_safe(c, next, &swept, queue) {
		WARN_ON(atomic_read(&c->refs));	/* the holder of one would use freed memory */
		list_del(&c->queue);
		if (c->ns)
			put_ns(c->ns);
		if (c->base)
			ctrace_container_put(c->base);
		free_container(c);
	}
	free_pool();
	WARN_ON(atomic_read(&made));	/* this many leaked */
	destroy_workqueue(queue);
}
