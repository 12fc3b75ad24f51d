/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A table: the mapping and its checks (aggregate.c), rows at a moment (look.c), one row for each key
 * (rows.c).
 */
#ifndef CTRACE_LIB_AGGREGATE_H
#define CTRACE_LIB_AGGREGATE_H

#include "aggregate_map.h"
#include "reader.h"
#pragma GCC visibility push(default)
#include "libctrace_aggregate.h"
#pragma GCC visibility pop

struct ctrace_kept_stack {
	uint32_t n;
	uint64_t frames[];
};

struct ctrace_aggregate {
	/* a checked copy: these values are never read from the mapping again */
	struct ctrace_table t;
	const char *at;			/* the table in the mapping */
	/*
	 * The stacks that were met, each content once. A key has 1 + its place here for the place in its
	 * part. known[cpu * nstacks + place]: that number, 0: not read yet.
	 */
	struct ctrace_kept_stack **stacks;
	uint32_t nkept, room;
	uint32_t *by_content;		/* open addressing, 2 * room: 1 + place in stacks */
	uint32_t *known;
};

/* Where a copied row was. Rows of a look are in order of cpu and slot. */
struct ctrace_raw_row {
	uint32_t cpu, slot, gen;	/* slot: in rows[], then in others[] */
	uint64_t *words;		/* set by ctrace_look_merge() */
};

struct ctrace_look {
	struct ctrace_aggregate *a;
	bool gain;
	struct ctrace_list raw, words;	/* words: key_words + value_words of each raw row */
	struct ctrace_look_row *rows;
	size_t n;
	uint64_t *values;		/* of rows */
	struct ctrace_look_account account;
	uint32_t waits;			/* for writers, so far */
};

static inline size_t ctrace_row_words(const struct ctrace_table *t)
{
	return t->key_words + t->value_words;
}

/* The row of CTRACE_CID_ALL in each part. */
static inline uint32_t ctrace_slot_of_all(const struct ctrace_table *t)
{
	return t->nrows + t->nothers - 1;
}

/* --- rows.c -------------------------------------------------------------------- */

/*
 * The number of a stack that the part of cpu has, 0: none, or it cannot be read; or -ENOMEM. word: as in a
 * key.
 */
int64_t ctrace_stack_number(struct ctrace_aggregate *a, uint32_t cpu, uint64_t word);
/* Makes rows from raw rows. 0 or -ENOMEM. */
int ctrace_look_merge(struct ctrace_look *l);
void ctrace_values_none(const struct ctrace_table *t, uint64_t *v);
void ctrace_values_add(const struct ctrace_table *t, uint64_t *to, const uint64_t *v);
/* Takes what was counted before from v, but for min and max. cut: no count becomes less than 0. */
void ctrace_values_subtract(const struct ctrace_table *t, uint64_t *v, const uint64_t *before, bool cut);
/* Is there anything in v? before: what the row had then, NULL if it is new. */
bool ctrace_values_any(const struct ctrace_table *t, const uint64_t *v, const uint64_t *now, const uint64_t *before);

#endif /* CTRACE_LIB_AGGREGATE_H */
