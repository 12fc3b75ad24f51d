// SPDX-License-Identifier: GPL-2.0-only
/*
 * The issuers of requests under way: a table of fixed size, keyed by bio.
 *
 * An entry's key is the bio, 0 (free), or BUSY while somebody has it to
 * himself; it changes by compare-and-exchange, and nobody waits for it: who finds an entry
 * busy does without. A full bucket loses an older entry, whose request is then the
 * host's or its cgroup's. Entries hold no reference: forget_dying().
 *
 * An address is used again. An entry speaks of rq's life of the bio if it is of
 * the same queue, of these sectors, and not older than the request; besides, every request made
 * while the tracepoints are on overwrites what its bio's address meant before.
 */
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include "probe/block_owner.h"
#include "event/comm.h"
#include "compat/block.h"
#include "compat/clock.h"
#include "compat/hash.h"

#define BITS	8
#define WAYS	4
#define BUSY	1ul
/* Older kernels tell of a bio before it waits for its request: as long as a busy disk takes. */
#define SLACK	NSEC_PER_SEC

struct owner {
	unsigned long key;
	const struct request_queue *q;
	u64 sector;
	u64 time;
	struct ctrace_container *container;
	const struct task_struct *task;	/* who.task; compared, never looked into */
	u64 start;			/* of the task: its address is used again too */
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

/* Waits for who has it to himself: with preemption off, and never interrupted by one of these. */
static void forget(struct owner *o)
{
	const struct ctrace_container *c;
	unsigned long key;

	while ((key = smp_load_acquire(&o->key)) == BUSY)	/* pairs with let_go() */
		cpu_relax();
	c = key ? READ_ONCE(o->container) : NULL;
	if (c && READ_ONCE(c->dying))
		cmpxchg(&o->key, key, 0);
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
	 * Charged as what current submits for itself: it is current's. Else current works
	 * for somebody: it writes back what others wrote, or is a kernel thread.
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

/* An entry to write for bio, claimed; NULL: all busy. */
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
	 * The GC sets dying, then looks here. Either it finds the entry, or dying is seen
	 * here: pairs with the barrier in forget_dying(). While the entry can
	 * be found, preemption is off here, so that the container stays.
	 */
	smp_mb();
	if (unlikely(READ_ONCE(by.who.container->dying)))
		forget(o);
}

/* The task that an entry is about, if it still is: good as long as preemption is off. */
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
	/* A dying one was remembered too late for the GC, and is about to be forgotten. */
	found = of_this_life(o, rq) && !READ_ONCE(o->container->dying);
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
