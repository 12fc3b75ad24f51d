/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recorder's rings of a container stop at the event that sets a dump off, in the event itself
 * (libctrace_freeze.h). The watch hears of the event from the trigger's own session: a container that has no
 * rings of its own is not frozen, and is written down all the same.
 */
#ifndef CTRACE_WATCH_FREEZE_H
#define CTRACE_WATCH_FREEZE_H

#include "watch/engine.h"

/* The longest that a container stays frozen, if no dump thaws it. */
#define FREEZE_MS	5000u

/*
 * The time of the record that froze the container; 0: it is not frozen. Records that other CPUs had begun to
 * write may be later.
 */
uint64_t freeze_time(struct engine *e, uint32_t cid);
/* Lets the container's records be written again, if it is frozen. CTRACE_CID_ALL: all of them. */
void freeze_thaw(struct engine *e, uint32_t cid);
/* Thaws containers that no dump will thaw. wanted: will one? */
void freeze_check(struct engine *e, bool (*wanted)(void *arg, uint32_t cid), void *arg);

#endif
