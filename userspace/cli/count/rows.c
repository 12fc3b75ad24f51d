// SPDX-License-Identifier: GPL-2.0-only
/* Names for keys and values of rows, and the rows' order. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "strace/paint.h"
#include "count/view.h"

bool view_shows(const struct view *v, const struct ctrace_look_row *r)
{
	return r->cid == CTRACE_CID_ALL || follow_shows(&v->run.follow, r->cid);
}

bool view_is_gone(const struct view *v, uint32_t cid)
{
	const struct centry *e = cid == CTRACE_CID_ALL ? NULL : ctable_get(v->run.ctable, cid);

	return e && e->known && (e->c.flags & CTRACE_CONTAINER_F_DEAD);
}

static void put_container(const struct view *v, struct sbuf *b, uint32_t cid, const char *shown)
{
	if (cid == CTRACE_CID_ALL) {
		sbuf_puts(b, "(ended and other containers)");
		return;
	}
	sbuf_puts(b, shown);
	if (view_is_gone(v, cid))
		sbuf_puts(b, " (gone)");
}

void view_put_container(const struct view *v, struct sbuf *b, uint32_t cid)
{
	put_container(v, b, cid, cid == CTRACE_CID_ALL ? NULL : ctable_shown(v->run.ctable, cid));
}

void view_put_other_container(const struct view *v, struct sbuf *b, uint32_t cid)
{
	put_container(v, b, cid, cid == CTRACE_CID_ALL ? NULL : ctable_get(v->run.ctable, cid)->shown);
}

const char *view_call_name(const struct view *v, uint64_t id)
{
	const struct ctrace_event_type *t = ctrace_schema_by_id(v->run.schema, (uint32_t)id);

	if (!t)
		return "?";
	return strncmp(t->name, "syscall_", 8) ? t->name : t->name + 8;
}

static const struct ctrace_field *field_named(const struct ctrace_event_type *t, const char *name)
{
	for (uint32_t i = 0; t && i < t->nfields; i++)
		if (!strcmp(t->fields[i].name, name))
			return &t->fields[i];
	return NULL;
}

static void put_number(struct sbuf *b, const struct ctrace_table_column *c, uint64_t n)
{
	if (c->display == CTRACE_FD_HEX)
		sbuf_printf(b, "0x%llx", (unsigned long long)n);
	else if (c->display == CTRACE_FD_RWBS)
		rwbs_put(b, n);
	else if (c->is_signed)
		sbuf_printf(b, "%lld", (long long)n);
	else
		sbuf_u64(b, n);
}

void view_put_key(const struct view *v, struct sbuf *b, const struct view_row *row, uint32_t key)
{
	const struct ctrace_table_column *c = &row->t->t->keys[key];
	uint64_t n = row->r->key[c->at];
	const struct ctrace_event_type *type = row->t->type;
	const struct ctrace_field *f;
	const char *s;
	size_t len;
	char *text;

	if (row->r->other || row->r->cid == CTRACE_CID_ALL) {
		sbuf_puts(b, "(other)");
		return;
	}
	switch (c->kind) {
	case CTRACE_TABLE_KEY_TEXT:
		s = ctrace_row_text(row->t->gain, row->r, key, &len);
		text = xstrndup(s, len);
		sbuf_clean(b, text);
		free(text);
		return;
	case CTRACE_TABLE_KEY_SYSCALL:
		sbuf_clean(b, view_call_name(v, n));
		return;
	case CTRACE_TABLE_KEY_ERRNO:
		s = n <= 4095 ? errno_name((int)n) : NULL;
		if (!n)
			sbuf_putc(b, '-');
		else if (s)
			sbuf_puts(b, s);
		else
			sbuf_u64(b, n);
		return;
	}
	f = field_named(type, c->name);
	if (f && (f->kind == CTRACE_FK_UINT || f->kind == CTRACE_FK_INT)) {
		const struct ctrace_value val = { .field = f, .u = n };

		field_paint(type, f)(b, &val);
		return;
	}
	put_number(b, c, n);
}

void view_put_event(const struct view *v, struct sbuf *b, const struct view_row *row)
{
	if (row->t->call >= 0)
		view_put_key(v, b, row, (uint32_t)row->t->call);
	else
		sbuf_clean(b, row->t->event);
}

/* --- values ---------------------------------------------------------------------- */

int view_key(const struct ctrace_table *t, const char *name)
{
	for (uint32_t k = 0; k < t->nkeys; k++)
		if (!strcmp(t->keys[k].name + (*t->keys[k].name == '$'), name))
			return (int)k;
	return -1;
}

int view_column(const struct ctrace_table *t, uint32_t fn)
{
	for (uint32_t i = 0; i < t->nvalues; i++)
		if (t->values[i].kind == fn)
			return (int)i;
	return -1;
}

uint64_t view_events(const struct ctrace_table *t, const uint64_t *values)
{
	int c = view_column(t, CTRACE_TABLE_COUNT);

	if (c >= 0)
		return values[t->values[c].at];
	c = view_column(t, CTRACE_TABLE_AVG);
	if (c >= 0)
		return values[t->values[c].at + 1];
	c = view_column(t, CTRACE_TABLE_HIST);
	return c >= 0 ? ctrace_hist_count(&values[t->values[c].at]) : 0;
}

bool view_value_none(const struct ctrace_table_column *c, const uint64_t *values)
{
	const uint64_t *w = &values[c->at];

	switch (c->kind) {
	case CTRACE_TABLE_AVG:
		return !w[1];
	case CTRACE_TABLE_MIN:
		return w[0] == (c->is_signed ? INT64_MAX : UINT64_MAX);
	case CTRACE_TABLE_MAX:
		return c->is_signed && w[0] == (uint64_t)INT64_MIN;
	}
	return false;
}

uint64_t view_hist_max(const uint64_t *h, uint64_t max)
{
	uint64_t top = ctrace_hist_max(h);

	/* max is of this histogram, or of an older, larger value: then only the bucket is known */
	return ctrace_table_bucket_top(ctrace_table_bucket((int64_t)max)) == top ? max : top;
}

uint64_t view_hist_min(const uint64_t *h, uint64_t min)
{
	uint64_t bottom = ctrace_hist_min(h);

	return ctrace_hist_bottom(ctrace_table_bucket((int64_t)min)) == bottom ? min : bottom;
}

/* The number by which a column is ordered. */
static double weight(const struct ctrace_table_column *c, const uint64_t *values)
{
	const uint64_t *w = &values[c->at];

	if (c->kind == CTRACE_TABLE_HIST)
		return (double)ctrace_hist_count(w);
	if (c->kind == CTRACE_TABLE_AVG)
		return w[1] ? (c->is_signed ? (double)(int64_t)w[0] : (double)w[0]) / (double)w[1] : 0;
	return c->is_signed ? (double)(int64_t)w[0] : (double)w[0];
}

/* --- order ----------------------------------------------------------------------- */

struct order {
	const struct view *v;
	const char *column;	/* NULL: the first value */
	bool turned;
};

/* Is word a name for the column: count for count(), sum for sum(bytes)? */
static bool called(const char *name, const char *word)
{
	size_t n = strlen(word);

	return !strncasecmp(name, word, n) && (!name[n] || name[n] == '(');
}

static int compare_numbers(double x, double y)
{
	return x < y ? -1 : x > y;
}

static int compare_text(const struct view *v, const struct view_row *x, const struct view_row *y, int key)
{
	struct sbuf a = { 0 }, b = { 0 };
	int r;

	sbuf_reset(&a);
	sbuf_reset(&b);
	if (key == -1) {
		view_put_container(v, &a, x->r->cid);
		view_put_container(v, &b, y->r->cid);
	} else if (key == -2) {
		view_put_event(v, &a, x);
		view_put_event(v, &b, y);
	} else {
		view_put_key(v, &a, x, (uint32_t)key);
		view_put_key(v, &b, y, (uint32_t)key);
	}
	r = strcmp(a.s, b.s);
	sbuf_free(&a);
	sbuf_free(&b);
	return r;
}

static bool find_column(const struct ctrace_table *t, const char *word, int *key, int *value)
{
	*key = *value = -1;
	if (!word) {
		*value = 0;
		return true;
	}
	for (uint32_t i = 0; i < t->nvalues; i++)
		if (called(t->values[i].name, word)) {
			*value = (int)i;
			return true;
		}
	for (uint32_t i = 0; i < t->nkeys; i++)
		if (!strcasecmp(t->keys[i].name, word)) {
			*key = (int)i;
			return true;
		}
	*key = !strcasecmp(word, "event") ? -2 : -1;
	return !strcasecmp(word, "container") || *key == -2;
}

/* Appends the columns that --sort knows of a table. */
static void put_columns(struct sbuf *b, const struct ctrace_table *t)
{
	for (uint32_t i = 0; i < t->nvalues; i++)
		sbuf_printf(b, "%.*s ", (int)strcspn(t->values[i].name, "("), t->values[i].name);
	for (uint32_t i = 0; i < t->nkeys; i++)
		if (t->keys[i].kind < CTRACE_TABLE_KEY_STACK)
			sbuf_printf(b, "%s ", t->keys[i].name);
	sbuf_puts(b, "event container");
}

int view_rows_sort_is(const struct view *v)
{
	const char *word = v->sort ? v->sort + (*v->sort == '-') : NULL;
	struct sbuf b = { 0 };
	int key, value;

	if (!word || !v->ntables || (v->kind->print != view_print && !v->rows_alone))
		return CLI_OK;
	for (size_t i = 0; i < v->ntables; i++)
		if (find_column(v->tables[i].t, word, &key, &value))
			return CLI_OK;
	put_columns(&b, v->tables[0].t);
	cli_usage("no column '%s' to sort by: there are %s", word, b.s);
	sbuf_free(&b);
	return CLI_USAGE;
}

static int by_order(const void *a, const void *b, void *arg)
{
	const struct view_row *x = a, *y = b;
	const struct order *o = arg;
	int key, value, r;

	if (!find_column(x->t->t, o->column, &key, &value))
		value = 0;
	if (value >= 0)
		r = compare_numbers(weight(&y->t->t->values[value], y->r->values),
				    weight(&x->t->t->values[value], x->r->values));
	else if (key >= 0 && x->t->t->keys[key].kind == CTRACE_TABLE_KEY_NUMBER)
		r = compare_numbers((double)(int64_t)x->r->key[x->t->t->keys[key].at],
				    (double)(int64_t)y->r->key[y->t->t->keys[key].at]);
	else
		r = compare_text(o->v, x, y, key);
	return o->turned ? -r : r;
}

void view_rows_get(struct view *v, size_t group, struct view_rows *rows)
{
	struct order o = { .v = v, .column = v->sort };
	const struct ctrace_look_row *r;
	size_t room = 0;

	if (o.column && *o.column == '-') {
		o.turned = true;
		o.column++;
	}
	memset(rows, 0, sizeof(*rows));
	for (size_t i = 0; i < v->ntables; i++) {
		const struct view_table *t = &v->tables[i];

		if (t->group != group)
			continue;
		room += ctrace_look_rows(t->gain);
		rows->v = xrealloc(rows->v, (room + 1) * sizeof(rows->v[0]));
		for (size_t k = 0; (r = ctrace_look_row(t->gain, k)); k++)
			if (view_shows(v, r))
				rows->v[rows->n++] = (struct view_row){ t, r };
	}
	if (rows->n)
		qsort_r(rows->v, rows->n, sizeof(rows->v[0]), by_order, &o);
	if (v->top && rows->n > v->top)
		rows->n = v->top;
}
