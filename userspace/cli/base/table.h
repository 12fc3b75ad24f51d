/* SPDX-License-Identifier: GPL-2.0-only */
/* Columns as wide as what is in them; numbers to the right, the last column ragged. */
#ifndef CTRACE_TABLE_H
#define CTRACE_TABLE_H

#include "base/util.h"

#define TABLE_COLUMNS	14

struct table {
	size_t columns, n, cap;		/* cells, heads included */
	size_t width[TABLE_COLUMNS];
	bool number[TABLE_COLUMNS];
	char **cells;
};

void table_init(struct table *t, const char *const *heads, size_t columns);
void table_str(struct table *t, const char *s);		/* cleaned for the terminal, unless it was */
void table_num(struct table *t, uint64_t v);
void table_size(struct table *t, uint64_t bytes);	/* 64.0M */
void table_end_row(struct table *t);			/* fills what is missing with nothing */
void table_print(const struct table *t, FILE *out);
void table_free(struct table *t);

#endif
