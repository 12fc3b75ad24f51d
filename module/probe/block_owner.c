// SPDX-License-Identifier: GPL-2.0-only
/*
 * The issuers of requests under way, keyed by bio. If a newer one has taken a request's place, or another
 * CPU has it just now, the request is its cgroup's or the host's, and is counted.
 *
 * A bio's address is used again. An entry is about rq's bio, and not an earlier one there, if it has
 * the same queue, contains rq's sector, and is not older than rq. Besides, while the tracepoints are
 * on, each new request overwrites the old entry of its bio's address.
 */
#include "probe/block_owner.h"
#include "event/comm.h"
#include "identity/cgroup.h"

/* The size is constant: modules cannot list the disks, so their queues cannot be added up. */
struct ctrace_inflight ctrace_block_owners __read_mostly = {
	.stride = sizeof(struct ctrace_block_owner), .bits = 12, .owned = true,
};

/* --- whose ------------------------------------------------------------------- */

static void nobody(struct ctrace_block_issuer *out)
{
	out->start = 0;
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

/*
 * Is bio charged to current's own cgroup, or to none? Then current submits it for itself. Otherwise current
 * works for others: it writes back what they wrote, or is a kernel thread.
 */
static __always_inline bool for_itself(struct bio *bio)
{
	const struct cgroup *cgrp = ctrace_compat_bio_cgroup(bio);

	return !cgrp || cgrp == ctrace_compat_cset_io(ctrace_compat_task_cset(current));
}

/* ctrace_block_here(): whose it is. Is it current that issues it? */
static bool here(struct bio *bio, struct ctrace_who *who)
{
	if (!in_task()) {
		by_cgroup(bio, who);
		return false;
	}
	if (for_itself(bio))
		ctrace_identity_resolve_current(who);
	else
		ctrace_identity_resolve_cgroup(ctrace_compat_bio_cgroup(bio), who);
	return who->task || current->flags & PF_KTHREAD;
}

static __always_inline void name(char *comm, bool is_current)
{
	if (is_current)
		memcpy(comm, current->comm, CTRACE_COMM_LEN);
	else
		memset(comm, 0, CTRACE_COMM_LEN);
}

void ctrace_block_here(struct bio *bio, struct ctrace_block_issuer *out)
{
	bool is_current = here(bio, &out->who);

	out->start = 0;
	out->tid = is_current ? current->pid : 0;
	name(out->comm, is_current);
}

/* --- the table ---------------------------------------------------------------- */

static __always_inline void keep(struct bio *bio, const struct ctrace_who *who, bool is_current, u64 unwanted,
				 bool waits)
{
	u32 place = ctrace_inflight_renew(&ctrace_block_owners, bio);
	struct ctrace_block_owner *o;

	if (place == CTRACE_INFLIGHT_NONE)
		return;
	o = ctrace_inflight_at(&ctrace_block_owners, place);
	o->tid = is_current ? current->pid : 0;
	name(o->comm, is_current);
	o->start = who->task ? ctrace_compat_task_start(who->task) : 0;
	o->q = ctrace_compat_bio_q(bio);
	o->sector = ctrace_compat_bio_sector(bio);
	o->sectors = bio_sectors(bio);
	o->dev = ctrace_compat_bio_disk(bio);
	o->flags = ctrace_compat_bio_flags(bio);
	o->throttled = 0;
	o->ended = false;
	o->waits = waits;
	o->begun.time = ctrace_compat_clock();
	o->unwanted = unwanted;
	ctrace_begun_by(&o->begun, who);
	ctrace_inflight_let_go(&ctrace_block_owners, place, bio);
}

/*
 * The place of key, a bio, BUSY, if a limit holds that back and bio is it or a part of it; else NONE. key is
 * only compared: it may point to anything.
 */
static u32 hold_waiting(const void *key, struct bio *bio)
{
	u64 sector = ctrace_compat_bio_sector(bio);
	const struct ctrace_block_owner *o;
	u32 place = CTRACE_INFLIGHT_NONE;

	/* these two are the table's own words */
	if (key && key != CTRACE_INFLIGHT_BUSY)
		place = ctrace_inflight_hold(&ctrace_block_owners, key);
	if (place == CTRACE_INFLIGHT_NONE)
		return place;
	o = ctrace_inflight_at(&ctrace_block_owners, place);
	/* an NVMe disk with several paths gives its bio to one of them, which has a queue of its own */
	if (o->waits && (key == bio || o->q == ctrace_compat_bio_q(bio)) &&
	    sector - o->sector < max(o->sectors, 1u))
		return place;
	ctrace_inflight_let_go(&ctrace_block_owners, place, key);
	return CTRACE_INFLIGHT_NONE;
}

/*
 * A limit has let bio go, and it gets its request, in a kernel thread: it stays the issuer's. False: no limit
 * held it back.
 */
static bool let_through(struct bio *bio)
{
	u32 place = hold_waiting(bio, bio);
	struct ctrace_block_owner *o, was;
	const void *key = bio;
	struct ctrace_who who;
	u64 now;

	if (place == CTRACE_INFLIGHT_NONE) {
		/* the first part of a bio that was split is a bio of its own, which points to the rest */
		key = bio->bi_private;
		place = hold_waiting(key, bio);
	}
	if (place == CTRACE_INFLIGHT_NONE)
		return false;
	was = *(const struct ctrace_block_owner *)ctrace_inflight_at(&ctrace_block_owners, place);
	ctrace_inflight_let_go(&ctrace_block_owners, place, key);
	if (!ctrace_begun_whose(&was.begun, &who))
		return false;
	place = ctrace_inflight_renew(&ctrace_block_owners, bio);
	if (place == CTRACE_INFLIGHT_NONE)
		return true;	/* renew() noted it */
	o = ctrace_inflight_at(&ctrace_block_owners, place);
	now = ctrace_compat_clock();
	*o = was;
	o->q = ctrace_compat_bio_q(bio);
	o->sector = ctrace_compat_bio_sector(bio);
	o->sectors = bio_sectors(bio);
	o->dev = ctrace_compat_bio_disk(bio);
	o->throttled = ctrace_compat_passed(was.begun.time, now);
	o->waits = false;
	o->begun.time = now;
	ctrace_begun_by(&o->begun, &who);
	ctrace_inflight_let_go(&ctrace_block_owners, place, bio);
	return true;
}

static noinline void remember_any(struct bio *bio)
{
	u64 gen = atomic64_read(&ctrace_identity_gen);
	struct ctrace_who who;
	bool is_current;

	if (in_task() && current->flags & PF_WQ_WORKER && let_through(bio))
		return;
	smp_rmb();	/* before what it covers, as in ctrace_identity_look() */
	is_current = here(bio, &who);
	keep(bio, &who, is_current, ctrace_container_wanted(who.container) ? 0 : gen, false);
}

void ctrace_block_remember(struct bio *bio)
{
	struct ctrace_who who = { .task = current };
	union ctrace_ids ids;

	if (unlikely(!bio))
		return;
	if (unlikely(!in_task() || !for_itself(bio) || !ctrace_identity_known())) {
		remember_any(bio);
		return;
	}
	/* as here() would find, in registers */
	ids.both = __this_cpu_read(ctrace_idcache.ids.both);
	who.container = __this_cpu_read(ctrace_idcache.c);
	who.tid = ids.tid;
	who.vtid = ids.vtid;
	keep(bio, &who, true, __this_cpu_read(ctrace_idcache.unwanted), false);
}

void ctrace_block_held_back(struct bio *bio, struct ctrace_who *who)
{
	u32 place = CTRACE_INFLIGHT_NONE;

	/* it may come from a limit of a cgroup below, or be the rest of a bio that was split */
	if (!who->task || current->flags & PF_WQ_WORKER)
		place = hold_waiting(bio, bio);
	if (place != CTRACE_INFLIGHT_NONE)
		ctrace_inflight_let_go(&ctrace_block_owners, place, bio);
	if (place != CTRACE_INFLIGHT_NONE || !who->task)
		return;
	if (!for_itself(bio))
		ctrace_identity_resolve_cgroup(ctrace_compat_bio_cgroup(bio), who);
	keep(bio, who, who->task || current->flags & PF_KTHREAD, 0, true);
}

bool ctrace_block_recall_any(struct request *rq, bool here, struct ctrace_block_issuer *out)
{
	if (here) {
		ctrace_block_here(rq->bio, out);
		return true;
	}
	nobody(out);
	by_cgroup(rq->bio, &out->who);
	return !ctrace_block_by_bio(rq) ||
	       !ctrace_inflight_may_be_lost(&ctrace_block_owners, rq->bio, ctrace_compat_rq_start(rq));
}
