// SPDX-License-Identifier: GPL-2.0-only
/* Containers: the pool, the list, what is to be announced. gc.c looks for the dead and frees them. */
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/pid_namespace.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "identity/container.h"
#include "compat/cgroup.h"
#include "compat/clock.h"

#define POOL		1024u	/* containers kept ready; refilled below half */

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

LIST_HEAD(ctrace_container_list);
static LIST_HEAD(pool);			/* ident_lock */
static u32 pool_size;			/* ident_lock; READ_ONCE elsewhere */
static atomic_t made = ATOMIC_INIT(0);	/* allocated and not freed, wherever they are; 0 at the end */
static LIST_HEAD(news);			/* struct ctrace_news. ident_lock */
static u32 last_cid;			/* ident_lock */
static atomic_t alive = ATOMIC_INIT(0);
static atomic64_t unknown = ATOMIC64_INIT(0);

u32 ctrace_pid_sessions;
atomic64_t ctrace_identity_gen __read_mostly = ATOMIC64_INIT(1);

static const struct ctrace_container_watcher *const *watchers;	/* invariant after init */
static void (*kicked)(bool news);	/* invariant after init */
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

void ctrace_ident_unlock(unsigned long flags)
{
	raw_spin_unlock(&ident_lock);
	barrier();	/* as above, inside raw_spin_unlock() */
	__this_cpu_write(ident_lock_here, 0);
	local_irq_restore(flags);
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
	list_add_tail_rcu(&c->list, &ctrace_container_list);
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
	list_for_each_entry_rcu(c, &ctrace_container_list, list)
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

/* --- for the GC ------------------------------------------------------------- */

void ctrace_container_free(struct ctrace_container *c)
{
	if (c->ns)
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

int ctrace_container_refill(void)
{
	return READ_ONCE(pool_size) < POOL / 2 ? fill_pool() : 0;
}

void ctrace_container_announce(void)
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
			/* Only the GC frees containers, and this is the GC: c stays. */
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
	init_irq_work(&kick, pass_on);
	err = fill_pool();
	if (err)
		free_pool();
	return err;
}

void ctrace_container_exit(void)
{
	free_pool();
	WARN_ON(atomic_read(&made));	/* this many leaked */
}
