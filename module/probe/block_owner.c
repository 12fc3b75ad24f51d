// SPDX-License-Identifier: GPL-2.0-only
/*
 * The issuers of requests under way: a table of fixed size, keyed by bio.
 *
 * An entry's key is the bio, 0 (free), or BUSY while one CPU has the entry to itself. It changes by
 * compare-and-exchange. Probes do not wait: one that finds an entry BUSY does without it. Only forget()
 * waits. A full bucket loses an older entry, whose request is then its cgroup's or the host's. Entries
 * hold no reference: forget_dying() clears them.
 * A part that ends (container.h) needs no such care: the GC comes when no probe finds the part any more, puts
 * its heir in its place, and waits for the probes that have read it.
 *
 * A bio's address is used again. An entry is about rq's bio, and not an earlier one there, if it has
 * the same queue, contains rq's sector, and is not older than rq. Besides, while the tracepoints are
 * on, each new request overwrites the old entry of its bio's address.
 */
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include "probe/block_owner.h"
#include "event/comm.h"
#include "identity/cgroup.h"
#include "compat/block.h"
#include "compat/clock.h"
#include "compat/hash.h"

#define BITS	8
#define WAYS	4
#define BUSY	1ul
/* Older kernels report a bio before it waits for its request: allow for such a wait on a busy disk. */
#define SLACK	NSEC_PER_SEC

struct owner {
	unsigned long key;
	const struct request_queue *q;
	u64 sector;
	u64 time;
	struct ctrace_container *container;
	const struct task_struct *task;	/* who.task; compared, never dereferenced */
	u64 start;			/* of the task, whose address is used again too */
	u32 sectors;
	s32 vtid;
	s32 tid;			/* issuer's */
	char comm[CTRACE_COMM_LEN];
};

static struct owner table[1 << BITS][WAYS];
static u32 victim;		/* only spreads evictions: races do no harm */

static struct owner *bucket_of(const struct bio *bio)
{
	return table[ctrace_hash_ptr(bio, BITS)];
}

static bool claim(struct owner *o, unsigned long key)
{
	return cmpxchg(&o->key, key, BUSY) == key;	/* ordered before what follows */
}

static void let_go(struct owner *o, unsigned long key)
{
	smp_store_release(&o->key, key);	/* pairs with claim(), and the acquire in forget() */
}

/* Waits while o is BUSY. Its holder has preemption off, and no caller of forget() interrupts a holder. */
static void forget(struct owner *o)
{
	struct ctrace_container *c;
	unsigned long key;

	do {
		while ((key = smp_load_acquire(&o->key)) == BUSY)	/* pairs with let_go() */
			cpu_relax();
		c = key ? READ_ONCE(o->container) : NULL;
		if (!c || !READ_ONCE(c->dying))
			return;
	} while (!claim(o, key));
	c = o->container;
	if (READ_ONCE(c->dying))
		c = c->heir;
	WRITE_ONCE(o->container, c);
	let_go(o, c ? key : 0);
}

/* A container that dies, while somebody has found it: it comes too late for the GC. */
static bool too_late(const struct ctrace_container *c)
{
	return READ_ONCE(c->dying) && !c->base;
}

/* --- whose ------------------------------------------------------------------- */

static void nobody(struct ctrace_block_issuer *out)
{
	out->tid = 0;
	memset(out->comm, 0, sizeof(out->comm));
}

static void by_cgroup(struct bio *bio, struct ctrace_who *who)
{
	const struct cgroup *cgrp = ctrace_compat_bio_cgroup(bio);

	if (cgrp)
		ctrace_identity_resolve_cgroup(cgrp, who);
	else
		ctrace_identity_host(who);
}

void ctrace_block_here(struct bio *bio, struct ctrace_block_issuer *out)
{
	const struct cgroup *cgrp = ctrace_compat_bio_cgroup(bio);

	nobody(out);
	if (!in_task()) {
		by_cgroup(bio, &out->who);
		return;
	}
	/*
	 * Charged to current's own cgroup, or to none: current submits it for itself. Otherwise
	 * current works for others: it writes back what they wrote, or is a kernel thread.
	 */
	if (!cgrp || cgrp == ctrace_compat_cset_io(ctrace_compat_task_cset(current)))
		ctrace_identity_resolve_current(&out->who);
	else
		ctrace_identity_resolve_cgroup(cgrp, &out->who);
	if (out->who.task || current->flags & PF_KTHREAD) {
		out->tid = current->pid;
		ctrace_put_comm(out->comm, current, true);
	}
}

/* --- the table ---------------------------------------------------------------- */

/* Claims the entry to write for bio; NULL: it is BUSY. */
static struct owner *place_for(const struct bio *bio)
{
	struct owner *b = bucket_of(bio), *o = NULL;
	unsigned long key = (unsigned long)bio;
	int i;

	for (i = 0; i < WAYS; i++) {
		unsigned long k = READ_ONCE(b[i].key);

		if (k == key)
			return claim(&b[i], key) ? &b[i] : NULL;
		if (!k && !o)
			o = &b[i];
	}
	if (o && claim(o, 0))
		return o;
	o = &b[victim++ % WAYS];
	key = READ_ONCE(o->key);
	return key != BUSY && claim(o, key) ? o : NULL;
}

void ctrace_block_remember(struct bio *bio)
{
	struct ctrace_block_issuer by;
	struct owner *o;

	ctrace_block_here(bio, &by);
	o = place_for(bio);
	if (!o)
		return;
	o->q = ctrace_compat_bio_q(bio);
	o->sector = ctrace_compat_bio_sector(bio);
	o->sectors = bio_sectors(bio);
	o->time = ctrace_compat_clock();
	WRITE_ONCE(o->container, by.who.container);
	o->task = by.who.task;
	o->start = by.who.task ? ctrace_compat_task_start(by.who.task) : 0;
	o->vtid = by.who.vtid;
	o->tid = by.tid;
	memcpy(o->comm, by.comm, sizeof(o->comm));
	let_go(o, (unsigned long)bio);
	/*
	 * The GC sets dying, then looks here. Either it finds the entry, or we see dying: pairs
	 * with the barrier in forget_dying(). Preemption is off here until the
	 * entry cannot be found any more, so the container stays.
	 */
	smp_mb();
	if (unlikely(too_late(by.who.container)))
		forget(o);
}

/* The task that o is about, if it still exists; valid while preemption is off. */
static const struct task_struct *task_of(const struct owner *o)
{
	const struct task_struct *p;

	if (!o->task)
		return NULL;
	rcu_read_lock();
	p = pid_task(find_pid_ns(o->tid, &init_pid_ns), PIDTYPE_PID);
	if (p && (p != o->task || ctrace_compat_task_start(p) != o->start))
		p = NULL;
	rcu_read_unlock();
	return p;
}

static bool of_this_life(const struct owner *o, const struct request *rq)
{
	u64 pos = blk_rq_pos(rq);

	return o->q == rq->q && pos >= o->sector && pos - o->sector < max(o->sectors, 1u) &&
	       o->time + SLACK >= ctrace_compat_rq_start(rq);
}

static bool remembered(const struct request *rq, bool last, struct ctrace_block_issuer *out)
{
	unsigned long key = (unsigned long)rq->bio;
	struct owner *o = bucket_of(rq->bio);
	bool found;
	int i;

	for (i = 0; i < WAYS && READ_ONCE(o->key) != key; i++)
		o++;
	if (i == WAYS || !claim(o, key))
		return false;
	/* A dying container was remembered too late for the GC, and is about to be forgotten. */
	found = of_this_life(o, rq) && !too_late(o->container);
	if (found) {
		out->who.container = o->container;
		out->who.task = task_of(o);
		out->who.tid = o->task ? o->tid : 0;
		out->who.vtid = o->vtid;
		out->tid = o->tid;
		memcpy(out->comm, o->comm, sizeof(out->comm));
	}
	let_go(o, found && !last ? key : 0);
	return found;
}

void ctrace_block_recall(struct request *rq, bool here, bool last, struct ctrace_block_issuer *out)
{
	if (rq->bio && !ctrace_compat_rq_passthrough(rq) && remembered(rq, last, out))
		return;
	if (here) {
		ctrace_block_here(rq->bio, out);
		return;
	}
	nobody(out);
	by_cgroup(rq->bio, &out->who);
}

static void forget_dying(void)
{
	u32 i;

	smp_mb();	/* pairs with ctrace_block_remember() */
	for (i = 0; i < ARRAY_SIZE(table) * WAYS; i++)
		forget(&table[i / WAYS][i % WAYS]);
}

const struct ctrace_container_watcher ctrace_block_watcher = { .forget = forget_dying };
