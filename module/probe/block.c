// SPDX-License-Identifier: GPL-2.0-only
/*
 * Block I/O: a bio is queued, and becomes a request or part of one; the request is inserted with a
 * scheduler or issued at once, and completes. All of these are the issuer's events, in whatever context
 * they happen: block_owner.h.
 */
#include <linux/hash.h>
#include <linux/string.h>
#include "probe/block_owner.h"
#include "probe/optional.h"
#include "emit/emit.h"
#include "event/comm.h"
#include "event/hook.h"
#include "session/session.h"
#include "compat/block.h"
#include "compat/clock.h"
#include "compat/kprobe.h"
#include "compat/tracepoint.h"

struct rq_arg {
	const struct ctrace_block_issuer *by;
	u64 sector;
	u32 dev, nr_sector, bytes, flags;
	s32 error;
};

/*
 * The kernel's letters are the same from 3.10 on; the flags behind them are not. Letters that are not known
 * here are left out: they are of zones and the like.
 */
static noinline u32 rwbs_look(u32 flags, u32 bytes)
{
	char text[CTRACE_COMPAT_RWBS_LEN] = "";
	const char *s = text;
	u32 bits = 0;

	ctrace_compat_rwbs(text, flags, bytes);
	/* an F before the operation is a flush that comes first */
	if (s[0] == 'F' && s[1]) {
		bits |= CTRACE_RWBS_PREFLUSH;
		s++;
	}
	switch (*s++) {
	case 'W':
		bits |= CTRACE_RWBS_WRITE;
		break;
	case 'R':
		bits |= CTRACE_RWBS_READ;
		break;
	case 'F':
		bits |= CTRACE_RWBS_FLUSH;
		break;
	case 'D':
		bits |= CTRACE_RWBS_DISCARD;
		if (*s == 'E') {
			bits |= CTRACE_RWBS_SECURE;
			s++;
		}
		break;
	case '\0':
		return bits;
	}
	for (; *s; s++)
		switch (*s) {
		case 'F':
			bits |= CTRACE_RWBS_FUA;
			break;
		case 'A':
			bits |= CTRACE_RWBS_RAHEAD;
			break;
		case 'S':
			bits |= CTRACE_RWBS_SYNC;
			break;
		case 'M':
			bits |= CTRACE_RWBS_META;
			break;
		}
	return bits;
}

/*
 * The last results for some flags: flags << 32 | RWBS_KNOWN | bits. CPUs may write a word at the same time:
 * the bits follow from the flags, so each of these words is right. Requests without bytes are not remembered:
 * some kernels have another letter for them.
 */
#define RWBS_KNOWN	(1u << 31)
#define RWBS_BITS	4
static u64 rwbs_known[1 << RWBS_BITS] __read_mostly;

static u32 rwbs(u32 flags, u32 bytes)
{
	u64 *known = &rwbs_known[hash_32(flags, RWBS_BITS)], k = READ_ONCE(*known);
	u32 bits;

	if (likely(k >> 32 == flags && k & RWBS_KNOWN && bytes))
		return (u32)k & ~RWBS_KNOWN;
	bits = rwbs_look(flags, bytes);
	if (bytes)
		WRITE_ONCE(*known, (u64)flags << 32 | RWBS_KNOWN | bits);
	return bits;
}

/* --- block_rq_insert, block_rq_issue --------------------------------------- */

CTRACE_PAYLOAD(rq_payload, CTRACE_RQ_FIELDS);

static __always_inline void fill_rq(void *payload, const void *arg)
{
	struct rq_payload *r = payload;
	const struct rq_arg *a = arg;

	r->dev = a->dev;
	r->hole = 0;
	r->sector = a->sector;
	r->nr_sector = a->nr_sector;
	r->bytes = a->bytes;
	r->tid = a->by->tid;
	r->rwbs = rwbs(a->flags, a->bytes);
	ctrace_copy_comm(r->comm, a->by->comm);
}

/* here: the request's submitter is running, not a task that dispatches it */
static noinline void rq_any(u32 id, struct request *rq, u32 place, bool here)
{
	struct ctrace_block_issuer by CTRACE_UNSET;
	u32 mask = ctrace_wants(id);
	struct rq_arg a CTRACE_UNSET;

	if (!mask)
		return;
	if (!ctrace_block_recall(rq, place, here, 0, &by, NULL))
		ctrace_session_unfollowed(mask);
	ctrace_block_task(&by, mask);
	mask = ctrace_wanted(mask, by.who.container, by.who.task);
	if (!mask)
		return;
	a = (struct rq_arg) {
		.by = &by, .dev = ctrace_compat_rq_dev(rq), .sector = blk_rq_trace_sector(rq),
		.nr_sector = blk_rq_trace_nr_sectors(rq), .bytes = blk_rq_bytes(rq),
		.flags = ctrace_compat_rq_flags(rq),
	};
	ctrace_emit(mask, id, &by.who, CTRACE_SIZE(rq_payload), fill_rq, &a);
}

static __always_inline void on_rq(u32 id, struct request *rq, bool here)
{
	u32 place = ctrace_block_place(rq);

	if (!ctrace_block_unwanted(rq, place, 0))
		rq_any(id, rq, place, here);
}

static void CTRACE_PROBE_BLOCK_RQ(probe_insert)
{
	ctrace_compat_probe_begin();
	on_rq(CTRACE_ID_BLOCK_RQ_INSERT, rq, true);
	ctrace_compat_probe_end();
}

static void CTRACE_PROBE_BLOCK_RQ(probe_issue)
{
	ctrace_compat_probe_begin();
	on_rq(CTRACE_ID_BLOCK_RQ_ISSUE, rq, false);
	ctrace_compat_probe_end();
}

/* --- block_rq_complete ------------------------------------------------------- */

CTRACE_PAYLOAD(complete_payload, CTRACE_RQ_COMPLETE_FIELDS);

static __always_inline void fill_complete(void *payload, const void *arg)
{
	struct complete_payload *r = payload;
	const struct rq_arg *a = arg;

	r->dev = a->dev;
	r->hole = 0;
	r->sector = a->sector;
	r->nr_sector = a->nr_sector;
	r->error = a->error;
	r->rwbs = rwbs(a->flags, a->bytes);
}

/* bytes: completed now; a request may complete in parts. ends: as for ctrace_block_recall() */
static noinline void on_complete(struct request *rq, u32 place, u32 ends, int error, u32 bytes)
{
	u32 mask = ctrace_wants(CTRACE_ID_BLOCK_RQ_COMPLETE);
	struct ctrace_block_issuer by CTRACE_UNSET;
	struct rq_arg a CTRACE_UNSET;

	if (!mask)
		return;
	if (!ctrace_block_recall(rq, place, false, ends, &by, NULL))
		ctrace_session_unfollowed(mask);
	ctrace_block_task(&by, mask);
	mask = ctrace_wanted(mask, by.who.container, by.who.task);
	if (!mask)
		return;
	a = (struct rq_arg) {
		.dev = ctrace_compat_rq_dev(rq), .sector = blk_rq_pos(rq),
		.nr_sector = bytes >> SECTOR_SHIFT, .bytes = bytes, .error = error,
		.flags = ctrace_compat_rq_flags(rq),
	};
	ctrace_emit(mask, CTRACE_ID_BLOCK_RQ_COMPLETE, &by.who, CTRACE_SIZE(complete_payload),
		    fill_complete, &a);
}

static void CTRACE_PROBE_BLOCK_RQ_COMPLETE(probe_complete)
{
	u32 place, ends;

	ctrace_compat_probe_begin();
	place = ctrace_block_place(rq);
	ends = CTRACE_PROBE_BLOCK_BYTES(bytes) >= blk_rq_bytes(rq) ? CTRACE_ID_BLOCK_IO : 0;
	if (!ctrace_block_unwanted(rq, place, ends))
		on_complete(rq, place, ends, CTRACE_PROBE_BLOCK_ERRNO(error), CTRACE_PROBE_BLOCK_BYTES(bytes));
	ctrace_compat_probe_end();
}

/* --- block_bio_queue --------------------------------------------------------- */

CTRACE_PAYLOAD(bio_payload, CTRACE_BIO_FIELDS);

static __always_inline void fill_bio(void *payload, const void *arg)
{
	struct bio_payload *r = payload;
	const struct rq_arg *a = arg;

	r->dev = a->dev;
	r->hole = 0;
	r->sector = a->sector;
	r->nr_sector = a->nr_sector;
	r->rwbs = rwbs(a->flags, a->bytes);
	r->tid = a->by->tid;
	ctrace_copy_comm(r->comm, a->by->comm);
}

static __always_inline void on_bio_queue(struct bio *bio)
{
	u32 mask = ctrace_wants(CTRACE_ID_BLOCK_BIO_QUEUE);
	struct ctrace_block_issuer by;
	struct rq_arg a;

	if (!mask)
		return;
	ctrace_block_here(bio, &by);
	mask = ctrace_wanted(mask, by.who.container, by.who.task);
	if (!mask)
		return;
	a = (struct rq_arg) {
		.by = &by, .dev = bio_dev(bio), .sector = ctrace_compat_bio_sector(bio),
		.nr_sector = bio_sectors(bio), .bytes = ctrace_compat_bio_size(bio),
		.flags = ctrace_compat_bio_flags(bio),
	};
	ctrace_emit(mask, CTRACE_ID_BLOCK_BIO_QUEUE, &by.who, CTRACE_SIZE(bio_payload),
		    fill_bio, &a);
}

static void CTRACE_PROBE_BLOCK_BIO_QUEUE(probe_bio_queue)
{
	ctrace_compat_probe_begin();
	on_bio_queue(bio);
	ctrace_compat_probe_end();
}

/* --- block_io: a request from its issue to its completion --------------------- */

/*
 * Keyed by request. Not every request ends so that we hear of it (one that is merged into another one, one
 * without a bio), and its address is used again for the next: so a place may be left behind, and each issue
 * renews it. Whose the request is, and since when it waited, block_owner.c knows.
 */
struct io {
	struct ctrace_begun begun;	/* time: of the issue */
	u64 sector;
	u32 dev, bytes;
	/* for block_under_way.c. The bio may have gone: it is only compared */
	const struct bio *bio;
	u32 flags;
};

static struct ctrace_inflight ios __read_mostly = { .stride = sizeof(struct io), .bits = 12 };

/* How much earlier than it was a request's beginning may seem: jiffies */
#define START_SLACK	(20 * NSEC_PER_MSEC)

static bool of_this_request(u64 time, const struct request *rq)
{
	return time && time + START_SLACK >= ctrace_compat_rq_start(rq);
}

/* A request that its driver gave back is issued again: the span begins at the last issue. */
static void CTRACE_PROBE_BLOCK_RQ(probe_io_issue)
{
	u32 mask = ctrace_wants(CTRACE_ID_BLOCK_IO), place;
	struct io *io;

	ctrace_compat_probe_begin();
	if (!mask)
		goto out;
	place = ctrace_inflight_renew(&ios, rq);
	if (place == CTRACE_INFLIGHT_NONE)
		goto out;	/* renew() noted it: the completion counts it */
	io = ctrace_inflight_at(&ios, place);
	io->sector = blk_rq_trace_sector(rq);
	io->dev = ctrace_compat_rq_dev(rq);
	io->bytes = blk_rq_bytes(rq);
	io->bio = rq->bio;
	io->flags = ctrace_compat_rq_flags(rq);
	io->begun.time = ctrace_compat_clock();
	WRITE_ONCE(io->begun.wanted, (u64)mask << 32 | CTRACE_ID_BLOCK_IO);
	ctrace_inflight_let_go(&ios, place, rq);
out:
	ctrace_compat_probe_end();
}

CTRACE_PAYLOAD(io_payload, CTRACE_BLOCK_IO_FIELDS);

struct io_arg {
	struct rq_arg rq;
	u64 duration, queued, throttled;
};

static __always_inline void fill_io(void *payload, const void *arg)
{
	struct io_payload *r = payload;
	const struct io_arg *a = arg;

	r->duration = a->duration;
	r->queued = a->queued;
	r->throttled = a->throttled;
	r->dev = a->rq.dev;
	r->bytes = a->rq.bytes;
	r->sector = a->rq.sector;
	r->error = a->rq.error;
	r->tid = a->rq.by->tid;
	r->rwbs = rwbs(a->rq.flags, a->rq.bytes);
	ctrace_copy_comm(r->comm, a->rq.by->comm);
}

/* Takes a copy of the request's place, and frees it. False: it has none of its own. */
static bool io_ends(struct request *rq, struct io *io)
{
	u32 place = ctrace_inflight_hold(&ios, rq);
	const struct io *there;

	if (place == CTRACE_INFLIGHT_NONE)
		return false;
	there = ctrace_inflight_at(&ios, place);
	io->begun.wanted = READ_ONCE(there->begun.wanted);
	io->begun.time = there->begun.time;
	io->sector = there->sector;
	io->dev = there->dev;
	io->bytes = there->bytes;
	ctrace_inflight_let_go(&ios, place, NULL);
	return of_this_request(io->begun.time, rq);
}

/* A copy of the place of a request that completes, and how that waited before its issue. */
struct io_ended {
	struct io io;
	struct ctrace_block_times waited;
};

/* How long the request, or before it the bio that it was made for, had waited when it was issued. */
static __always_inline u64 queued(const struct io_ended *e)
{
	const struct ctrace_block_times *w = &e->waited;

	return w->made ? ctrace_compat_passed(w->made, e->io.begun.time) + w->throttled : 0;
}

/* In line, for a session that counts as `ctrace bio` does. False: nothing has been done. */
static __always_inline bool io_counted(u32 mask, const struct ctrace_block_issuer *by, const struct request *rq,
				       const struct io_ended *e, u64 now)
{
	const struct io *io = &e->io;
	const struct ctrace_container *c = by->who.container;
	const struct ctrace_aggregate *t;

	if (unlikely(mask & READ_ONCE(ctrace_pid_sessions)))
		return false;
	mask &= READ_ONCE(c->wanted);
	if (!mask)
		return true;
	t = ctrace_emit_quick(mask, CTRACE_ID_BLOCK_IO);
	return t && ctrace_aggregate_io(t, c->cid, io->dev, rwbs(ctrace_compat_rq_flags(rq), io->bytes), io->bytes,
					 ctrace_compat_passed(io->begun.time, now), queued(e), e->waited.throttled);
}

/* On the general way. ends: else it was not followed. */
static noinline void io_end_any(u32 mask, struct request *rq, int error, bool ends, const struct io_ended *e,
				struct ctrace_block_issuer *by, u64 now)
{
	const struct io *io = &e->io;
	struct io_arg a;

	ctrace_block_task(by, mask);
	mask = ctrace_wanted(mask, by->who.container, by->who.task);
	if (!mask)
		return;
	if (!ends) {
		ctrace_session_unfollowed(mask);
		return;
	}
	a = (struct io_arg) {
		.rq = { .by = by, .sector = io->sector, .dev = io->dev, .bytes = io->bytes,
			.flags = ctrace_compat_rq_flags(rq), .error = error },
		.duration = ctrace_compat_passed(io->begun.time, now),
		.queued = queued(e), .throttled = e->waited.throttled,
	};
	ctrace_emit(mask, CTRACE_ID_BLOCK_IO, &by->who, CTRACE_SIZE(io_payload), fill_io, &a);
}

static __always_inline void on_io_end(struct request *rq, int error)
{
	u32 mask = ctrace_wants(CTRACE_ID_BLOCK_IO);
	struct ctrace_block_issuer by;
	struct io_ended io;
	bool ends;
	u64 now;

	if (!mask)
		return;
	io.waited = (struct ctrace_block_times) { };
	ends = io_ends(rq, &io.io);
	if (!ends && !ctrace_inflight_may_be_lost(&ios, rq, ctrace_compat_rq_start(rq)))
		return;		/* it was issued before the probe was registered */
	if (ends)
		mask &= io.io.begun.wanted >> 32;
	if (!ctrace_block_recall(rq, ctrace_block_place(rq), false, CTRACE_ID_BLOCK_RQ_COMPLETE, &by, &io.waited) &&
	    ends)
		ctrace_session_unfollowed(mask);
	now = ctrace_compat_clock();
	if (unlikely(!ends || !io_counted(mask, &by, rq, &io, now)))
		io_end_any(mask, rq, error, ends, &io, &by, now);
}

/* A request may complete in parts: the last one ends the span. */
static void CTRACE_PROBE_BLOCK_RQ_COMPLETE(probe_io_end)
{
	ctrace_compat_probe_begin();
	if (CTRACE_PROBE_BLOCK_BYTES(bytes) >= blk_rq_bytes(rq))
		on_io_end(rq, CTRACE_PROBE_BLOCK_ERRNO(error));
	ctrace_compat_probe_end();
}

/* --- for block_under_way.c ------------------------------------------------------ */

u32 ctrace_block_issued_places(void)
{
	return ios.keys ? 1u << ios.bits : 0;
}

bool ctrace_block_issued(u32 place, struct ctrace_block_issued *out)
{
	struct io io;

	if (!ctrace_inflight_peek(&ios, place, &io))
		return false;
	out->bio = io.bio;
	out->time = io.begun.time;
	out->sector = io.sector;
	out->dev = io.dev;
	out->bytes = io.bytes;
	out->flags = io.flags;
	return true;
}

u32 ctrace_block_rwbs(u32 flags, u32 bytes)
{
	return rwbs(flags, bytes);
}

/* --- without an event: remember who issues a request ------------------------ */

static void CTRACE_PROBE_BLOCK_GETRQ(probe_getrq)
{
	ctrace_compat_probe_begin();
	ctrace_block_remember(bio);
	ctrace_compat_probe_end();
}

static void CTRACE_PROBE_BLOCK_BIO_FRONTMERGE(probe_frontmerge)
{
	ctrace_compat_probe_begin();
	ctrace_block_remember(bio);
	ctrace_compat_probe_end();
}

/* The limit of a cgroup, and then those above it, hold a bio back: called once for each. */
static bool enter_throttle(struct pt_regs *regs, bool breakpoint, void *room)
{
	struct ctrace_who who;

	ctrace_identity_resolve_trap(&who, breakpoint, regs);
	ctrace_block_held_back((struct bio *)ctrace_compat_argument(regs, 0), &who);
	return false;
}

/* compilers name copies of a static function so */
static const char *const throttles[] = {
	CTRACE_COMPAT_THROTTLES("throtl_add_bio_tg", "throtl_add_bio_tg.isra.0", "throtl_add_bio_tg.constprop.0")
	NULL
};
static struct ctrace_hook throttle_hook = { .symbols = throttles, .enter = enter_throttle };

/* --- where they come from; the types are in probe/optional.c ---------------- */

#define LEARNS										\
	.with = { "block_getrq", "block_bio_frontmerge", "?throtl_add_bio_tg" }, .table = &ctrace_block_owners

struct ctrace_source ctrace_block_sources[] = {
	{ .tracepoint = "block_rq_insert", .fn = probe_insert, LEARNS },
	{ .tracepoint = "block_rq_issue", .fn = probe_issue, LEARNS },
	{ .tracepoint = "block_rq_complete", .fn = probe_complete, LEARNS },
	{ .tracepoint = "block_bio_queue", .fn = probe_bio_queue },
	{ .tracepoint = "block_io", .at = "block_rq_complete", .fn = probe_io_end, .table = &ios,
	  .with = { "block_io_issue", "block_getrq", "block_bio_frontmerge", "?throtl_add_bio_tg" } },
	{ .tracepoint = "block_io_issue", .at = "block_rq_issue", .fn = probe_io_issue,
	  .table = &ctrace_block_owners },
	{ .tracepoint = "block_getrq", .fn = probe_getrq },
	{ .tracepoint = "block_bio_frontmerge", .fn = probe_frontmerge },
	{ .tracepoint = "throtl_add_bio_tg", .hook = &throttle_hook },
	{ }
};
