/* SPDX-License-Identifier: GPL-2.0-only */
/* A table made by hand, as uapi/ctrace_table.h describes it: keys comm and stack; count(), max(x), hist(x). */
#ifndef CTRACE_FAKE_TABLE_H
#define CTRACE_FAKE_TABLE_H

#include <stdlib.h>
#include <string.h>
#include "aggregate.h"

#define CPUS	2u
#define ROWS	8u
#define OTHERS	4u
#define STACKS	4u
#define KEYS	4u			/* words: container, comm, stack */
#define VALUES	(2 + CTRACE_TABLE_BUCKETS)
#define ROW	(8 + 8 * (KEYS + VALUES))
#define PART	(sizeof(struct ctrace_table_part) + (ROWS + OTHERS) * ROW + STACKS * sizeof(struct ctrace_table_stack))
#define TABLES_OFF	4096u
#define PARTS_OFF	4096u
#define TABLES_SIZE	(PARTS_OFF + CPUS * PART)

struct fake_table {
	char *map;
	struct ctrace_table *t;
	struct ctrace_aggregate *a;
};

static inline struct fake_table fake_table(void)
{
	struct fake_table f = { .map = calloc(1, TABLES_OFF + TABLES_SIZE) };

	f.t = (void *)(f.map + TABLES_OFF);
	*f.t = (struct ctrace_table){
		.magic = CTRACE_TABLE_MAGIC, .ncpus = CPUS, .nkeys = 2, .nvalues = 3, .key_words = KEYS,
		.value_words = VALUES, .row_size = ROW, .nrows = ROWS, .nothers = OTHERS, .nstacks = STACKS,
		.parts_off = PARTS_OFF, .part_stride = PART, .rows_off = sizeof(struct ctrace_table_part),
		.others_off = sizeof(struct ctrace_table_part) + ROWS * ROW,
		.stacks_off = sizeof(struct ctrace_table_part) + (ROWS + OTHERS) * ROW, .size = TABLES_SIZE,
		.keys = {
			{ .kind = CTRACE_TABLE_KEY_TEXT, .words = 2, .at = 1, .name = "comm" },
			{ .kind = CTRACE_TABLE_KEY_STACK, .words = 1, .at = 3, .name = "stack" },
		},
		.values = {
			{ .kind = CTRACE_TABLE_COUNT, .words = 1, .at = 0, .name = "count()" },
			{ .kind = CTRACE_TABLE_MAX, .is_signed = 1, .words = 1, .at = 1, .name = "max(x)" },
			{ .kind = CTRACE_TABLE_HIST, .is_signed = 1, .words = CTRACE_TABLE_BUCKETS, .at = 2, .name = "hist(x)" },
		},
	};
	return f;
}

static inline int fake_open(struct fake_table *f)
{
	return ctrace_aggregate_open_map(f->map, TABLES_OFF, TABLES_SIZE, TABLES_OFF, &f->a);
}

static inline void fake_table_free(struct fake_table *f)
{
	ctrace_aggregate_close(f->a);
	free(f->map);
}

static inline struct ctrace_table_part *fake_part(struct fake_table *f, uint32_t cpu)
{
	return (void *)(f->map + TABLES_OFF + PARTS_OFF + cpu * PART);
}

/* slot: ROWS and more are others; ROWS + OTHERS - 1 is that of CTRACE_CID_ALL */
static inline struct ctrace_table_row *fake_row(struct fake_table *f, uint32_t cpu, uint32_t slot)
{
	return (void *)((char *)fake_part(f, cpu) + sizeof(struct ctrace_table_part) + slot * ROW);
}

static inline void fake_key(struct ctrace_table_row *r, uint64_t cid, const char *comm, uint64_t stack)
{
	memset(r->words, 0, ROW - 8);
	r->words[0] = cid;
	memcpy(&r->words[1], comm, strlen(comm));	/* at most 16 bytes */
	r->words[3] = stack;
	r->words[KEYS + 1] = (uint64_t)INT64_MIN;
	r->gen = r->gen + 2;
}

static inline void fake_count(struct ctrace_table_row *r, int64_t x)
{
	r->words[KEYS]++;
	if (x > (int64_t)r->words[KEYS + 1])
		r->words[KEYS + 1] = (uint64_t)x;
	r->words[KEYS + 2 + ctrace_table_bucket(x)]++;
}

static inline void fake_stack(struct fake_table *f, uint32_t cpu, uint32_t i, uint32_t n, uint64_t first)
{
	struct ctrace_table_stack *s = (void *)((char *)fake_part(f, cpu) + f->t->stacks_off);

	s[i].n = n;
	for (uint32_t k = 0; k < n && k < CTRACE_TABLE_FRAMES; k++)
		s[i].frames[k] = first + k;
	s[i].gen = 2;
}

#endif
