// SPDX-License-Identifier: GPL-2.0-only
/* Arenas: their memory. Slots and their owners are in slots.c, waiting in wake.c, reading in dev.c. */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "ring/arena.h"
#include "ring/describe.h"
#include "ring/layout.h"
#include "ring/quota.h"
#include "compat/vmalloc.h"

DEFINE_PER_CPU(struct ctrace_ring_desc *, ctrace_rings[CTRACE_SESSIONS_MAX]);

/*
 * The ends of views. Not bound to a CPU: a holder may have very many mappings to empty, and other work of
 * that CPU would wait for that.
 */
static struct workqueue_struct *expirer;

#define REST		1024u			/* slots that are looked at without a rest */

/* --- making -------------------------------------------------------------------- */

static void fill_dir(struct ctrace_arena *a, const struct ctrace_arena_opts *o,
		     const struct ctrace_layout *z)
{
	*a->dir = (struct ctrace_dir) {
		.magic = CTRACE_MAGIC,
		.abi = CTRACE_ABI,
		.abi_compat = CTRACE_ABI_COMPAT,
		.flags = o->stop_full ? CTRACE_DIR_F_STOP_FULL : 0,
		.state = CTRACE_DIR_RUNNING,
		.session = o->session,
		.cid = CTRACE_CID_ALL,
		.ncpus = z->ncpus,
		.slots_per_cpu = z->per_cpu,
		.nslots = z->per_cpu * z->ncpus,
		.subbuf_size = z->subbuf,
		.ring_size = z->ring,
		.slot_stride = z->stride,
		.heads_off = CTRACE_PAGE,
		.heads_stride = z->heads_stride,
		.slots_off = z->slots_off,
		.map_size = z->map,
		.tables_off = o->table_size ? z->tables_off : 0,
		.tables_size = z->map - z->tables_off,
		.features = o->features,
	};
}

static void set_up_slots(struct ctrace_arena *a, const struct ctrace_layout *z)
{
	struct ctrace_ring_desc *d;
	struct ctrace_arena_cpu *pc;
	u32 i;

	for (i = 0; i < ctrace_arena_nslots(a); i++) {
		d = &a->rings[i];
		d->ctl = a->mem + z->slots_off + i * z->stride;
		d->data = (char *)d->ctl + CTRACE_PAGE;
		d->hint = ctrace_arena_hint(a, i);
		d->mask = z->ring - 1;
		d->submask = z->subbuf - 1;
		d->stop_full = a->stop_full;
		d->cid = CTRACE_CID_ALL;
		d->slot = i;
		d->arena = a;
		d->wake = &a->armed;
		d->ctl->cpu = i / z->per_cpu;
	}
	for_each_possible_cpu(i) {
		pc = per_cpu_ptr(a->cpu, i);
		pc->rings = &a->rings[i * z->per_cpu];
		pc->owner = &a->owner[i * z->per_cpu];
		ctrace_ring_rebind(pc->rings, CTRACE_CID_ALL, i, CTRACE_RING_F_SHARED);
		pc->owner[0] = CTRACE_OWNER_BUSY;
		pc->refuser = *pc->rings;
		pc->refuser.end = 0;
		pc->refuser.frozen = 1ull << 32;	/* its owner, CTRACE_CID_ALL, is frozen for ever */
	}
}

/* a may be incomplete: ctrace_arena_new() failed. */
static void free_arena(struct ctrace_arena *a)
{
	ctrace_describe_end(a);	/* before the memory that it describes */
	kvfree(a->viewed);
	kvfree(a->owner);
	kvfree(a->slots);
	kvfree(a->rings);
	vfree(a->mem);
	free_percpu(a->cpu);
	if (a->limited)
		ctrace_quota_give(a->user, a->mem_size);
	kfree(a);
}

/*
 * Takes only memory that is free to take, so that no process is killed for it. What si_mem_available()
 * promises may be gone a moment later, so the allocator is asked to give up as well.
 */
static bool is_free(u64 size)
{
	long pages = si_mem_available();

	return pages >= 0 && size >> PAGE_SHIFT <= pages;
}

static void *alloc_mem(u64 size)
{
	/* zeroed: readers must not see old kernel memory */
	return is_free(size) ? ctrace_compat_vmalloc_mapped(size) : NULL;
}

static int no_memory(u64 size, char *why, size_t n)
{
	if (CTRACE_COMPAT_CHARGES_MAPPED && is_free(size))
		snprintf(why, n, "arena size %llu: the memory limit of the caller's cgroup does not allow it: ask for less, or raise the limit (memory.max, MemoryMax=)",
			 size);
	else
		snprintf(why, n, "arena size %llu: not enough free memory", size);
	return -ENOMEM;
}

/*
 * Beyond the size that the user chose this takes about 200 bytes per slot, which only
 * the kernel sees; a slot has 12 KiB at least.
 */
struct ctrace_arena *ctrace_arena_new(const struct ctrace_arena_opts *o, char *why, size_t why_len)
{
	struct ctrace_arena *a;
	struct ctrace_layout z;
	u32 n;
	int err;

	err = ctrace_layout_choose(o, &z, why, why_len);
	if (err)
		return ERR_PTR(err);
	a = kzalloc(sizeof(*a), GFP_KERNEL_ACCOUNT);
	if (!a)
		return ERR_PTR(-ENOMEM);
	n = z.per_cpu * z.ncpus;
	a->mem_size = z.map;
	a->user = o->user;
	/* first, so that it is not asked for at all if the user may not have it */
	err = o->limited ? ctrace_quota_take(o->user, z.map, why, why_len) : 0;
	if (err) {
		kfree(a);
		return ERR_PTR(err);
	}
	a->limited = o->limited;
	a->cpu = alloc_percpu(struct ctrace_arena_cpu);
	a->mem = alloc_mem(z.map);
	a->rings = kvcalloc(n, sizeof(*a->rings), CTRACE_COMPAT_GFP_LARGE);
	a->slots = kvcalloc(n, sizeof(*a->slots), CTRACE_COMPAT_GFP_LARGE);
	a->owner = kvcalloc(n, sizeof(*a->owner), CTRACE_COMPAT_GFP_LARGE);
	a->viewed = kvcalloc(BITS_TO_LONGS(n), sizeof(*a->viewed), CTRACE_COMPAT_GFP_LARGE);
	if (!a->cpu || !a->mem || !a->rings || !a->slots || !a->owner || !a->viewed) {
		free_arena(a);
		return ERR_PTR(no_memory(z.map, why, why_len));
	}
	a->dir = a->mem;
	a->heads = a->mem + CTRACE_PAGE;
	a->heads_per_cpu = z.heads_stride / sizeof(*a->heads);
	a->slots_per_cpu = z.per_cpu;
	a->ncpus = z.ncpus;
	a->stop_full = o->stop_full;
	a->no_views = o->no_views;
	a->wakeup_ns = o->wakeup_ns;
	a->stride = z.stride;
	a->tables.mem = a->mem + z.tables_off;
	a->tables.offset = z.tables_off;
	a->tables.size = z.map - z.tables_off;
	fill_dir(a, o, &z);
	set_up_slots(a, &z);
	if (ctrace_describe_begin(a, o)) {
		free_arena(a);
		return ERR_PTR(no_memory(z.map, why, why_len));
	}
	kref_init(&a->ref);
	mutex_init(&a->lock);
	raw_spin_lock_init(&a->pin_lock);
	INIT_LIST_HEAD(&a->views);
	ctrace_arena_wake_init(a);
	ctrace_arena_freeze_init(a, o->freeze_ms);
	return a;
}

void ctrace_arena_get(struct ctrace_arena *a)
{
	kref_get(&a->ref);
}

int ctrace_arena_no_views(struct ctrace_arena *a)
{
	int err = 0;

	mutex_lock(&a->lock);
	if (list_empty(&a->views))
		a->no_views = true;
	else if (!a->no_views)
		err = -EBUSY;
	mutex_unlock(&a->lock);
	return err;
}

static void release(struct kref *ref)
{
	struct ctrace_arena *a = container_of(ref, struct ctrace_arena, ref);

	/*
	 * no session is left, so no probe; no descriptor of the session and no view that is not
	 * revoked, so no waiter and no mapping; no pin
	 */
	ctrace_arena_freeze_exit(a);
	ctrace_arena_wake_exit(a);
	free_arena(a);
}

void ctrace_arena_put(struct ctrace_arena *a)
{
	kref_put(&a->ref, release);
}

/* --- views ----------------------------------------------------------------------- */

void ctrace_arena_view_expire(struct ctrace_arena_view *v)
{
	/* a view that drains already keeps its time */
	queue_delayed_work(expirer, &v->expire, msecs_to_jiffies(CTRACE_VIEW_DRAIN_MS));
}

int ctrace_arena_view_add(struct ctrace_arena *a, struct ctrace_arena_view *v)
{
	int err;

	mutex_lock(&a->lock);
	/* the view may be handed to an unprivileged process: no kernel addresses, and no neighbours, in it */
	err = a->no_views ? -EACCES : 0;
	if (!err) {
		list_add(&v->list, &a->views);
		if (a->ended) {
			v->dir->state = CTRACE_DIR_ENDED;
			ctrace_arena_view_expire(v);
		}
	}
	mutex_unlock(&a->lock);
	return err;
}

void ctrace_arena_view_del(struct ctrace_arena *a, struct ctrace_arena_view *v, u32 state)
{
	mutex_lock(&a->lock);
	/*
	 * release: a reader that sees an empty ring sees why; partner: ctrace_reader_state() of the library
	 */
	smp_store_release(&v->dir->state, state);
	list_del(&v->list);
	mutex_unlock(&a->lock);
}

void ctrace_arena_end(struct ctrace_arena *a)
{
	struct ctrace_arena_view *v;

	mutex_lock(&a->lock);
	/* release: a reader that sees the end sees the last record; partner: ctrace_arena_ended() */
	smp_store_release(&a->ended, 1);
	smp_store_release(&a->dir->state, CTRACE_DIR_ENDED);	/* release: as above, for those who map */
	list_for_each_entry(v, &a->views, list) {
		smp_store_release(&v->dir->state, CTRACE_DIR_ENDED);	/* release: as above */
		wake_up_interruptible_all(&v->waiter.wait);
		ctrace_arena_view_expire(v);
	}
	mutex_unlock(&a->lock);
	wake_up_interruptible_all(&a->all.wait);
}

/* --- statistics -------------------------------------------------------------------- */

int ctrace_arena_each_ring(struct ctrace_arena *a, u32 from,
			   int (*fn)(const struct ctrace_ring_stats *r, void *arg), void *arg)
{
	const struct ctrace_ring_desc *d;
	u32 i;
	int ret;

	for (i = from; i < ctrace_arena_nslots(a); i++) {
		struct ctrace_ring_stats st = { .slot = i };

		if (i % REST == 0)
			cond_resched();
		d = &a->rings[i];
		st.gen = READ_ONCE(d->gen);
		if (!st.gen)
			continue;
		st.cpu = i / a->slots_per_cpu;
		st.cid = READ_ONCE(d->owner);
		st.events = READ_ONCE(d->events);
		st.bytes = READ_ONCE(d->head);
		st.lost_full = READ_ONCE(d->lost_full);
		st.lost_nested = READ_ONCE(d->lost_nested);
		st.lost_frozen = READ_ONCE(d->lost_frozen);
		if (i % a->slots_per_cpu == 0)
			st.lost_frozen += READ_ONCE(per_cpu_ptr(a->cpu, st.cpu)->refuser.lost_frozen);
		ret = fn(&st, arg);
		if (ret)
			return ret;
	}
	return 0;
}

static int add_ring(const struct ctrace_ring_stats *r, void *arg)
{
	struct ctrace_arena_stats *st = arg;

	st->slots_used++;
	st->events += r->events;
	st->lost_full += r->lost_full;
	st->lost_nested += r->lost_nested;
	st->lost_frozen += r->lost_frozen;
	return 0;
}

void ctrace_arena_stats_new(const struct ctrace_arena *a, struct ctrace_arena_stats *st)
{
	*st = (struct ctrace_arena_stats) {
		.arena_size = a->tables.offset,
		.table_size = a->tables.size,
		.ring_size = a->dir->ring_size,
		.wakeup_ns = a->wakeup_ns,
		.subbuf_size = a->dir->subbuf_size,
		.slots = ctrace_arena_nslots(a),
		.slots_used = num_possible_cpus(),	/* the shared rings */
	};
}

void ctrace_arena_stats(struct ctrace_arena *a, struct ctrace_arena_stats *st)
{
	ctrace_arena_stats_new(a, st);
	st->slots_used = 0;
	ctrace_arena_each_ring(a, 0, add_ring, st);
}

/* --- the module ---------------------------------------------------------------------- */

int ctrace_arena_module_init(void)
{
	int err = ctrace_wake_module_init();

	if (err)
		return err;
	err = ctrace_pin_module_init();
	if (err)
		goto wake_exit;
	err = -ENOMEM;
	expirer = alloc_workqueue("ctrace_expire", WQ_UNBOUND, 0);
	if (expirer)
		return 0;
	ctrace_pin_module_exit();
wake_exit:
	ctrace_wake_module_exit();
	return err;
}

void ctrace_arena_module_exit(void)
{
	destroy_workqueue(expirer);	/* a view holds the module until its work has ended: it is empty */
	/* a pin that was given up may still hold an arena, whose end needs wake.c */
	ctrace_pin_module_exit();
	ctrace_wake_module_exit();
}
