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
#include "compat/block.h"
#include "compat/clock.h"

/* Older kernels report a bio before it waits for its request: allow for such a wait on a busy disk. */
#define SLACK	NSEC_PER_SEC

struct owner {
	struct ctrace_owned begun;
	u64 start;			/* of the owner's task, whose address is used again, too */
	const struct request_queue *q;
	u64 sector;
	u32 sectors;
	s32 tid;			/* the issuer's */
	char comm[CTRACE_COMM_LEN];
};

/* The size is constant: modules are not told which disks there are, so their queues cannot be added up. */
struct ctrace_inflight ctrace_block_owners __read_mostly = {
	.stride = sizeof(struct owner), .bits = 12, .owned = true,
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

/* ctrace_block_here(): whose it is. Is it current that issues it? */
static __always_inline bool here(struct bio *bio, struct ctrace_who *who)
{
	const struct cgroup *cgrp;

	if (!in_task()) {
		by_cgroup(bio, who);
		return false;
	}
	cgrp = ctrace_compat_bio_cgroup(bio);
	/*
	 * Charged to current's own cgroup, or to none: current submits it for itself. Otherwise
	 * current works for others: it writes back what they wrote, or is a kernel thread.
	 */
	if (!cgrp || cgrp == ctrace_compat_cset_io(ctrace_compat_task_cset(current)))
		ctrace_identity_resolve_current(who);
	else
		ctrace_identity_resolve_cgroup(cgrp, who);
	return who->task || current->flags & PF_KTHREAD;
}

void ctrace_block_here(struct bio *bio, struct ctrace_block_issuer *out)
{
	bool is_current = here(bio, &out->who);

	out->start = 0;
	out->tid = is_current ? current->pid : 0;
	ctrace_put_comm(out->comm, current, is_current);
}

/* --- the table ---------------------------------------------------------------- */

void ctrace_block_remember(struct bio *bio)
{
	struct ctrace_who who;
	bool is_current = here(bio, &who);
	struct owner *o;
	u32 place;

	place = ctrace_inflight_renew(&ctrace_block_owners, bio);
	if (place == CTRACE_INFLIGHT_NONE)
		return;
	o = ctrace_inflight_at(&ctrace_block_owners, place);
	o->tid = is_current ? current->pid : 0;
	ctrace_put_comm(o->comm, current, is_current);
	o->start = who.task ? ctrace_compat_task_start(who.task) : 0;
	o->q = ctrace_compat_bio_q(bio);
	o->sector = ctrace_compat_bio_sector(bio);
	o->sectors = bio_sectors(bio);
	o->begun.time = ctrace_compat_clock();
	ctrace_begun_by(&o->begun, &who);
	ctrace_inflight_let_go(&ctrace_block_owners, place, bio);
}

static bool of_this_life(const struct owner *o, const struct request *rq)
{
	u64 pos = blk_rq_pos(rq);

	return o->q == rq->q && pos >= o->sector && pos - o->sector < max(o->sectors, 1u) &&
	       o->begun.time + SLACK >= ctrace_compat_rq_start(rq);
}

static bool remembered(const struct request *rq, bool last, struct ctrace_block_issuer *out)
{
	u32 place = ctrace_inflight_hold(&ctrace_block_owners, rq->bio);
	const struct owner *o;
	bool found;

	if (place == CTRACE_INFLIGHT_NONE)
		return false;
	o = ctrace_inflight_at(&ctrace_block_owners, place);
	found = of_this_life(o, rq) && ctrace_begun_whose(&o->begun, &out->who);
	if (found) {
		out->start = o->start;
		out->tid = o->tid;
		memcpy(out->comm, o->comm, sizeof(out->comm));
	}
	ctrace_inflight_let_go(&ctrace_block_owners, place, found && !last ? rq->bio : NULL);
	return found;
}

bool ctrace_block_recall(struct request *rq, bool here, bool last, struct ctrace_block_issuer *out)
{
	bool by_bio = rq->bio && !ctrace_compat_rq_passthrough(rq);

	if (by_bio && remembered(rq, last, out))
		return true;
	if (here) {
		ctrace_block_here(rq->bio, out);
		return true;
	}
	nobody(out);
	by_cgroup(rq->bio, &out->who);
	return !by_bio || !ctrace_inflight_may_be_lost(&ctrace_block_owners, rq->bio, ctrace_compat_rq_start(rq));
}
