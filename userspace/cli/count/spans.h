/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When the spans of a recording were: a record says when it was written, which is its end, and how long it
 * took.
 */
#ifndef CTRACE_VIEW_SPANS_H
#define CTRACE_VIEW_SPANS_H

#include <libctrace.h>
#include "base/util.h"

/*
 * The parts of a wait, sched_blame, are written one after the other at its end, the last part first: each
 * ends where the part before it in the recording begins. So records are taken in order, from a little before
 * the first that matters.
 */
#define SPANS_NEAR	10000000ull	/* ns */

struct spans;
struct spans *spans_new(const struct ctrace_schema *s);
void spans_free(struct spans *s);
/* Is the type one of spans? */
bool spans_has(const struct ctrace_event_type *t);
/* When the record's span was. False: it is none. */
bool spans_of(struct spans *s, const struct ctrace_record *rec, uint64_t *from, uint64_t *to);
/*
 * The record with only what its span has of from..to; good until the next call. NULL: it has nothing there. A
 * span of no length is where it was.
 */
const struct ctrace_record *spans_cut(struct spans *s, const struct ctrace_record *rec, uint64_t from,
				      uint64_t to);

#endif
