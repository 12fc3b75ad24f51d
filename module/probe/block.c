// SPDX-License-Identifier: GPL-2.0-only
/*
 * Block I/O: a bio is queued, and becomes a request or part of one; the request is inserted with a
 * scheduler or issued at once, and completes. All of these are the issuer's events, in whatever context
 * they happen: block_owner.h.
 */
#include <linux/string.h>
#include "probe/block_owner.h"
#include "probe/optional.h"
#include "emit/emit.h"
#include "session/session.h"
#include "compat/block.h"
#include "compat/tracepoint.h"

struct rq_arg {
	const struct ctrace_block_issuer *by;
	u64 sector;
	u32 dev, nr_sector, bytes, flags;
	s32 error;
};

static __always_inline void put_rwbs(char *to, const struct rq_arg *a)
{
	memset(to, 0, CTRACE_RWBS_LEN);
	ctrace_compat_rwbs(to, a->flags, a->bytes);
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
	put_rwbs(r->rwbs, a);
	memcpy(r->comm, a->by->comm, sizeof(r->comm));
}

/* here: the request's submitter is running, not a task that dispatches it */
static __always_inline void on_rq(u32 id, struct request *rq, bool here)
{
	struct ctrace_block_issuer by;
	u32 mask = ctrace_wants(id);
	struct rq_arg a;

	if (!mask)
		return;
	if (!ctrace_block_recall(rq, here, false, &by))
		ctrace_session_unfollowed(mask);
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
	put_rwbs(r->rwbs, a);
}

/* bytes: completed now; a request may complete in parts */
static __always_inline void on_complete(struct request *rq, int error, u32 bytes)
{
	u32 mask = ctrace_wants(CTRACE_ID_BLOCK_RQ_COMPLETE);
	struct ctrace_block_issuer by;
	struct rq_arg a;

	if (!mask)
		return;
	if (!ctrace_block_recall(rq, false, bytes >= blk_rq_bytes(rq), &by))
		ctrace_session_unfollowed(mask);
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
	ctrace_compat_probe_begin();
	on_complete(rq, CTRACE_PROBE_BLOCK_ERRNO(error), CTRACE_PROBE_BLOCK_BYTES(bytes));
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
	put_rwbs(r->rwbs, a);
	r->tid = a->by->tid;
	memcpy(r->comm, a->by->comm, sizeof(r->comm));
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

/* --- where they come from; the types are in probe/optional.c ---------------- */

#define LEARNS	.with = { "block_getrq", "block_bio_frontmerge" }, .table = &ctrace_block_owners

struct ctrace_source ctrace_block_sources[] = {
	{ .tracepoint = "block_rq_insert", .fn = probe_insert, LEARNS },
	{ .tracepoint = "block_rq_issue", .fn = probe_issue, LEARNS },
	{ .tracepoint = "block_rq_complete", .fn = probe_complete, LEARNS },
	{ .tracepoint = "block_bio_queue", .fn = probe_bio_queue },
	{ .tracepoint = "block_getrq", .fn = probe_getrq },
	{ .tracepoint = "block_bio_frontmerge", .fn = probe_frontmerge },
	{ }
};
