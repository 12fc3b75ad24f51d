// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Opens a table: everything in its header is checked against the mapping before any use. And how large one
 * is.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate.h"

#define PAGE		4096ull
#define CPUS_MAX	65536u

static bool power_of_two(uint32_t x)
{
	return x && !(x & (x - 1));
}

/*
 * Do n things of size bytes each fit between off and end? No product here overflows: n < 2^21, size < 2^32.
 */
static bool fits(uint64_t off, uint64_t n, uint64_t size, uint64_t end)
{
	return off % 8 == 0 && off <= end && n * size <= end - off;
}

static uint32_t key_words(const struct ctrace_table_column *c)
{
	switch (c->kind) {
	case CTRACE_TABLE_KEY_TEXT:
		return c->words == 2 || c->words == CTRACE_TABLE_TEXT_MAX / 8 ? c->words : CTRACE_TABLE_TEXT / 8;
	case CTRACE_TABLE_KEY_NUMBER:
	case CTRACE_TABLE_KEY_STACK:
	case CTRACE_TABLE_KEY_USTACK:
	case CTRACE_TABLE_KEY_SYSCALL:
	case CTRACE_TABLE_KEY_ERRNO:
		return 1;
	}
	return 0;
}

static uint32_t value_words(const struct ctrace_table_column *c)
{
	switch (c->kind) {
	case CTRACE_TABLE_COUNT:
	case CTRACE_TABLE_SUM:
	case CTRACE_TABLE_MIN:
	case CTRACE_TABLE_MAX:
		return 1;
	case CTRACE_TABLE_AVG:
		return 2;
	case CTRACE_TABLE_HIST:
		return CTRACE_TABLE_BUCKETS;
	}
	return 0;
}

/* Do these columns have all words from first to end, each once? Ends their names. */
static bool check_columns(struct ctrace_table_column *c, uint32_t n, uint32_t first, uint32_t end,
			  uint32_t (*words)(const struct ctrace_table_column *c))
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (!words(&c[i]) || c[i].words != words(&c[i]) || c[i].at != first)
			return false;
		first += c[i].words;
		c[i].name[sizeof(c[i].name) - 1] = '\0';
	}
	return first == end;
}

static bool check(struct ctrace_table *t, uint64_t room)
{
	uint64_t part;

	if (t->magic != CTRACE_TABLE_MAGIC || t->size > room || t->size < sizeof(*t))
		return false;
	if (!t->ncpus || t->ncpus > CPUS_MAX || t->nkeys > CTRACE_TABLE_KEYS ||
	    t->nvalues > CTRACE_TABLE_VALUES)
		return false;
	if (t->key_words > CTRACE_TABLE_KEY_WORDS ||
	    !check_columns(t->keys, t->nkeys, 1, t->key_words, key_words) ||
	    !check_columns(t->values, t->nvalues, 0, t->value_words, value_words))
		return false;
	if (t->row_size % 8 || t->row_size < sizeof(struct ctrace_table_row) + 8 * ctrace_row_words(t))
		return false;
	if (!power_of_two(t->nrows) || t->nrows > CTRACE_TABLE_ROWS_MAX || !t->nothers ||
	    t->nothers > CTRACE_TABLE_ROWS_MAX || t->nstacks > CTRACE_TABLE_ROWS_MAX)
		return false;
	part = t->part_stride;
	if (t->parts_off < sizeof(*t) || part % 8 || part > t->size ||
	    !fits(t->parts_off, t->ncpus, part, t->size))
		return false;
	return t->rows_off >= sizeof(struct ctrace_table_part) &&
	       t->others_off >= sizeof(struct ctrace_table_part) &&
	       fits(t->rows_off, t->nrows, t->row_size, part) &&
	       fits(t->others_off, t->nothers, t->row_size, part) &&
	       (!t->nstacks || fits(t->stacks_off, t->nstacks, sizeof(struct ctrace_table_stack), part));
}

int ctrace_aggregate_open_map(const void *map, uint64_t tables_off, uint64_t tables_size, uint64_t table,
			      struct ctrace_aggregate **out)
{
	struct ctrace_aggregate *a;
	uint64_t room;

	*out = NULL;
	if (!tables_off)
		return -ENOENT;
	if (table % 8 || table < tables_off || table - tables_off > tables_size)
		return -EPROTO;
	room = tables_size - (table - tables_off);
	if (room < sizeof(struct ctrace_table))
		return -EPROTO;
	a = calloc(1, sizeof(*a));
	if (!a)
		return -ENOMEM;
	a->at = (const char *)map + table;
	memcpy(&a->t, a->at, sizeof(a->t));
	if (!check(&a->t, room)) {
		free(a);
		return -EPROTO;
	}
	if (a->t.nstacks) {
		a->known = calloc((size_t)a->t.ncpus * a->t.nstacks, sizeof(a->known[0]));
		if (!a->known) {
			free(a);
			return -ENOMEM;
		}
	}
	*out = a;
	return 0;
}

int ctrace_aggregate_open(struct ctrace_reader *r, uint64_t table, struct ctrace_aggregate **out)
{
	const struct ctrace_dir *d = &r->dir;

	*out = NULL;
	if (!r->map || !d->tables_off)
		return -ENOENT;
	if (d->tables_off % 8 || d->tables_off < sizeof(*d) || d->tables_off > d->map_size ||
	    d->tables_size > d->map_size - d->tables_off)
		return -EPROTO;
	return ctrace_aggregate_open_map(r->map, d->tables_off, d->tables_size, table, out);
}

void ctrace_aggregate_close(struct ctrace_aggregate *a)
{
	uint32_t i;

	if (!a)
		return;
	for (i = 0; i < a->nkept; i++)
		free(a->stacks[i]);
	free(a->stacks);
	free(a->by_content);
	free(a->known);
	free(a);
}

const struct ctrace_table *ctrace_aggregate_table(const struct ctrace_aggregate *a)
{
	return &a->t;
}

static uint64_t whole_pages(uint64_t x)
{
	return (x + PAGE - 1) / PAGE * PAGE;
}

/*
 * What the module makes of these numbers is its own affair; this is no less. ROWS_MAX bounds all products:
 * with all possible columns a row has less than 2^14 bytes.
 */
uint64_t ctrace_aggregate_size(uint32_t cpus, uint32_t rows, uint32_t keys, uint32_t values, bool stack)
{
	uint64_t row = sizeof(struct ctrace_table_row) + 8 * ((uint64_t)keys + values);
	uint64_t n = 16, others, part;

	while (n < rows && n < CTRACE_TABLE_ROWS_MAX)
		n *= 2;
	others = n / 4 > 64 ? n / 4 : 64;
	part = sizeof(struct ctrace_table_part) + (n + others) * row;
	if (stack)
		part += n * sizeof(struct ctrace_table_stack);
	return whole_pages(sizeof(struct ctrace_table)) + cpus * whole_pages(part + 64);
}
