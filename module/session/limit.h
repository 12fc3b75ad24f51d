/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A limit on the records a second of each container, in one session. The table has a fixed size and is
 * made with the session. Containers that find no place in it share one with others of their account
 * (identity/charge.h). A slice has at most half of the places, what is nested in it a quarter, and what is
 * nested in one of its containers an eighth: so a user's containers cannot be so many that others' have no
 * records.
 */
#ifndef CTRACE_LIMIT_H
#define CTRACE_LIMIT_H

#include <linux/types.h>

struct ctrace_limit;

/* Process context. NULL: no memory. rate: records a second, not 0. */
struct ctrace_limit *ctrace_limit_new(u32 rate);
void ctrace_limit_free(struct ctrace_limit *l);		/* when no probe sees it any more */

/*
 * May container cid, of that account (ctrace_charge_number()), have one more record? Any context incl. NMI;
 * preemption off. now: CLOCK_MONOTONIC, ns; decides which second it is. False: held back, and counted.
 */
bool ctrace_limit_pass(struct ctrace_limit *l, u32 cid, u32 account, u64 now);

/*
 * Gives up the place of a container that has gone; the number of its records held back stays in
 * ctrace_limit_dropped(). Process context, one caller at a time.
 */
void ctrace_limit_forget(struct ctrace_limit *l, u32 cid);

/* All records held back. */
u64 ctrace_limit_dropped(const struct ctrace_limit *l);
/*
 * The container in place i of the table, and the number of its records held back. *cid is
 * CTRACE_CID_ALL for all containers that share places; *dropped is 0 for an empty place. 0, or
 * -ENOENT past the last.
 */
int ctrace_limit_at(const struct ctrace_limit *l, u32 i, u32 *cid, u64 *dropped);

#endif
