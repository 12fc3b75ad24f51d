// SPDX-License-Identifier: GPL-2.0-only
/* Which slot belongs to which container: binding at its first event, its death, pins. */
#include <linux/hash.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include "ring/arena.h"
#include "compat/cpu.h"

#define FREE		CTRACE_OWNER_FREE
#define BUSY		CTRACE_OWNER_BUSY
#define WINDOW		64u			/* slots that a search looks at */
#define SWEEP		8u			/* slots looked at per death */
#define WIPE_CHUNK	16384u			/* bytes cleared with interrupts off */

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
		oldest = dead_at;
		found = i;
	}
	return found;
}

/* Context: on pc's CPU, interrupts off, pc->changing keeps NMIs away. */
static void bind_slot(struct ctrace_arena_cpu *pc, u32 i, u32 key, u32 cpu)
{
	struct ctrace_ring_desc *d = &pc->rings[i];

	WRITE_ONCE(pc->owner[i], BUSY);
	WRITE_ONCE(d->cid, CTRACE_CID_ALL);
	barrier();	/* an NMI found the old owner and has finished, or no longer finds it */
	ctrace_ring_rebind(d, key - 1, cpu, 0);
	barrier();
	WRITE_ONCE(d->cid, key - 1);
	WRITE_ONCE(pc->owner[i], key);
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
			bind_slot(pc, i, key, cpu);
		else if (in_task() || a->stop_full)
			WRITE_ONCE(pc->crowded, key);
	}
	barrier();
	WRITE_ONCE(pc->changing, false);
	raw_local_irq_restore(flags);
	return i;
}

notrace struct ctrace_ring_desc *ctrace_arena_ring_slow(struct ctrace_arena *a, u32 index, u32 cid)
{
	struct ctrace_arena_cpu *pc = this_cpu_ptr(a->cpu);
	u32 key = cid + 1, i, free;

	if (cid == CTRACE_CID_UNKNOWN || READ_ONCE(pc->crowded) == key)
		return pc->rings;
	i = find_slot(a, pc, key, &free);
	if (!i)
		i = claim(a, pc, key, smp_processor_id());
	if (i)
		__this_cpu_write(ctrace_rings[index], &pc->rings[i]);
	return &pc->rings[i];
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
		a->sweep = (a->sweep + 1) % a->dir->nslots;
		owner = READ_ONCE(a->owner[a->sweep]);
		if (owner != FREE && owner != BUSY && !alive(owner - 1) &&
		    a->slots[a->sweep].dead_cid + 1 != owner)
			mark_slot(a, a->sweep, owner - 1, when);
	}
	mutex_unlock(&a->lock);
}

struct pin_work {
	struct work_struct work;
	struct ctrace_arena *a;
	u32 cid, cpu, slot;
	int err;
};

/*
 * Wipes other containers' records from the slot before it is mapped. Works in chunks with
 * interrupts off, `changing` and BUSY keep NMIs out: a record that comes meanwhile goes to the
 * shared ring.
 */
static void wipe_slot(struct ctrace_arena_cpu *pc, u32 i, u32 key)
{
	struct ctrace_ring_desc *d = &pc->rings[i];
	unsigned long flags;
	u64 wiped = 0;
	bool done;

	/* it was wiped at an earlier pin, or there is nothing to wipe */
	if (d->floor == d->base)
		return;
	do {
		raw_local_irq_save(flags);
		WRITE_ONCE(pc->changing, true);
		WRITE_ONCE(pc->owner[i], BUSY);
		WRITE_ONCE(d->cid, CTRACE_CID_ALL);
		barrier();
		done = ctrace_ring_wipe(d, &wiped, WIPE_CHUNK);
		barrier();
		WRITE_ONCE(d->cid, key - 1);
		WRITE_ONCE(pc->owner[i], key);
		WRITE_ONCE(pc->changing, false);
		raw_local_irq_restore(flags);
		cond_resched();
	} while (!done);
}

static void pin_work(struct work_struct *work)
{
	struct pin_work *p = container_of(work, struct pin_work, work);
	struct ctrace_arena_cpu *pc = per_cpu_ptr(p->a->cpu, p->cpu);
	u32 i;

	preempt_disable();
	i = claim(p->a, pc, p->cid + 1, p->cpu);
	if (i) {
		p->slot = pc->rings[i].slot;
		WRITE_ONCE(p->a->slots[p->slot].pins, p->a->slots[p->slot].pins + 1);
	}
	preempt_enable();
	p->err = i ? 0 : -ENOSPC;
	if (i)
		wipe_slot(pc, i, p->cid + 1);
}

int ctrace_arena_pin(struct ctrace_arena *a, u32 cid, u32 *slots)
{
	struct pin_work p = { .a = a, .cid = cid };
	u32 cpu, n = 0;
	int err = 0;

	memset(slots, 0, a->ncpus * sizeof(*slots));
	mutex_lock(&a->lock);
	cpus_read_lock();
	for_each_possible_cpu(cpu) {
		p.cpu = cpu;
		/* claim() wants a task on that CPU; on an offline CPU nobody runs */
		INIT_WORK_ONSTACK(&p.work, pin_work);
		if (cpu_online(cpu)) {
			schedule_work_on(cpu, &p.work);
			flush_work(&p.work);
		} else {
			pin_work(&p.work);
		}
		destroy_work_on_stack(&p.work);
		err = p.err;
		if (err)
			break;
		slots[cpu] = p.slot;
		n++;
	}
	cpus_read_unlock();
	mutex_unlock(&a->lock);
	if (err)
		ctrace_arena_unpin(a, slots);
	return err;
}

/* slots[] holds 0 for "none": slot 0 is CPU 0's shared ring, which is never pinned. */
void ctrace_arena_unpin(struct ctrace_arena *a, const u32 *slots)
{
	u32 cpu;

	mutex_lock(&a->lock);
	for (cpu = 0; cpu < a->ncpus; cpu++)
		if (slots[cpu])
			WRITE_ONCE(a->slots[slots[cpu]].pins, a->slots[slots[cpu]].pins - 1);
	mutex_unlock(&a->lock);
}
