/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of containers: what they are, and how long they live, is told in container.h. */
#ifndef CTRACE_PARTS_H
#define CTRACE_PARTS_H

#include "identity/container.h"

struct ctrace_rules;

/*
 * Lock held. A part of base, which is not dying, for the sessions in want and in deny; NULL: pool empty.
 * No reference but that of the node that the caller points to it.
 */
struct ctrace_container *ctrace_part_new(struct ctrace_container *base, u32 want, u32 deny);
/* Lock held. c's masks have changed: its parts' follow. */
void ctrace_parts_remask(struct ctrace_container *c);
/* Lock held. All parts that one of these sessions chose end: no place is found to be one of them any more. */
void ctrace_parts_take_back(u32 sessions);
/*
 * Lock held. Of c's parts those that end want and deny nothing for this session any more. What is remembered
 * as being of them, a dead task or a request under way, was chosen by a target that has gone; if another
 * target of this session chose it too, that is the one thing it misses.
 */
void ctrace_parts_unchoose(struct ctrace_container *c, u32 session);

/* --- for container.c --------------------------------------------------------- */

bool ctrace_parts_end(void);			/* do some? Any context */
/* Lock held. c is dying, and so are its parts. */
void ctrace_parts_end_of(struct ctrace_container *c);
/*
 * The GC's sweep, first step: those that end go to the list, and get heirs. When it returns nobody
 * finds them any more but where they are noted down without a reference.
 */
void ctrace_parts_gather(struct list_head *ending, struct ctrace_rules *r);
/* Last step: no node points to them, nobody has them noted, and a grace period lies behind. In front of swept. */
void ctrace_parts_part_with(struct list_head *ending, struct list_head *swept);
/* Nobody looks any more: all, in front of swept, since each has a reference to its container. */
void ctrace_parts_exit(struct list_head *swept);

#endif
