/* SPDX-License-Identifier: GPL-2.0-only */
/* A table. A column is as wide as its widest cell; numbers align right; the last column is not padded. */
#ifndef CTRACE_TABLE_H
#define CTRACE_TABLE_H

#include "base/util.h"

#define TABLE_COLUMNS	20

struct table_cell {
	unsigned int bytes, columns;
};

struct table {
	size_t columns, n, cap;		/* n, cap: cells there and allocated, heads included */
	size_t width[TABLE_COLUMNS];
	bool number[TABLE_COLUMNS];
	struct table_cell *cells;
	/* of all cells, one after the other: a list of containers may have a million */
	struct sbuf text;
};

void table_init(struct table *t, const char *const *heads, size_t columns);
void table_str(struct table *t, const char *s);		/* makes s safe for a terminal; it may be already */
void table_num(struct table *t, uint64_t v);
void table_right(struct table *t, const char *s);	/* as written, aligned as numbers are */
void table_size(struct table *t, uint64_t bytes);	/* 64.0M */
void table_end_row(struct table *t);			/* leaves the cells that are missing empty */
void table_print(const struct table *t, FILE *out);
void table_free(struct table *t);

#endif
