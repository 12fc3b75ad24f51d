// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "base/table.h"

static void add(struct table *t, char *cell)
{
	size_t col = t->n % t->columns, w = utf8_columns(cell);

	if (t->n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 64;
		t->cells = xrealloc(t->cells, t->cap * sizeof(t->cells[0]));
	}
	t->cells[t->n++] = cell;
	if (w > t->width[col])
		t->width[col] = w;
}

void table_init(struct table *t, const char *const *heads, size_t columns)
{
	memset(t, 0, sizeof(*t));
	t->columns = columns;
	for (size_t i = 0; i < columns; i++)
		add(t, xstrdup(heads[i]));
}

void table_str(struct table *t, const char *s)
{
	struct sbuf b = { 0 };

	/* cleaning leaves backslashes alone, so cleaning twice changes nothing */
	sbuf_reset(&b);
	sbuf_clean(&b, s);
	add(t, b.s);
}

void table_num(struct table *t, uint64_t v)
{
	t->number[t->n % t->columns] = true;
	add(t, xasprintf("%llu", (unsigned long long)v));
}

void table_size(struct table *t, uint64_t bytes)
{
	struct sbuf b = { 0 };

	t->number[t->n % t->columns] = true;
	sbuf_size(&b, bytes);
	add(t, b.s);
}

void table_end_row(struct table *t)
{
	while (t->n % t->columns)
		add(t, xstrdup(""));
}

void table_print(const struct table *t, FILE *out)
{
	for (size_t i = 0; i < t->n; i++) {
		size_t col = i % t->columns;
		size_t pad = t->width[col] - utf8_columns(t->cells[i]);
		bool last = col + 1 == t->columns;

		if (t->number[col])
			fprintf(out, "%*s%s%s", (int)pad, "", t->cells[i], last ? "\n" : "  ");
		else
			fprintf(out, "%s%*s%s", t->cells[i], last ? 0 : (int)pad, "",
				last ? "\n" : "  ");
	}
}

void table_free(struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->cells[i]);
	free(t->cells);
	memset(t, 0, sizeof(*t));
}
