/* SPDX-License-Identifier: GPL-2.0-only */
/* The newest N records of those that are offered, in any order. */
#ifndef CTRACE_CLI_LAST_H
#define CTRACE_CLI_LAST_H

#include <ctrace/ctrace.h>
#include <stddef.h>

struct kept {
	uint64_t time, pos;
	uint32_t slot;
	struct ctrace_record *rec;	/* a copy */
};

struct last {
	struct kept *v;			/* a heap, the oldest first; sorted by last_sort() */
	size_t n, room;
	uint64_t offered;
};

/* Keeps a copy of rec if it is among the newest max. */
void last_offer(struct last *l, const struct ctrace_record *rec, uint32_t slot, uint64_t pos, size_t max);
/* Oldest first. Nothing may be offered after this. */
void last_sort(struct last *l);
void last_free(struct last *l);

#endif
