/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who issued a block request. A request is inserted, issued and completed in any context: another
 * container's task, a kernel thread, an interrupt. Only where a bio gets its request (tracepoints
 * block_getrq, block_bio_frontmerge) does its submitter run for certain, so it is remembered there, by
 * the bio: the first bio of a request has always passed one of the two.
 *
 * Any context; preemption off.
 */
#ifndef CTRACE_BLOCK_OWNER_H
#define CTRACE_BLOCK_OWNER_H

#include "session/inflight.h"
#include "session/option.h"

struct bio;
struct request;

/* The table where they are remembered; of the sources whose functions call the functions below. */
extern struct ctrace_inflight ctrace_block_owners;

struct ctrace_block_issuer {
	struct ctrace_who who;
	u64 start;	/* of a task that ctrace_block_task() has not looked for yet: when that began; else 0 */
	/* the task that issued it: that of who, or a kernel thread; else 0 and "" */
	s32 tid;
	char comm[CTRACE_COMM_LEN];
};

/* The issuer of bio, in its submitter's context. bio may be NULL. */
void ctrace_block_here(struct bio *bio, struct ctrace_block_issuer *out);

/* Remembers the issuer of bio, which becomes the first of a request; in its submitter's context. */
void ctrace_block_remember(struct bio *bio);

/*
 * The issuer of a request, in any context. If rq is not remembered: with here, as for its bio in
 * ctrace_block_here(), as the submitter is running; else the container of its bio's cgroup, or the host
 * if the kernel does not know that any more. last: rq is not asked about again, so it is forgotten.
 * False: it was remembered, and is not, because too many others are. Its task may have ended: ctrace_block_task().
 */
bool ctrace_block_recall(struct request *rq, bool here, bool last, struct ctrace_block_issuer *out);

/*
 * After it, for the sessions in mask: makes by->who.task NULL if that has ended. Until then, it is not looked at. Only sessions of
 * processes and special ones ask for a task. For others it need not be looked for, and is NULL, too.
 */
static inline void ctrace_block_task(struct ctrace_block_issuer *by, u32 mask)
{
	bool asked = mask & (READ_ONCE(ctrace_pid_sessions) | READ_ONCE(ctrace_special_sessions));

	if (by->start)
		by->who.task = unlikely(asked) ? ctrace_begun_task(&by->who, by->start) : NULL;
	by->start = 0;
}

#endif
