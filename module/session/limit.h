/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * At most so many records a second of each container, in one session. A table of
 * fixed size, made with the session; containers that find no place in it share one.
 */
#ifndef CTRACE_LIMIT_H
#define CTRACE_LIMIT_H

#include <linux/types.h>

struct ctrace_limit;

/* Process context. NULL: no memory. rate: records a second, not 0. */
struct ctrace_limit *ctrace_limit_new(u32 rate);
void ctrace_limit_free(struct ctrace_limit *l);		/* when no probe sees it any more */

/* Any context incl. NMI; preemption off. now: CLOCK_MONOTONIC, ns, for the second. False: held back, and counted. */
bool ctrace_limit_pass(struct ctrace_limit *l, u32 cid, u64 now);

/* The container has gone. Process context. What it had held back goes to the count of the session. */
void ctrace_limit_forget(struct ctrace_limit *l, u32 cid);

/* All records held back. */
u64 ctrace_limit_dropped(const struct ctrace_limit *l);
/*
 * i-th container with records held back: 0 and *cid (CTRACE_CID_ALL: those that share) and
 * *dropped, or -ENOENT past the last. i is a place in the table, so it may be empty: *dropped 0.
 */
int ctrace_limit_at(const struct ctrace_limit *l, u32 i, u32 *cid, u64 *dropped);

#endif
