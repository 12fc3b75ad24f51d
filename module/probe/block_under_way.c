// SPDX-License-Identifier: GPL-2.0-only
/*
 * Block requests under way, while a session has block_io: first requests in a disk, then requests before
 * that. Places of both tables may be left behind (session/inflight.h), and nothing shows which. So a place
 * alone proves nothing:
 *
 *	in the disk	The table of block_io has the request, and block_owners its first bio. While the
 *			request is under way, no other bio has that address. So an owner that was remembered
 *			there before the issue, for the request's first sector, is its own. Both places are
 *			given back at the request's end.
 *	before it	The thread that submitted the bio sleeps for I/O, and has had no CPU since. So some
 *			of what it submitted then is under way: this bio, or one that it was merged with.
 *			That one is not in a disk, because no request there covers the bio's sector.
 *
 * A request that no thread waits for is therefore left out until it is issued.
 */
#include "probe/block_owner.h"
#include "probe/block_under_way.h"
#include "session/target.h"
#include "compat/task.h"

#define PLACES_AT_ONCE	64	/* that are looked at before the caller may rest */
#define CLOCKS_APART	NSEC_PER_MSEC	/* of CPUs, and of the kernel's clock for tasks from ours */

static struct ctrace_inflight *const owners = &ctrace_block_owners;

static bool covers(u64 first, u64 sectors, u64 sector)
{
	return sector - first < max_t(u64, sectors, 1);
}

/*
 * Fills r with what the owner's place says. False: the session does not want the request. Preemption off: the
 * container stays.
 */
static bool describe(const struct ctrace_block_owner *o, const struct task_struct *p, u32 bit, u64 now,
		     struct ctrace_request *r)
{
	struct ctrace_who who;

	if (!ctrace_begun_whose(&o->begun, &who) || (bit && !ctrace_wanted(bit, who.container, p)))
		return false;
	r->cid = who.container->cid;
	r->tid = o->tid;
	memset(r->comm, 0, sizeof(r->comm));
	ctrace_copy_comm(r->comm, o->comm);
	r->ns = ctrace_compat_passed(o->begun.time, now) + o->throttled;
	return true;
}

/* --- in the disk ------------------------------------------------------------------- */

static bool in_disk(u32 place, u32 bit, struct ctrace_request *r)
{
	struct ctrace_block_issued i;
	struct ctrace_block_owner o;
	u64 now;
	u32 at;

	if (!ctrace_block_issued(place, &i) || !i.bio)
		return false;
	at = ctrace_inflight_find(owners, ctrace_inflight_row(owners, i.bio), i.bio);
	if (at == CTRACE_INFLIGHT_NONE || ctrace_inflight_peek(owners, at, &o) != i.bio)
		return false;
	if (o.waits || o.begun.time > i.time + CLOCKS_APART || !covers(o.sector, o.sectors, i.sector))
		return false;
	now = ctrace_compat_clock();
	if (!describe(&o, ctrace_begun_task(&o.begun.who, o.start), bit, now, r))
		return false;
	r->at = CTRACE_REQUEST_DISK;
	r->dev = i.dev;
	r->sector = i.sector;
	r->bytes = i.bytes;
	r->rwbs = ctrace_block_rwbs(i.flags, i.bytes);
	r->issued_ns = ctrace_compat_passed(i.time, now);
	return true;
}

/* --- before it ---------------------------------------------------------------------- */

/* Has p slept for I/O since it submitted something, that long ago? */
static bool waits_since(const struct task_struct *p, u64 ago)
{
	u64 ran, queued;

	if (!p->in_iowait || !ctrace_compat_task_state(p))
		return false;
	ctrace_compat_task_ran(p, &ran, &queued);
	/* the kernel's clock for tasks may be 500 parts in a million slower or faster */
	return ran && ran + CLOCKS_APART + ran / 1024 >= ago;
}

static bool before_disk(u32 place, u32 bit, struct ctrace_request *r)
{
	const struct task_struct *p;
	struct ctrace_block_owner o;

	if (!ctrace_inflight_peek(owners, place, &o))
		return false;
	p = ctrace_begun_task(&o.begun.who, o.start);
	if (!p || !describe(&o, p, bit, ctrace_compat_clock(), r) || !waits_since(p, r->ns))
		return false;
	r->at = o.waits ? CTRACE_REQUEST_LIMIT : CTRACE_REQUEST_QUEUE;
	r->dev = o.dev;
	r->sector = o.sector;
	r->bytes = o.sectors << SECTOR_SHIFT;
	r->rwbs = ctrace_block_rwbs(o.flags, r->bytes);
	r->issued_ns = 0;
	return true;
}

/* Is r, or what it was merged with, in its disk? 4,096 places, most of which are free. */
static bool is_issued(const struct ctrace_request *r)
{
	u32 place, n = ctrace_block_issued_places();
	struct ctrace_block_issued i;

	for (place = 0; place < n; place++)
		if (ctrace_block_issued(place, &i) && i.dev == r->dev &&
		    covers(i.sector, i.bytes >> SECTOR_SHIFT, r->sector))
			return true;
	return false;
}

/* --- all ----------------------------------------------------------------------------- */

int ctrace_block_under_way(u32 *place, u32 bit, struct ctrace_request *r)
{
	/* places of block_io's table, then of the owners', which is made with it */
	u32 issued = ctrace_block_issued_places(), all = issued ? issued + (1u << owners->bits) : 0, n;
	bool found;

	for (n = 0; n < PLACES_AT_ONCE && *place < all; n++, ++*place) {
		preempt_disable();
		found = *place < issued ? in_disk(*place, bit, r) : before_disk(*place - issued, bit, r);
		preempt_enable();
		if (found && (*place < issued || !is_issued(r)))
			return 1;
	}
	return *place < all ? 0 : -1;
}
