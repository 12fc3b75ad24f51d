/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The issuer of a block request. A request is inserted, issued and completed in any context: another
 * container's task, a kernel thread, an interrupt. Only where a bio gets its request (tracepoints
 * block_getrq, block_bio_frontmerge) does its submitter run for certain, so it is remembered there, by the
 * bio: the first bio of a request has always passed one of the two.
 *
 * A limit of a cgroup (io.max) holds a bio back before that; then it gets its request in a kernel thread. So
 * its submitter is remembered when it is held back.
 *
 * Any context; preemption off.
 */
#ifndef CTRACE_BLOCK_OWNER_H
#define CTRACE_BLOCK_OWNER_H

#include "emit/emit.h"
#include "session/inflight.h"
#include "session/option.h"
#include "compat/block.h"
#include "compat/clock.h"

/* Older kernels report a bio before it waits for its request: allow for such a wait on a busy disk. */
#define CTRACE_BLOCK_SLACK	NSEC_PER_SEC

/* A request's issuer. Only the CPU that claimed its place writes it, while the place's key is BUSY. */
struct ctrace_block_owner {
	struct ctrace_owned begun;
	/* ctrace_identity_gen, if no session wanted an event of the owner then; else 0 */
	u64 unwanted;
	u64 start;			/* of the owner's task, whose address is used again, too */
	const struct request_queue *q;
	u64 sector;
	/*
	 * ns for which a limit held it back, before begun.time; while it waits, that is the wait's beginning
	 */
	u64 throttled;
	u32 sectors;
	u32 dev, flags;			/* of the disk, and the bio's: for block_under_way.c */
	bool ended;			/* one of two functions has asked at the request's end */
	bool waits;			/* a limit holds the bio back: it has no request yet */
	s32 tid;			/* the issuer's */
	char comm[CTRACE_COMM_LEN];	/* as the kernel has it */
};

/* The table where they are remembered; of the sources whose functions call the functions below. */
extern struct ctrace_inflight ctrace_block_owners;

struct ctrace_block_issuer {
	struct ctrace_who who;
	/* of a task that ctrace_block_task() has not looked for yet: when that began; else 0 */
	u64 start;
	/*
	 * the task that issued it: that of who, or a kernel thread; else 0 and "". The name is as the kernel
	 * has it: ctrace_copy_comm()
	 */
	s32 tid;
	char comm[CTRACE_COMM_LEN];
};

/* When a request was made for its bio; 0: not known. How long a limit had held the bio back, ns */
struct ctrace_block_times {
	u64 made, throttled;
};

/* A copy of what block_io follows of a request. Its bio may be gone: compare the address only. */
struct ctrace_block_issued {
	const struct bio *bio;		/* its first */
	u64 time, sector;
	u32 dev, bytes, flags;
};

/*
 * ctrace_lock held, so the table of block_io stays: how many places it has, 0 if no session has the event;
 * and the request of one. False: it has none.
 */
u32 ctrace_block_issued_places(void);
bool ctrace_block_issued(u32 place, struct ctrace_block_issued *out);
/* The field rwbs of a request of that many bytes. */
u32 ctrace_block_rwbs(u32 flags, u32 bytes);

/* The issuer of bio, in its submitter's context. bio may be NULL. */
void ctrace_block_here(struct bio *bio, struct ctrace_block_issuer *out);

/*
 * Remembers the issuer of bio, which becomes the first of a request; in its submitter's context. NULL: the
 * request is a command, as SG_IO sends, and gets its bio later, or none.
 */
void ctrace_block_remember(struct bio *bio);

/* A limit holds bio back. who: current, or if it is no task that does so, the host. */
void ctrace_block_held_back(struct bio *bio, struct ctrace_who *who);

/* Is the request remembered by its bio, if at all? */
static __always_inline bool ctrace_block_by_bio(struct request *rq)
{
	return rq->bio && !ctrace_compat_rq_passthrough(rq);
}

/* Where it is remembered, or NONE. To be asked first; the functions below take it. */
static __always_inline u32 ctrace_block_place(struct request *rq)
{
	struct ctrace_inflight *t = &ctrace_block_owners;

	return ctrace_block_by_bio(rq) ? ctrace_inflight_find(t, ctrace_inflight_row(t, rq->bio), rq->bio) : CTRACE_INFLIGHT_NONE;
}

/* Is o about rq, and not about what its bio's address was used for before? */
static __always_inline bool ctrace_block_of_this_life(const struct ctrace_block_owner *o, const struct request *rq)
{
	u64 pos = blk_rq_pos(rq);

	return READ_ONCE(o->q) == rq->q && pos - READ_ONCE(o->sector) < max(READ_ONCE(o->sectors), 1u) &&
	       READ_ONCE(o->begun.time) + CTRACE_BLOCK_SLACK >= ctrace_compat_rq_start(rq);
}

/*
 * Is it certain that no session wants rq's issuer? Then no more need be asked. ends: as below. The place is
 * not held during this, so its key is looked at again: if it is still this bio's, no other has had the place.
 */
static __always_inline bool ctrace_block_unwanted(struct request *rq, u32 place, u32 ends)
{
	struct ctrace_inflight *t = &ctrace_block_owners;
	const struct ctrace_block_owner *o;

	if (place == CTRACE_INFLIGHT_NONE)
		return false;
	smp_rmb();	/* pairs with ctrace_inflight_let_go() */
	o = ctrace_inflight_at(t, place);
	if (READ_ONCE(o->unwanted) != atomic64_read(&ctrace_identity_gen) || !ctrace_block_of_this_life(o, rq))
		return false;
	if (ends)
		return !ctrace_wants(ends) && cmpxchg(&t->keys[place], rq->bio, NULL) == rq->bio;
	smp_rmb();	/* pairs with ctrace_inflight_claim() */
	return READ_ONCE(t->keys[place]) == rq->bio;
}

/* The rest of the next one, if rq is not remembered. */
bool ctrace_block_recall_any(struct request *rq, bool here, struct ctrace_block_issuer *out);

/*
 * The issuer of a request, in any context. If rq is not remembered: with here, as for its bio in
 * ctrace_block_here(), as the submitter is running; else the container of its bio's cgroup, or the host
 * if the kernel does not know that any more. ends: 0, or rq completes, and that is the other event whose
 * function asks then. The last one that asks forgets rq. False: it was remembered, and is not, because too
 * many others are. Its task may have ended: ctrace_block_task(). times: NULL, or zeroes, which stay if they
 * are not known.
 */
static __always_inline bool ctrace_block_recall(struct request *rq, u32 place, bool here, u32 ends,
						struct ctrace_block_issuer *out, struct ctrace_block_times *times)
{
	struct ctrace_inflight *t = &ctrace_block_owners;
	struct ctrace_block_owner *o;
	bool found, stays;

	if (unlikely(place == CTRACE_INFLIGHT_NONE || !ctrace_inflight_claim(t, place, rq->bio)))
		return ctrace_block_recall_any(rq, here, out);
	o = ctrace_inflight_at(t, place);
	found = ctrace_block_of_this_life(o, rq) && ctrace_begun_whose(&o->begun, &out->who);
	if (likely(found)) {
		out->start = o->start;
		out->tid = o->tid;
		memcpy(out->comm, o->comm, sizeof(out->comm));
		if (times) {
			times->made = o->begun.time;
			times->throttled = o->throttled;
		}
	}
	stays = found && (!ends || (ctrace_wants(ends) && !o->ended));
	if (ends && stays)
		o->ended = true;
	ctrace_inflight_let_go(t, place, stays ? rq->bio : NULL);
	return likely(found) || ctrace_block_recall_any(rq, here, out);
}

/*
 * After it, for the sessions in mask: makes by->who.task NULL if that has ended. Until then, it is not looked
 * at. Only sessions of processes and special ones ask for a task. For others it need not be looked for, and
 * is NULL, too.
 */
static __always_inline void ctrace_block_task(struct ctrace_block_issuer *by, u32 mask)
{
	bool asked = mask & (READ_ONCE(ctrace_pid_sessions) | READ_ONCE(ctrace_options_sessions));

	if (by->start)
		by->who.task = unlikely(asked) ? ctrace_begun_task(&by->who, by->start) : NULL;
	by->start = 0;
}

#endif
