/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who issued a block request. A request is inserted, issued and completed in
 * whatever context comes along: a neighbour's task, a kernel thread, an interrupt. Only
 * where a bio gets its request (tracepoints block_getrq, block_bio_frontmerge) does its submitter
 * run, so that is where it is remembered, by the bio: the first bio of a
 * request is always one of those.
 *
 * Any context; preemption off.
 */
#ifndef CTRACE_BLOCK_OWNER_H
#define CTRACE_BLOCK_OWNER_H

#include "identity/identity.h"

struct bio;
struct request;

struct ctrace_block_issuer {
	struct ctrace_who who;
	/* the task that issued it: who's, or a kernel thread; else 0 and "" */
	s32 tid;
	char comm[CTRACE_COMM_LEN];
};

/* Of a bio in its submitter's context. bio may be NULL. */
void ctrace_block_here(struct bio *bio, struct ctrace_block_issuer *out);

/* A bio in its submitter's context has become the first of a request. */
void ctrace_block_remember(struct bio *bio);

/*
 * Of a request anywhere. here: if it is not remembered, its submitter runs here; last: after
 * this nobody asks again. The host, where the kernel does not know any more.
 */
void ctrace_block_recall(struct request *rq, bool here, bool last, struct ctrace_block_issuer *out);

extern const struct ctrace_container_watcher ctrace_block_watcher;

#endif
