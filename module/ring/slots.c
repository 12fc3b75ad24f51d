// SPDX-License-Identifier: GPL-2.0-only
/* Which slot belongs to which container: binding at its first event, its death, pins. */
#include <linux/completion.h>
#include <linux/hash.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "ring/arena.h"
#include "compat/cpu.h"
#include "compat/vmalloc.h"
#include "compat/workqueue.h"

#define FREE		CTRACE_OWNER_FREE
#define BUSY		CTRACE_OWNER_BUSY
#define WINDOW		64u			/* slots that a search looks at */
#define SWEEP		8u			/* slots looked at per death */
#define WIPE_CHUNK	16384u			/* bytes cleared with interrupts off */
/* a pin that wipes says so each time it has cleared as many */
#define TELL_CHUNKS	64u

/* Slot j of the window that a container of this hash is searched in, on any CPU; slot 0 is shared. */
static inline u32 window_slot(const struct ctrace_arena *a, u32 hash, u32 j)
{
	u32 n = a->slots_per_cpu - 1, i;

	i = (u32)(((u64)hash * n) >> 32) + j;
	return 1 + (i >= n ? i - n : i);
}

static inline u32 window_size(const struct ctrace_arena *a)
{
	return min(a->slots_per_cpu - 1, WINDOW);
}

/* Returns key's slot, or 0. *free: the free slot that ended the search, or 0. Any context, any CPU. */
static u32 find_slot(const struct ctrace_arena *a, const struct ctrace_arena_cpu *pc, u32 key,
		     u32 *free)
{
	u32 hash = hash_32(key, 32), n = window_size(a), i, j, owner;

	*free = 0;
	for (j = 0; j < n; j++) {
		i = window_slot(a, hash, j);
		owner = READ_ONCE(pc->owner[i]);
		if (owner == key)
			return i;
		if (owner == FREE) {
			*free = i;
			return 0;
		}
	}
	return 0;
}

/* Returns the slot of the container that died longest ago, or 0. Only for claim(), where it may evict. */
static u32 find_victim(const struct ctrace_arena *a, const struct ctrace_arena_cpu *pc, u32 key)
{
	u32 hash = hash_32(key, 32), n = window_size(a), found = 0, i, j;
	const struct ctrace_arena_slot *s;
	u64 oldest = U64_MAX, dead_at;

	for (j = 0; j < n; j++) {
		i = window_slot(a, hash, j);
		s = &a->slots[pc->rings[i].slot];
		dead_at = READ_ONCE(s->dead_at);
		if (!dead_at || READ_ONCE(s->dead_cid) + 1 != pc->owner[i] ||
		    READ_ONCE(s->pins) || ctrace_ring_busy(&pc->rings[i]) || dead_at >= oldest)
			continue;
		if (ctrace_ring_frozen(&pc->rings[i]))
			continue;
		oldest = dead_at;
		found = i;
	}
	return found;
}

/* Context: on pc's CPU, interrupts off, pc->changing keeps NMIs away. */
static void bind_slot(struct ctrace_arena *a, struct ctrace_arena_cpu *pc, u32 i, u32 key, u32 cpu)
{
	struct ctrace_ring_desc *d = &pc->rings[i];

	WRITE_ONCE(pc->owner[i], BUSY);
	WRITE_ONCE(d->cid, CTRACE_CID_ALL);
	barrier();	/* an NMI found the old owner and has finished, or no longer finds it */
	ctrace_ring_rebind(d, key - 1, cpu, 0);
	barrier();
	WRITE_ONCE(d->cid, key - 1);
	WRITE_ONCE(pc->owner[i], key);
	ctrace_arena_freeze_bound(a, d);
	WRITE_ONCE(pc->crowded, 0);
}

/*
 * Returns key's slot on cpu, bound now if it had none and one can be had; 0: none. Context: any
 * incl. NMI, preemption off, on that CPU (or it is offline).
 *
 * Only tasks take a dead container's slot. An interrupt might come between the lookup of that
 * very ring and the reserve in it (for the dying container's last events); if it took the slot,
 * that record would end up in the next owner's ring. A task cannot come there, except by a fault
 * or a kprobe inside a reservation, which ctrace_ring_busy() shows. A session that keeps the oldest records
 * overwrites nothing, so it takes no slot either.
 */
static u32 claim(struct ctrace_arena *a, struct ctrace_arena_cpu *pc, u32 key, u32 cpu)
{
	unsigned long flags;
	u32 i, free;

	raw_local_irq_save(flags);	/* raw: tracing of irqs-off must not call us again */
	if (pc->changing) {
		raw_local_irq_restore(flags);
		return 0;
	}
	WRITE_ONCE(pc->changing, true);
	barrier();
	i = find_slot(a, pc, key, &free);
	if (!i) {
		i = free;
		if (!i && in_task() && !a->stop_full)
			i = find_victim(a, pc, key);
		if (i)
			bind_slot(a, pc, i, key, cpu);
		else if (in_task() || a->stop_full)
			WRITE_ONCE(pc->crowded, key);
	}
	barrier();
	WRITE_ONCE(pc->changing, false);
	raw_local_irq_restore(flags);
	return i;
}

/* cid has no ring on this CPU, and gets none as long as it is frozen: its records are refused, too. */
static struct ctrace_ring_desc *ringless(struct ctrace_arena *a, struct ctrace_arena_cpu *pc, u32 cid)
{
	return unlikely(ctrace_arena_is_frozen(a, cid)) ? &pc->refuser : pc->rings;
}

notrace struct ctrace_ring_desc *ctrace_arena_ring_slow(struct ctrace_arena *a, u32 index, u32 cid)
{
	struct ctrace_arena_cpu *pc = this_cpu_ptr(a->cpu);
	u32 key = cid + 1, i, free;

	if (cid == CTRACE_CID_UNKNOWN)
		return pc->rings;
	if (READ_ONCE(pc->crowded) == key)
		return ringless(a, pc, cid);
	i = find_slot(a, pc, key, &free);
	if (!i && !ctrace_arena_is_frozen(a, cid))
		i = claim(a, pc, key, smp_processor_id());
	if (!i)
		return ringless(a, pc, cid);
	__this_cpu_write(ctrace_rings[index], &pc->rings[i]);
	return &pc->rings[i];
}

notrace struct ctrace_ring_desc *ctrace_arena_ring_of(const struct ctrace_arena *a, u32 cpu, u32 cid)
{
	struct ctrace_arena_cpu *pc = per_cpu_ptr(a->cpu, cpu);
	u32 free, i = find_slot(a, pc, cid + 1, &free);

	return i ? &pc->rings[i] : NULL;
}

/* --- death, pins ------------------------------------------------------------------- */

static void mark_slot(struct ctrace_arena *a, u32 slot, u32 cid, u64 when)
{
	struct ctrace_arena_slot *s = &a->slots[slot];

	/* the slot may be rebound right now: then dead_cid is not its owner, and is ignored */
	WRITE_ONCE(s->dead_cid, CTRACE_CID_ALL);
	WRITE_ONCE(s->dead_at, when ?: 1);
	smp_wmb();	/* no letter, no partner: a victim chosen by the old dead_at is as good */
	WRITE_ONCE(s->dead_cid, cid);
}

void ctrace_arena_mark_dead(struct ctrace_arena *a, u32 cid, u64 when, bool (*alive)(u32 cid))
{
	struct ctrace_arena_view *v;
	u32 cpu, i, free, owner;

	mutex_lock(&a->lock);
	for_each_possible_cpu(cpu) {
		struct ctrace_arena_cpu *pc = per_cpu_ptr(a->cpu, cpu);

		i = find_slot(a, pc, cid + 1, &free);
		if (i)
			mark_slot(a, pc->rings[i].slot, cid, when);
		/* if this races with a lookup, the shared ring just stays in use */
		WRITE_ONCE(pc->crowded, 0);
	}
	/* a straggler binds a slot after its container's death was reported: check some slots each time */
	for (i = 0; i < SWEEP; i++) {
		a->sweep = (a->sweep + 1) % ctrace_arena_nslots(a);
		owner = READ_ONCE(a->owner[a->sweep]);
		if (owner != FREE && owner != BUSY && !alive(owner - 1) &&
		    a->slots[a->sweep].dead_cid + 1 != owner)
			mark_slot(a, a->sweep, owner - 1, when);
	}
	/* its views keep the slots for as long as it takes to drain them, and no longer */
	list_for_each_entry(v, &a->views, list)
		if (v->cid == cid)
			ctrace_arena_view_expire(v);
	mutex_unlock(&a->lock);
}

/*
 * A pin is done by a work item on each CPU, because only tasks of that CPU bind its slots. A CPU may
 * not answer: a real-time task may own it. Then the requester gives up, and the request
 * lives on until the last work item has run.
 *
 * Lifetime: a reference for the requester and one for each work item that has not ended. The request
 * holds a reference on its arena.
 */
#define PATIENCE	(10 * HZ)	/* how long no CPU may make progress */

struct pin_request;

struct pin_cpu {
	struct work_struct work;
	struct pin_request *req;
	u32 cpu;
	u32 slot;		/* 0: none; its work item's, until done */
	bool done;		/* the request's lock */
};

struct pin_request {
	struct kref ref;
	struct ctrace_arena *a;
	u32 cid;
	/* once for each CPU that answered, and for each MiB wiped, and at the end */
	struct completion progress;
	atomic_t left;			/* work items that have not ended */
	struct mutex lock;
	bool given_up;			/* set under lock; who finds it unpins its slot itself */
	int err;			/* first error; lock */
	struct pin_cpu cpus[];		/* [ncpus] */
};

static struct workqueue_struct *pinner;

/* The ring has its first view: a record in it looks at a word of its own. pin_lock held. */
static void view_begins(struct ctrace_arena *a, struct ctrace_ring_desc *d)
{
	/*
	 * A waiter of the session that does not see the bit has set a->armed only, and perhaps no record
	 * will look there for this ring: so the new word says that it waits. One that does sets the
	 * word itself. Partner: set_words() in wake.c.
	 */
	set_bit(d->slot, a->viewed);
	smp_mb();	/* the bit before the word: see above */
	xchg(&d->armed, CTRACE_WAKE_ALL);
	WRITE_ONCE(d->wake, &d->armed);
}

/* A record that still looks at the old word finds it in place: the descriptor lives as long as the arena. */
static void view_ends(struct ctrace_arena *a, struct ctrace_ring_desc *d)
{
	WRITE_ONCE(d->wake, &a->armed);
	clear_bit(d->slot, a->viewed);
}

/* Context: preemption may be off. */
static void pin_slot(struct ctrace_arena *a, u32 slot)
{
	struct ctrace_arena_slot *s = &a->slots[slot];

	raw_spin_lock(&a->pin_lock);
	WRITE_ONCE(s->pins, s->pins + 1);
	if (s->pins == 1)
		view_begins(a, &a->rings[slot]);
	raw_spin_unlock(&a->pin_lock);
}

static void unpin_slot(struct ctrace_arena *a, u32 slot)
{
	struct ctrace_arena_slot *s = &a->slots[slot];

	raw_spin_lock(&a->pin_lock);
	WRITE_ONCE(s->pins, s->pins - 1);
	if (!s->pins)
		view_ends(a, &a->rings[slot]);
	raw_spin_unlock(&a->pin_lock);
	/* the slot may be a victim now: who found none may search again */
	WRITE_ONCE(per_cpu_ptr(a->cpu, slot / a->slots_per_cpu)->crowded, 0);
}

static void request_release(struct kref *ref)
{
	struct pin_request *r = container_of(ref, struct pin_request, ref);

	ctrace_arena_put(r->a);
	kvfree(r);
}

/* Whose work has no CPU of its own takes turns. */
static DEFINE_MUTEX(offline_lock);

/*
 * Enters a section that may change cpu's slots: on that CPU with preemption off, or while it is offline and
 * stays so. False: neither, as the CPU came or went since the work was queued.
 */
static bool slots_enter(u32 cpu, bool *offline)
{
	preempt_disable();
	*offline = false;
	if (smp_processor_id() == cpu)
		return true;
	preempt_enable();
	cpus_read_lock();
	if (!cpu_online(cpu)) {
		*offline = true;
		mutex_lock(&offline_lock);
		preempt_disable();
		return true;
	}
	cpus_read_unlock();
	return false;
}

static void slots_leave(bool offline)
{
	preempt_enable();
	if (offline) {
		mutex_unlock(&offline_lock);
		cpus_read_unlock();
	}
}

static void pin_queue(struct pin_cpu *p)
{
	if (cpu_online(p->cpu))
		queue_work_on(p->cpu, pinner, &p->work);
	else
		queue_work(pinner, &p->work);
}

/*
 * One chunk of wiping other containers' records from slot i before it is mapped. True: nothing is left. With
 * interrupts off, `changing` and BUSY keep NMIs out: a record that comes in between goes to the shared ring.
 * Several pins of one container may take turns: how far it came is in the slot. Context: slots_enter().
 */
static bool wipe_chunk(struct ctrace_arena *a, struct ctrace_arena_cpu *pc, u32 i, u32 key)
{
	struct ctrace_ring_desc *d = &pc->rings[i];
	struct ctrace_arena_slot *s = &a->slots[d->slot];
	unsigned long flags;
	bool done;

	raw_local_irq_save(flags);
	/* it was wiped at an earlier pin, or there is nothing to wipe */
	done = !s->wiping && d->floor == d->base;
	if (!done) {
		if (!s->wiping) {
			s->wiping = true;
			s->wiped = 0;
		}
		WRITE_ONCE(pc->changing, true);
		WRITE_ONCE(pc->owner[i], BUSY);
		WRITE_ONCE(d->cid, CTRACE_CID_ALL);
		barrier();
		done = ctrace_ring_wipe(d, &s->wiped, WIPE_CHUNK);
		barrier();
		WRITE_ONCE(d->cid, key - 1);
		WRITE_ONCE(pc->owner[i], key);
		ctrace_arena_freeze_bound(a, d);
		WRITE_ONCE(pc->changing, false);
		s->wiping = !done;
	}
	raw_local_irq_restore(flags);
	return done;
}

/* The work item's end. A requester that gave up before has unpinned the slots of those that had ended. */
static void pin_done(struct pin_cpu *p, int err)
{
	struct pin_request *r = p->req;

	mutex_lock(&r->lock);
	p->done = true;
	if (err && !r->err)
		r->err = err;
	if (r->given_up && p->slot)
		unpin_slot(r->a, p->slot);
	mutex_unlock(&r->lock);
	atomic_dec(&r->left);
	complete(&r->progress);		/* a full barrier's worth: partner in pin_wait() */
	kref_put(&r->ref, request_release);
}

static void pin_work(struct work_struct *work)
{
	struct pin_cpu *p = container_of(work, struct pin_cpu, work);
	struct pin_request *r = p->req;
	struct ctrace_arena_cpu *pc = per_cpu_ptr(r->a->cpu, p->cpu);
	u32 i = p->slot % r->a->slots_per_cpu, n = 0;
	bool offline, wiped = false;

	do {
		if (READ_ONCE(r->given_up))
			break;
		if (!slots_enter(p->cpu, &offline)) {
			pin_queue(p);
			return;
		}
		if (!i) {
			i = claim(r->a, pc, r->cid + 1, p->cpu);
			if (i)
				pin_slot(r->a, pc->rings[i].slot);
		} else {
			wiped = wipe_chunk(r->a, pc, i, r->cid + 1);
		}
		slots_leave(offline);
		if (!i)
			break;
		p->slot = pc->rings[i].slot;
		if (!(n++ % (TELL_CHUNKS)))
			complete(&r->progress);
		cond_resched();
	} while (!wiped);
	pin_done(p, i || READ_ONCE(r->given_up) ? 0 : -ENOSPC);
}

/* Waits for all CPUs. Afterwards the work items keep no slot pinned if it returns an error. */
static int pin_wait(struct pin_request *r)
{
	long ret = 1;
	u32 cpu;
	int err;

	while (ret > 0 && atomic_read(&r->left))
		ret = wait_for_completion_interruptible_timeout(&r->progress, PATIENCE);
	mutex_lock(&r->lock);
	if (!atomic_read(&r->left))
		err = r->err;
	else
		err = ret < 0 ? -ERESTARTSYS : -ETIMEDOUT;
	if (err) {
		WRITE_ONCE(r->given_up, true);
		for_each_possible_cpu(cpu)
			if (r->cpus[cpu].done && r->cpus[cpu].slot)
				unpin_slot(r->a, r->cpus[cpu].slot);
	}
	mutex_unlock(&r->lock);
	return err;
}

int ctrace_arena_pin(struct ctrace_arena *a, u32 cid, u32 *slots)
{
	struct pin_request *r = kvzalloc(sizeof(*r) + a->ncpus * sizeof(r->cpus[0]), CTRACE_COMPAT_GFP_LARGE);
	u32 cpu;
	int err;

	if (!r)
		return -ENOMEM;
	kref_init(&r->ref);
	ctrace_arena_get(a);
	r->a = a;
	r->cid = cid;
	mutex_init(&r->lock);
	init_completion(&r->progress);
	atomic_set(&r->left, num_possible_cpus());
	for_each_possible_cpu(cpu) {
		r->cpus[cpu].req = r;
		r->cpus[cpu].cpu = cpu;
		INIT_WORK(&r->cpus[cpu].work, pin_work);
		kref_get(&r->ref);
		pin_queue(&r->cpus[cpu]);
	}
	err = pin_wait(r);
	memset(slots, 0, a->ncpus * sizeof(*slots));
	if (!err)
		for_each_possible_cpu(cpu)
			slots[cpu] = r->cpus[cpu].slot;
	kref_put(&r->ref, request_release);
	return err;
}

/* slots[] holds 0 for "none": slot 0 is CPU 0's shared ring, which is never pinned. */
void ctrace_arena_unpin(struct ctrace_arena *a, const u32 *slots)
{
	u32 cpu;

	for (cpu = 0; cpu < a->ncpus; cpu++)
		if (slots[cpu])
			unpin_slot(a, slots[cpu]);
}

int ctrace_pin_module_init(void)
{
	pinner = ctrace_compat_alloc_percpu_workqueue("ctrace_pin");
	return pinner ? 0 : -ENOMEM;
}

/* Waits for pins that were given up, if need be until their CPUs answer. */
void ctrace_pin_module_exit(void)
{
	destroy_workqueue(pinner);
}
