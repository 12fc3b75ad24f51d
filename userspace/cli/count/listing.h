/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Listings: rows of containers, each a line of a table or a JSON object. A command lists its columns once:
 * their head in the table, their key in JSON, their unit, and their place in a row. --sort uses the list,
 * too. The container and the keys of --by stand before them.
 */
#ifndef CTRACE_VIEW_LISTING_H
#define CTRACE_VIEW_LISTING_H

#include "count/view.h"

/* A row's value in a column. */
struct cell {
	/* in JSON null, or no member; a table has - for both */
	enum { CELL_KNOWN, CELL_UNKNOWN, CELL_MISSING } is;
	union {
		uint64_t n;
		double real;
	};
};

struct column {
	const char *head, *key;		/* NULL: the table, or JSON, does not have it */
	enum column_unit {
		COLUMN_NUMBER, COLUMN_BYTES, COLUMN_NS,
		COLUMN_PERCENTILE,	/* in ns */
		COLUMN_REAL,		/* with two decimals */
		COLUMN_TEXT,
	} unit;
	unsigned short at;		/* COLUMN_AT(): its place in the row, if there is no function */
	unsigned short known;		/* COLUMN_IF(): the place of a bool, is there a value? 0: always */
	struct cell (*get)(const void *row);
	void (*put)(struct sbuf *b, const void *row);	/* of COLUMN_TEXT in a table: appends it; "": - */
	void (*json)(struct json *j, const void *row);	/* in place of all these: writes key and value */
	const char *word;		/* its name for --sort; NULL: the head, in any case; "": none */
	bool (*there)(const struct view *v);	/* NULL: always */
};

/* A uint64_t, a double or a text. */
#define COLUMN_AT(type, member)	.at = offsetof(type, member)
/* A bool, which is not the row's first member. */
#define COLUMN_IF(type, member)	.known = offsetof(type, member)

/* The container and keys of a row. other: it has no keys of its own */
struct listed {
	uint32_t cid;
	bool other;
	const char *by;			/* keys of --by as text; "" or NULL: none */
};

struct listing {
	const struct column *columns;
	size_t n, row_size;
	bool no_by;			/* rows do not have the keys of --by */
	const char *first;		/* the word of the column that is the order without --sort */
	struct listed (*whose)(const void *row);
	/* Compares rows that have the same number n in the column of --sort. NULL: they stay as they are */
	int (*tie)(const void *x, const void *y, double n);
};
#define LISTING_COLUMNS(list)	.columns = list, .n = ARRAY_SIZE(list)

/* Orders the rows: text from the first to the last, numbers from the largest. Returns how many are shown. */
size_t listing_sort(const struct view *v, const struct listing *l, void *rows, size_t n);
/* Prints the rows: as the elements of an array, if j; else as a table, to standard output. */
void listing_print(const struct view *v, struct json *j, const struct listing *l, const void *rows, size_t n);

#endif
