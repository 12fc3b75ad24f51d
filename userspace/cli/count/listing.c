// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "count/listing.h"

static const char *text_of(const struct column *c, const void *row)
{
	return *(const char *const *)(const void *)((const char *)row + c->at);
}

static struct cell cell_of(const struct column *c, const void *row)
{
	const char *base = row;
	struct cell cell = { 0 };

	if (c->get)
		cell = c->get(row);
	else
		memcpy(&cell.n, base + c->at, sizeof(cell.n));
	if (c->known && !base[c->known])
		cell.is = CELL_MISSING;
	return cell;
}

/* --- order ----------------------------------------------------------------------- */

static const struct column *find(const struct listing *l, const char *word)
{
	for (size_t i = 0; i < l->n; i++) {
		const char *name = l->columns[i].word ? l->columns[i].word : l->columns[i].head;

		if (name && !strcasecmp(name, word))
			return &l->columns[i];
	}
	return NULL;
}

struct order {
	const struct listing *l;
	const struct column *c;
	bool turned;
};

static double number(const struct column *c, const void *row)
{
	const struct cell cell = cell_of(c, row);

	return c->unit == COLUMN_REAL ? cell.real : (double)cell.n;
}

static int in_order(const void *x, const void *y, void *arg)
{
	const struct order *o = arg;
	double n, m;
	int r;

	if (o->c->unit == COLUMN_TEXT) {
		r = strcmp(text_of(o->c, x), text_of(o->c, y));
	} else {
		n = number(o->c, x);
		m = number(o->c, y);
		r = n > m ? -1 : n < m ? 1 : o->l->tie ? o->l->tie(x, y, n) : 0;
	}
	return o->turned ? -r : r;
}

size_t listing_sort(const struct view *v, const struct listing *l, void *rows, size_t n)
{
	struct order o = { .l = l, .turned = v->sort && *v->sort == '-' };

	o.c = v->sort ? find(l, v->sort + o.turned) : NULL;
	o.c = o.c ? o.c : find(l, l->first);
	if (n)
		qsort_r(rows, n, l->row_size, in_order, &o);
	return v->top && v->top < n ? v->top : n;
}

/* --- text and JSON --------------------------------------------------------------- */

static bool there(const struct column *c, const struct view *v)
{
	return !c->there || c->there(v);
}

static void put_text(const struct column *c, struct table *t, const void *row)
{
	struct sbuf b = { 0 };

	if (!c->put) {
		table_str(t, text_of(c, row));
		return;
	}
	sbuf_reset(&b);
	c->put(&b, row);
	table_str(t, *b.s ? b.s : "-");
	sbuf_free(&b);
}

static void put_cell(const struct column *c, struct table *t, const void *row)
{
	const struct cell cell = cell_of(c, row);
	struct sbuf b = { 0 };
	char real[64];

	if (cell.is != CELL_KNOWN) {
		table_right(t, "-");
	} else if (c->unit == COLUMN_BYTES) {
		table_size(t, cell.n);
	} else if (c->unit == COLUMN_NS) {
		table_ns(t, cell.n);
	} else if (c->unit == COLUMN_PERCENTILE) {
		put_percentile(&b, cell.n);
		table_right(t, b.s);
		sbuf_free(&b);
	} else if (c->unit == COLUMN_REAL) {
		snprintf(real, sizeof(real), "%.2f", cell.real);
		table_right(t, real);
	} else {
		table_num(t, cell.n);
	}
}

static void put_line(const struct view *v, struct table *t, const struct listing *l, const void *row)
{
	const struct listed of = l->whose(row);
	struct sbuf b = { 0 };

	view_put_container(v, &b, of.cid);
	table_str(t, b.s);
	sbuf_free(&b);
	if (v->by && !l->no_by)
		table_str(t, of.by);
	for (size_t i = 0; i < l->n; i++) {
		const struct column *c = &l->columns[i];

		if (c->head && there(c, v))
			(c->unit == COLUMN_TEXT ? put_text : put_cell)(c, t, row);
	}
	table_end_row(t);
}

static void put_member(const struct column *c, struct json *j, const void *row)
{
	struct cell cell;

	if (c->json) {
		c->json(j, row);
		return;
	}
	if (c->unit == COLUMN_TEXT) {
		json_str(j, c->key, text_of(c, row));
		return;
	}
	cell = cell_of(c, row);
	if (cell.is == CELL_UNKNOWN)
		json_null(j, c->key);
	else if (cell.is == CELL_KNOWN && c->unit == COLUMN_REAL)
		json_real(j, c->key, cell.real);
	else if (cell.is == CELL_KNOWN)
		json_uint(j, c->key, cell.n);
}

static void put_object(const struct view *v, struct json *j, const struct listing *l, const void *row)
{
	const struct listed of = l->whose(row);

	json_open(j, NULL, '{');
	view_json_container(v, j, of.cid, of.other);
	if (of.by && *of.by)
		json_str(j, "by", of.by);
	for (size_t i = 0; i < l->n; i++) {
		const struct column *c = &l->columns[i];

		if ((c->key || c->json) && there(c, v))
			put_member(c, j, row);
	}
	json_close(j, '}');
}

void listing_print(const struct view *v, struct json *j, const struct listing *l, const void *rows, size_t n)
{
	const char *heads[TABLE_COLUMNS] = { "CONTAINER", "BY" }, *row = rows;
	size_t columns = v->by && !l->no_by ? 2 : 1;
	struct table t;

	for (size_t i = 0; j && i < n; i++, row += l->row_size)
		put_object(v, j, l, row);
	if (j)
		return;
	for (size_t i = 0; i < l->n; i++)
		if (l->columns[i].head && there(&l->columns[i], v))
			heads[columns++] = l->columns[i].head;
	table_init(&t, heads, columns);
	for (size_t i = 0; i < n; i++, row += l->row_size)
		put_line(v, &t, l, row);
	table_print(&t, stdout);
	table_free(&t);
}
