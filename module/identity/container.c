// SPDX-License-Identifier: GPL-2.0-only
/* Containers: the pool, pending announcements. gc.c looks for the dead and frees them. */
#include <linux/irq_work.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "identity/charge.h"
#include "identity/cids.h"
#include "identity/container.h"
#include "compat/cgroup.h"
#include "compat/clock.h"

#define POOL		1024u	/* containers kept ready; refilled below half */
#define NETS		16u	/* network namespaces that change their owner with interrupts off */
#define NEWS		256u	/* births and deaths announced in one go */

struct ctrace_container ctrace_container_host = {
	.cid = CTRACE_CID_HOST, .path = "/", .ns_fixed = true,
	.flags = CTRACE_CONTAINER_F_HOSTPID, .refs = ATOMIC_INIT(1),
	.parts = LIST_HEAD_INIT(ctrace_container_host.parts),
};

struct ctrace_container ctrace_container_unknown = {
	.cid = CTRACE_CID_UNKNOWN, .ns_fixed = true, .refs = ATOMIC_INIT(1),
	.parts = LIST_HEAD_INIT(ctrace_container_unknown.parts),
};

static DEFINE_RAW_SPINLOCK(ident_lock);
static DEFINE_PER_CPU(u32, ident_lock_here);

static unsigned int max_containers = 131072;
module_param(max_containers, uint, 0444);
MODULE_PARM_DESC(max_containers, "containers that may exist at one time, 1 KiB each; further ones are unknown");

static LIST_HEAD(suspects);		/* ident_lock */
static LIST_HEAD(pool);			/* ident_lock */
static u32 pool_size;			/* ident_lock; READ_ONCE elsewhere */
static atomic_t made = ATOMIC_INIT(0);	/* allocated and not freed, wherever they are; 0 at the end */
static LIST_HEAD(news);			/* struct ctrace_news. ident_lock */
static u32 last_cid;			/* ident_lock; READ_ONCE elsewhere */
static atomic_t alive = ATOMIC_INIT(0);
static atomic64_t unknown_events = ATOMIC64_INIT(0);

u32 ctrace_pid_sessions;
atomic64_t ctrace_identity_gen __read_mostly = ATOMIC64_INIT(1);

static const struct ctrace_container_watcher *const *watchers;	/* invariant after init */
static void (*kicked)(bool news);	/* invariant after init */
static bool changed;			/* see ctrace_ident_changed(). ident_lock */
static bool hurry;			/* there is news to announce at once */
static struct irq_work kick;

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

void ctrace_ident_changed(void)
{
	changed = true;
	ctrace_identity_forget_tasks();
}

static noinline void tell_changed(bool may_wait)
{
	const struct ctrace_container_watcher *const *w;

	for (w = watchers; *w; w++)
		if ((*w)->changed)
			(*w)->changed(may_wait);
}

void ctrace_container_rewanted(void)
{
	ctrace_identity_forget_tasks();
	tell_changed(true);
}

void ctrace_ident_unlock(unsigned long flags)
{
	bool tell = changed;

	changed = false;
	raw_spin_unlock(&ident_lock);
	barrier();	/* as above, inside raw_spin_unlock() */
	__this_cpu_write(ident_lock_here, 0);
	local_irq_restore(flags);
	if (unlikely(tell))
		tell_changed(false);
}

/* --- from any context ------------------------------------------------------ */

/* An irq_work passes a kick on for callers that must not wake tasks: in NMI, or with a run-queue lock. */
static void pass_on(struct irq_work *w)
{
	bool news = READ_ONCE(hurry);

	if (news)
		WRITE_ONCE(hurry, false);
	kicked(news);
}

void ctrace_container_kick(void)
{
	irq_work_queue(&kick);
}

static void kick_now(void)
{
	WRITE_ONCE(hurry, true);
	irq_work_queue(&kick);
}

void ctrace_container_kick_sync(void)
{
	irq_work_sync(&kick);
}

void ctrace_container_count_unknown(void)
{
	atomic64_inc(&unknown_events);
}

u64 ctrace_container_unknown_count(void)
{
	return atomic64_read(&unknown_events);
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
	INIT_LIST_HEAD(&c->list);
	if (pool_size < POOL / 2)
		ctrace_container_kick();	/* publishing kicks, but parts are not published */
	return c;
}

struct ctrace_charge ctrace_container_charge(u32 slice, const struct ctrace_container *in)
{
	u32 cid = last_cid + 1;		/* of the container that is about to be made */

	return in ? ctrace_charge_inside(&in->charge, cid) : ctrace_charge_outermost(slice, cid);
}

static void set_charge(struct ctrace_container *c, const struct ctrace_charge *to)
{
	c->charge = *to;
	WRITE_ONCE(c->account, ctrace_charge_number(to));
}

struct ctrace_container *ctrace_container_new(const struct ctrace_charge *to, bool *full)
{
	u32 left = CTRACE_CID_LAST - last_cid;
	u64 now = ctrace_compat_clock();
	struct ctrace_container *c;

	if (!left || !ctrace_charge_fits(to, max_containers) || !ctrace_charge_pays(to, left, now)) {
		*full = true;
		return NULL;
	}
	/*
	 * Not ready only if the refill found no memory: it prepares the table for all containers of the pool.
	 */
	c = ctrace_cids_ready(last_cid + 1) ? ctrace_container_take() : NULL;
	if (!c)
		return NULL;
	ctrace_charge_pay(to, left, now);
	c->cid = last_cid + 1;
	WRITE_ONCE(last_cid, c->cid);
	set_charge(c, to);
	c->first_seen = now;
	return c;
}

void ctrace_container_recharge(struct ctrace_container *c, const struct ctrace_charge *to)
{
	struct ctrace_container *part;

	ctrace_charge_del(&c->charge);
	set_charge(c, to);
	ctrace_charge_add(&c->charge);
	list_for_each_entry(part, &c->parts, parts)
		WRITE_ONCE(part->account, c->account);
}

static void mask_part(struct ctrace_container *part)
{
	u32 denied = part->base->denied | part->deny;

	/* denied before wanted, as in update_one() of session/target.c */
	WRITE_ONCE(part->denied, denied);
	WRITE_ONCE(part->wanted, (part->base->wanted | part->want) & ~denied);
}

void ctrace_container_remask(struct ctrace_container *c)
{
	struct ctrace_container *part;

	list_for_each_entry(part, &c->parts, parts)
		mask_part(part);
}

void ctrace_container_inherit(struct ctrace_container *c, const struct ctrace_container *in)
{
	u32 denied = c->denied | in->denied, wanted = (c->wanted | in->wanted) & ~denied;

	if (denied == c->denied && wanted == c->wanted)
		return;
	WRITE_ONCE(c->denied, denied);
	WRITE_ONCE(c->wanted, wanted);
	ctrace_container_remask(c);
	ctrace_ident_changed();
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
	ctrace_charge_add(&c->charge);
	ctrace_cids_add(c);
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

void ctrace_container_unpublish(struct ctrace_container *c)
{
	if (c->taken_by)
		ctrace_container_put(c->taken_by);
	c->taken_by = NULL;
	ctrace_cids_del(c, last_cid);
	ctrace_charge_del(&c->charge);
}

void ctrace_container_suspect(struct ctrace_container *c)
{
	/* Not empty: it is a suspect already, or the GC has it in hand (gc.c, look()). */
	if (list_empty(&c->list))
		list_add_tail(&c->list, &suspects);
}

void ctrace_container_suspects(struct list_head *to)
{
	list_splice_init(&suspects, to);
}

void ctrace_container_suspects_again(struct list_head *from)
{
	list_splice_tail_init(from, &suspects);
}

void ctrace_container_gone(struct ctrace_container *c)
{
	ctrace_container_suspect(c);
	if (c->gone)
		return;
	hlist_del_init(&c->by_path);
	WRITE_ONCE(c->gone, ctrace_compat_clock());
	c->flags |= CTRACE_CONTAINER_F_DEAD;
	list_add_tail(&c->news[0].list, &news);
	atomic_dec(&alive);
	kick_now();
}

bool ctrace_container_give_nets(struct ctrace_container *from, struct ctrace_container *to)
{
	struct ctrace_netns *n;
	u32 i;

	for (i = 0; i < NETS && !hlist_empty(&from->nets); i++) {
		n = hlist_entry(from->nets.first, struct ctrace_netns, of);
		hlist_del_init(&n->of);
		WRITE_ONCE(n->c, to);
		if (to)
			hlist_add_head(&n->of, &to->nets);
	}
	return !hlist_empty(&from->nets);
}

/* --- by cid ---------------------------------------------------------------- */

struct ctrace_container *ctrace_container_after(u32 after_cid)
{
	struct ctrace_container *c;

	if (after_cid >= CTRACE_CID_LAST)
		return NULL;
	rcu_read_lock();
	c = ctrace_cids_from(after_cid + 1);
	if (c)
		ctrace_container_get(c);	/* the GC reads refs only after a grace period */
	rcu_read_unlock();
	return c;
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
	rcu_read_lock();
	c = ctrace_cids_find(cid);
	if (c)
		ctrace_container_get(c);	/* as above */
	rcu_read_unlock();
	return c;
}

bool ctrace_container_known(u32 cid)
{
	bool known;

	rcu_read_lock();
	known = cid == CTRACE_CID_HOST || cid >= CTRACE_CID_UNKNOWN || ctrace_cids_find(cid);
	rcu_read_unlock();
	return known;
}

bool ctrace_container_exists(u32 cid)
{
	const struct ctrace_container *c;
	bool lives;

	if (cid == CTRACE_CID_HOST)
		return true;
	rcu_read_lock();
	c = ctrace_cids_find(cid);
	lives = c && !READ_ONCE(c->gone);
	rcu_read_unlock();
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
	/* no more than there is: it is done for each of very many, with interrupts off */
	strscpy(out->runtime_id, c->runtime_id, sizeof(out->runtime_id));
	strscpy(out->path, c->path, sizeof(out->path));
	if (locked)
		ctrace_ident_unlock(flags);
}

/* --- for the GC ------------------------------------------------------------- */

void ctrace_container_free(struct ctrace_container *c)
{
	if (c->ns && c->ns != CTRACE_NS_PAST)
		put_pid_ns((struct pid_namespace *)c->ns);
	if (c->base)
		ctrace_container_put(c->base);
	atomic_dec(&made);
	kfree(c);
}

static int fill_pool(void)
{
	struct ctrace_container *c;
	unsigned long flags;
	u32 last = READ_ONCE(last_cid);
	int err;

	if (last < CTRACE_CID_LAST) {
		err = ctrace_cids_prepare(last + 1, last + min(2 * POOL, CTRACE_CID_LAST - last));
		if (err)
			return err;
	}
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

/* Has the table the arrays for all that are in the pool? */
static bool cids_ready(void)
{
	bool ready;
	u32 last;

	rcu_read_lock();
	last = READ_ONCE(last_cid);
	ready = last >= CTRACE_CID_LAST || ctrace_cids_ready(last + min(POOL, CTRACE_CID_LAST - last));
	rcu_read_unlock();
	return ready;
}

int ctrace_container_refill(void)
{
	return READ_ONCE(pool_size) < POOL / 2 || !cids_ready() ? fill_pool() : 0;
}

bool ctrace_container_announced(const struct ctrace_container *c)
{
	return list_empty(&c->news[0].list) && list_empty(&c->news[1].list);
}

/*
 * A death costs each session a look at its slots on each CPU, and a user may cause deaths faster than they
 * can be announced. So the work looks for the dead, and frees, between two goes; and others run on this CPU
 * after each.
 */
bool ctrace_container_announce(void)
{
	const struct ctrace_container_watcher *const *w;
	struct ctrace_container *c;
	struct ctrace_news *n;
	unsigned long flags;
	u32 i;

	for (i = 0; i < NEWS; i++) {
		ctrace_ident_lock(&flags);
		n = list_first_entry_or_null(&news, struct ctrace_news, list);
		if (n) {
			list_del_init(&n->list);
			/* Only the GC frees containers, and this is the GC: c stays. */
			c = container_of(n, struct ctrace_container, news[n->born]);
			c->told = true;
		}
		ctrace_ident_unlock(flags);
		if (!n)
			return false;
		for (w = watchers; *w; w++)
			if ((*w)->told)
				(*w)->told(c, n->born);
		cond_resched();
	}
	return true;
}

void ctrace_container_beat(void)
{
	const struct ctrace_container_watcher *const *w;

	for (w = watchers; *w; w++)
		if ((*w)->beat)
			(*w)->beat();
}

void ctrace_container_forget(void)
{
	const struct ctrace_container_watcher *const *w;

	for (w = watchers; *w; w++)
		if ((*w)->forget)
			(*w)->forget();
}

/* --- life ------------------------------------------------------------------- */

static void free_pool(void)
{
	struct ctrace_container *c, *next;

	list_for_each_entry_safe(c, next, &pool, queue)
		ctrace_container_free(c);
	INIT_LIST_HEAD(&pool);
	pool_size = 0;
}

int ctrace_container_init(const struct ctrace_container_watcher *const *all, void (*on_kick)(bool news))
{
	int err;

	watchers = all;
	kicked = on_kick;
	ctrace_charge_init();
	init_irq_work(&kick, pass_on);
	err = fill_pool();
	if (err) {
		free_pool();
		ctrace_cids_exit();
	}
	return err;
}

void ctrace_container_exit(void)
{
	free_pool();
	ctrace_cids_exit();
	WARN_ON(atomic_read(&made));	/* this many leaked */
}
