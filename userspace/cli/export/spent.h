/* SPDX-License-Identifier: GPL-2.0-only */
/* What each container's time goes to, over the whole recording, in a fixed number of parts. */
#ifndef CTRACE_EXPORT_SPENT_H
#define CTRACE_EXPORT_SPENT_H

#include "base/util.h"

enum spent_on { SPENT_CPU, SPENT_WAIT, SPENT_NO_QUOTA, SPENT_STUCK, SPENT_CALLS, SPENT_LOST, SPENT_KINDS };

/* Parts of time. There are at most so many: then two become one. */
#define SPENT_PARTS	1024u

struct spent_in;
struct spent_in *spent_new(void);
void spent_free(struct spent_in *s);
/* The first part begins here. Only the first call counts. */
void spent_begin(struct spent_in *s, uint64_t time);
/*
 * Adds the time between two moments to all parts that it touches. Time before the first part does not count.
 */
void spent_add(struct spent_in *s, uint32_t cid, enum spent_on what, uint64_t from, uint64_t to);
/* Adds n to the part that the moment is in. */
void spent_count(struct spent_in *s, uint32_t cid, enum spent_on what, uint64_t time, uint64_t n);
/* The beginning of the first part, and the length of each, in ns; 0: it has not begun. */
uint64_t spent_began(const struct spent_in *s);
uint64_t spent_width(const struct spent_in *s);
/* How many parts there are: the last is not empty. */
size_t spent_parts(const struct spent_in *s);
/* The i-th container, in the order in which they came; false: there are fewer. */
bool spent_container(const struct spent_in *s, size_t i, uint32_t *cid);
/* Was anything of this kind added to it? */
bool spent_has(const struct spent_in *s, uint32_t cid, enum spent_on what);
/* ns, or a number. */
uint64_t spent_at(const struct spent_in *s, uint32_t cid, enum spent_on what, size_t part);

#endif
