// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "base/table.h"

#define OUT_SIZE	65536

/* Ends the cell that was written to the text from `from` on. */
static void end(struct table *t, size_t from)
{
	size_t col = t->n % t->columns, w = t->text.len == from ? 0 : utf8_columns(t->text.s + from);

	if (t->n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 64;
		t->cells = xrealloc(t->cells, t->cap * sizeof(t->cells[0]));
	}
	t->cells[t->n++] = (struct table_cell){ (unsigned int)(t->text.len - from), (unsigned int)w };
	if (w > t->width[col])
		t->width[col] = w;
}

void table_init(struct table *t, const char *const *heads, size_t columns)
{
	memset(t, 0, sizeof(*t));
	t->columns = columns;
	for (size_t i = 0; i < columns; i++)
		table_str(t, heads[i]);
}

void table_str(struct table *t, const char *s)
{
	size_t from = t->text.len;

	/* cleaning leaves backslashes alone, so cleaning twice changes nothing */
	sbuf_clean(&t->text, s);
	end(t, from);
}

void table_num(struct table *t, uint64_t v)
{
	size_t from = t->text.len;

	t->number[t->n % t->columns] = true;
	sbuf_u64(&t->text, v);
	end(t, from);
}

void table_right(struct table *t, const char *s)
{
	t->number[t->n % t->columns] = true;
	table_str(t, s);
}

void table_size(struct table *t, uint64_t bytes)
{
	size_t from = t->text.len;

	t->number[t->n % t->columns] = true;
	sbuf_size(&t->text, bytes);
	end(t, from);
}

void table_end_row(struct table *t)
{
	while (t->n % t->columns)
		end(t, t->text.len);
}

static void pad(struct sbuf *b, size_t n)
{
	while (n--)
		sbuf_putc(b, ' ');
}

void table_print(const struct table *t, FILE *out)
{
	const char *cell = t->text.s;
	struct sbuf b = { 0 };

	for (size_t i = 0; i < t->n; cell += t->cells[i++].bytes) {
		size_t col = i % t->columns, space = t->width[col] - t->cells[i].columns;
		bool last = col + 1 == t->columns;

		if (t->number[col])
			pad(&b, space);
		sbuf_put(&b, cell, t->cells[i].bytes);
		if (!t->number[col] && !last)
			pad(&b, space);
		sbuf_puts(&b, last ? "\n" : "  ");
		if (b.len >= OUT_SIZE || i + 1 == t->n) {
			fwrite(b.s, 1, b.len, out);
			sbuf_reset(&b);
		}
	}
	sbuf_free(&b);
}

void table_free(struct table *t)
{
	free(t->cells);
	sbuf_free(&t->text);
	memset(t, 0, sizeof(*t));
}
