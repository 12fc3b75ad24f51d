/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of containers. container.h says what they are and how long they live. */
#ifndef CTRACE_PARTS_H
#define CTRACE_PARTS_H

#include "identity/container.h"

/*
 * ident_lock held. Makes a part of base, which is not dying, for the sessions in want and in deny. NULL:
 * pool empty. The part has no reference yet: the node that the caller points to it holds the only one.
 */
struct ctrace_container *ctrace_part_new(struct ctrace_container *base, u32 want, u32 deny);
/*
 * ident_lock held. Ends all parts that one of these sessions chose. The caller calls ctrace_learn_forget()
 * before it unlocks; then no place resolves to these parts any more. And it sees to it that
 * ctrace_parts_unchoose() is called for every container, the host and the unknown one included.
 */
void ctrace_parts_take_back(u32 sessions);
/* Does the part end? Then no place may lead to it from now on. Any context */
bool ctrace_part_ends(const struct ctrace_container *part);
/*
 * ident_lock held. Removes this session from the masks of those parts of c that end. Dead tasks and requests
 * under way may still be remembered as such a part's. A target that has gone chose them; if another target
 * of the session chose them too, the session misses their events, and nothing else.
 */
void ctrace_parts_unchoose(struct ctrace_container *c, u32 session);

/* --- for gc.c --------------------------------------------------------- */

bool ctrace_parts_end(void);			/* is there a part that ends? Any context */
/* ident_lock held. c is dying: ends all its parts. */
void ctrace_parts_end_of(struct ctrace_container *c);
/* ident_lock held. Moves the parts that end to `to`, by ->list. */
void ctrace_parts_gather(struct list_head *to);
/*
 * ident_lock held. The last step for a part: moves it to the front of swept, by ->queue. By now no node
 * points to it, it is noted down nowhere, and a grace period has passed. Until now it was among its
 * container's parts, so its masks followed its container's.
 */
void ctrace_part_swept(struct ctrace_container *part, struct list_head *swept);
/*
 * For the end, when no code looks for parts any more. Puts all parts in front of the containers in
 * swept, because each part has a reference to its container.
 */
void ctrace_parts_exit(struct list_head *swept);

#endif
