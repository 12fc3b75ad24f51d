/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of several tables and keys, added up: for views that do not show their tables as they are. */
#ifndef CTRACE_VIEW_SUMS_H
#define CTRACE_VIEW_SUMS_H

#include "count/listing.h"

#define SUM_MORE	3	/* sums beside the first one */

struct sum_errno {
	uint32_t err;
	uint64_t n;
};

/* Of one container, group of keys and name: durations in ns. */
struct sum {
	uint32_t cid;
	bool other;		/* it has no keys of its own: (other) */
	char *by;		/* the keys of --by as text, "" none */
	char *name;		/* of a line in a block; or "" */
	uint64_t n, errors, total, min, max;
	uint64_t more[SUM_MORE];	/* of further sum()s, in their order: of events without an error */
	uint64_t hist[CTRACE_TABLE_BUCKETS];
	uint64_t *second;	/* of a second hist(); NULL: there is none */
	struct sum_errno *errnos;
	size_t nerrnos;
};

struct sums {
	struct sum *v;		/* by container, by, name */
	size_t n;
};

/*
 * Adds up the gain of all tables. name: the key that is the lines' name, NULL: none; errno keys count as
 * errors; keys that `drop` lists are added up; the others are the group's.
 */
void sums_make(struct view *v, struct sums *s, const char *name, const char *drop);
/* The same of the tables of one group. */
void sums_make_group(struct view *v, struct sums *s, size_t group, const char *name, const char *drop);
/* The same, with names that are made of a row, which may be (other). */
typedef void (*sums_name_fn)(struct view *v, struct sbuf *b, const struct view_row *row);
void sums_make_named(struct view *v, struct sums *s, sums_name_fn name, const char *drop);
void sums_free(struct sums *s);
void sum_free(struct sum *s);	/* frees its members */
/* Do both belong to one block? */
bool sums_together(const struct sum *a, const struct sum *b);
/* Adds b to a, which has no errnos, and may get a second histogram. */
void sum_add(struct sum *a, const struct sum *b);

static inline uint64_t sum_percentile(const struct sum *s, double p)
{
	return view_percentile(s->hist, p, s->max);
}

/* --- rows that begin with a struct sum, in a listing (count/listing.h) --- */

struct listed sum_whose(const void *row);
/* Orders by name. */
int sum_tie(const void *x, const void *y, double n);
struct cell sum_p50(const void *row);
struct cell sum_p99(const void *row);
/* Of the second histogram. */
struct cell sum_second_p50(const void *row);
struct cell sum_second_p99(const void *row);
void sum_json_hist(struct json *j, const void *row);

#define SUM_COLUMN(head, key, unit, member)	{ head, key, unit, COLUMN_AT(struct sum, member) }
/* The last columns: in JSON, the histogram. */
#define SUM_PERCENTILES \
	{ "P50", NULL, COLUMN_PERCENTILE, .get = sum_p50 }, \
	{ "P99", NULL, COLUMN_PERCENTILE, .get = sum_p99 }, \
	SUM_COLUMN("MAX", NULL, COLUMN_NS, max), { .json = sum_json_hist }

/*
 * Prints a histogram of each row, and the second one. put: appends more of the row to the container's name.
 * second: what that is of.
 */
void sums_print_hists(const struct view *v, const void *rows, size_t row_size, size_t n,
		      void (*put)(struct sbuf *b, const struct sum *s), enum bars_unit unit,
		      const char *second);
/*
 * Prints a stack and the sums of each row. put: appends the row's frames, from the end of the line of its
 * keys on.
 */
void sums_print_stacks(const struct view *v, const struct sum *rows, size_t n,
		       void (*put)(struct sbuf *b, const struct sum *s), bool average);
uint64_t sum_average(const struct sum *s);
/* For view_kind.weight: the time in us. */
uint64_t sum_usecs(const struct ctrace_table *t, const uint64_t *values);
/* Appends ", keys of --by". */
void sum_put_by(struct sbuf *b, const struct sum *s);

/* Appends "p50 12us, p99 3ms, max 8ms", of times in ns. */
void sum_put_percentiles(struct sbuf *b, const struct sum *s);

#endif
