/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole calls from the entries and exits of a recording: as the module would have written them. */
#ifndef CTRACE_CALL_PAIRS_H
#define CTRACE_CALL_PAIRS_H

#include <libctrace.h>

struct call_pairs;
/*
 * all: each entry and return of a task was recorded, but for losses. Then a return without an entry is that
 * of a call which seccomp has answered, and becomes a whole call with CTRACE_CALL_M_DENIED, if it failed.
 */
struct call_pairs *call_pairs_new(const struct ctrace_schema *s, bool all);
void call_pairs_free(struct call_pairs *w);
/* Does it take records of this type? */
bool call_pairs_takes(uint32_t id);
/*
 * Takes the records in order of time. Returns the whole call that rec ends, good until the next call; NULL:
 * rec is not the end of a call whose entry is known.
 */
const struct ctrace_record *call_pairs_put(struct call_pairs *w, const struct ctrace_record *rec);
/* Records were lost before the next one. */
void call_pairs_lost(struct call_pairs *w);

#endif
