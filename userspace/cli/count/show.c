// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows as text: a table; or a block for each row, if rows have histograms or stacks. And stacks for flame
 * graphs.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <ctype.h>
#include "base/table.h"
#include "count/view.h"
#include "flame/flame.h"
#include "show/sink.h"

static bool is_stack(const struct ctrace_table_column *c)
{
	return c->kind == CTRACE_TABLE_KEY_STACK || c->kind == CTRACE_TABLE_KEY_USTACK;
}

static bool in_ns(const struct ctrace_table_column *c)
{
	return strstr(c->name, "(duration)");
}

static void put_value(struct sbuf *b, const struct ctrace_table_column *c, const uint64_t *values)
{
	const uint64_t *w = &values[c->at];
	double avg;

	if (view_value_none(c, values)) {
		sbuf_putc(b, '-');
	} else if (c->kind == CTRACE_TABLE_AVG) {
		avg = (c->is_signed ? (double)(int64_t)w[0] : (double)w[0]) / (double)w[1];
		if (in_ns(c) && avg >= 0)
			put_ns(b, (uint64_t)avg);
		else
			sbuf_printf(b, "%.1f", avg);
	} else if (c->kind == CTRACE_TABLE_HIST) {
		sbuf_u64(b, ctrace_hist_count(w));
	} else if (in_ns(c)) {
		put_ns(b, w[0]);
	} else if (c->is_signed) {
		sbuf_printf(b, "%lld", (long long)w[0]);
	} else {
		sbuf_u64(b, w[0]);
	}
}

static void put_upper(struct sbuf *b, const char *name)
{
	if (!strcmp(name, "count()"))
		name = "count";
	for (; *name; name++)
		sbuf_putc(b, (char)toupper((unsigned char)*name));
}

static const struct view_table *first_of(const struct view *v, size_t group, size_t *n)
{
	const struct view_table *first = NULL;

	*n = 0;
	for (size_t i = 0; i < v->ntables; i++) {
		if (v->tables[i].group != group)
			continue;
		first = first ? first : &v->tables[i];
		(*n)++;
	}
	return first;
}

/* Is a row more than a line? */
static bool is_block(const struct ctrace_table *t)
{
	bool block = view_column(t, CTRACE_TABLE_HIST) >= 0;

	for (uint32_t i = 0; i < t->nkeys; i++)
		block |= is_stack(&t->keys[i]);
	return block;
}

static void show_table(const struct view *v, const struct view_table *first, bool event,
		       const struct view_rows *rows)
{
	const struct ctrace_table *t = first->t;
	char *heads[TABLE_COLUMNS];
	struct sbuf b = { 0 };
	struct table table;
	size_t n = 0;

	if (event)
		heads[n++] = xstrdup("EVENT");
	heads[n++] = xstrdup("CONTAINER");
	for (uint32_t i = 0; i < t->nkeys + t->nvalues; i++) {
		if ((int)i == first->call)
			continue;
		sbuf_reset(&b);
		put_upper(&b, i < t->nkeys ? t->keys[i].name : t->values[i - t->nkeys].name);
		heads[n++] = xstrdup(b.s);
	}
	table_init(&table, (const char *const *)heads, n);
	for (size_t i = 0; i < rows->n; i++) {
		const struct view_row *r = &rows->v[i];

		sbuf_reset(&b);
		view_put_event(v, &b, r);
		if (event)
			table_str(&table, b.s);
		sbuf_reset(&b);
		view_put_container(v, &b, r->r->cid);
		table_str(&table, b.s);
		for (uint32_t k = 0; k < r->t->t->nkeys; k++) {
			if ((int)k == r->t->call)
				continue;
			sbuf_reset(&b);
			view_put_key(v, &b, r, k);
			if (r->t->t->keys[k].kind == CTRACE_TABLE_KEY_NUMBER)
				table_right(&table, b.s);
			else
				table_str(&table, b.s);
		}
		for (uint32_t k = 0; k < r->t->t->nvalues; k++) {
			sbuf_reset(&b);
			put_value(&b, &r->t->t->values[k], r->r->values);
			table_right(&table, b.s);
		}
		table_end_row(&table);
	}
	table_print(&table, stdout);
	table_free(&table);
	for (size_t i = 0; i < n; i++)
		free(heads[i]);
	sbuf_free(&b);
}

/* --- stacks ------------------------------------------------------------------------- */

/* The process that a user stack's addresses belong to; 0: no key has it. */
static int32_t process_of(const struct view_row *r)
{
	const struct ctrace_table *t = r->t->t;
	int32_t pid = 0;

	for (uint32_t k = 0; k < t->nkeys; k++) {
		const char *name = t->keys[k].name + (*t->keys[k].name == '$');

		if (!strcmp(name, "tid") || (!strcmp(name, "pid") && !pid))
			pid = (int32_t)r->r->key[t->keys[k].at];
	}
	return pid;
}

const char *view_frame(struct view *v, const struct view_row *r, uint32_t key, const uint64_t *frames, uint32_t i)
{
	const char *name;

	/* a user stack begins at the instruction where the process was, and so does a sample's */
	if (r->t->t->keys[key].kind == CTRACE_TABLE_KEY_USTACK) {
		name = symbols_user(v->symbols, process_of(r) ? process_of(r) : -1, frames[i], !i);
		return v->merges && !strncmp(name, "0x", 2) ? "(unknown)" : name;
	}
	return symbols_kernel(v->symbols, frames[i], !i && !strncmp(r->t->event, "sample:", 7));
}

void view_put_stack(struct view *v, struct sbuf *b, const struct view_row *r, uint32_t key)
{
	const uint64_t *frames;
	uint32_t n;

	frames = ctrace_row_stack(r->t->gain, r->r, key, &n);
	for (uint32_t i = 0; i < n; i++)
		sbuf_printf(b, "  %s\n", view_frame(v, r, key, frames, i));
	if (!n)
		sbuf_puts(b, "  (no stack)\n");
}

void view_learn_symbols(struct view *v)
{
	for (size_t i = 0; i < v->ntables; i++) {
		struct view_table *t = &v->tables[i];
		struct ctrace_look *look;
		const struct ctrace_look_row *r;
		uint32_t n;

		if (!t->t->nstacks || ctrace_look_take(t->a, &look))
			continue;
		for (size_t k = 0; (r = ctrace_look_row(look, k)); k++) {
			const struct view_row row = { t, r };

			for (uint32_t c = 0; c < t->t->nkeys; c++) {
				const uint64_t *frames;

				if (t->t->keys[c].kind != CTRACE_TABLE_KEY_USTACK || !process_of(&row))
					continue;
				frames = ctrace_row_stack(look, r, c, &n);
				for (uint32_t f = 0; f < n; f++)
					view_frame(v, &row, c, frames, f);
			}
		}
		ctrace_look_free(look);
	}
}

/* --- blocks ------------------------------------------------------------------------- */

static void put_heading(struct view *v, struct sbuf *b, const struct view_row *r, bool event)
{
	const struct ctrace_table *t = r->t->t;

	if (event) {
		view_put_event(v, b, r);
		sbuf_puts(b, ", ");
	}
	sbuf_puts(b, "container = ");
	view_put_container(v, b, r->r->cid);
	for (uint32_t k = 0; k < t->nkeys; k++) {
		if (is_stack(&t->keys[k]) || (int)k == r->t->call)
			continue;
		sbuf_printf(b, ", %s = ", t->keys[k].name);
		view_put_key(v, b, r, k);
	}
	sbuf_putc(b, '\n');
}

static void put_number(struct sbuf *b, const struct ctrace_table_column *c, uint64_t n)
{
	if (in_ns(c))
		put_ns(b, n);
	else
		sbuf_u64(b, n);
}

static void put_share(struct sbuf *b, const struct ctrace_table_column *c, const uint64_t *h, double p)
{
	uint64_t n = ctrace_hist_percentile(h, p);

	if (in_ns(c))
		put_percentile(b, n);
	else
		sbuf_u64(b, two_digits(n));
}

static void put_hist(struct sbuf *b, const struct ctrace_table_column *c, const uint64_t *h)
{
	bars_put(b, h, c->name, !in_ns(c) ? BARS_PLAIN : BARS_USECS);
	sbuf_puts(b, "     p50 ");
	put_share(b, c, h, 0.5);
	sbuf_puts(b, ", p99 ");
	put_share(b, c, h, 0.99);
	sbuf_puts(b, ", max ");
	put_number(b, c, ctrace_hist_max(h));
	sbuf_printf(b, ", count %llu\n", (unsigned long long)ctrace_hist_count(h));
}

static void put_block(struct view *v, struct sbuf *b, const struct view_row *r, bool event)
{
	const struct ctrace_table *t = r->t->t;

	put_heading(v, b, r, event);
	if (!r->r->other && r->r->cid != CTRACE_CID_ALL)
		for (uint32_t k = 0; k < t->nkeys; k++)
			if (is_stack(&t->keys[k]))
				view_put_stack(v, b, r, k);
	for (uint32_t k = 0; k < t->nvalues; k++) {
		if (t->values[k].kind == CTRACE_TABLE_HIST) {
			put_hist(b, &t->values[k], &r->r->values[t->values[k].at]);
			continue;
		}
		sbuf_printf(b, "     %s ", strcmp(t->values[k].name, "count()") ? t->values[k].name :
			    "count");
		put_value(b, &t->values[k], r->r->values);
		sbuf_putc(b, '\n');
	}
}

static void print_text(struct view *v)
{
	for (size_t g = 0; g < v->ngroups; g++) {
		const struct view_table *first;
		struct view_rows rows;
		struct sbuf b = { 0 };
		bool event;
		size_t n;

		first = first_of(v, g, &n);
		if (!first)
			continue;
		event = n > 1 || first->call >= 0 || v->ngroups > 1;
		view_rows_get(v, g, &rows);
		if (g)
			putchar('\n');
		if (!is_block(first->t)) {
			show_table(v, first, event, &rows);
		} else {
			for (size_t i = 0; i < rows.n; i++) {
				sbuf_puts(&b, i ? "\n" : "");
				put_block(v, &b, &rows.v[i], event);
			}
			fputs(b.s ? b.s : "", stdout);
		}
		sbuf_free(&b);
		free(rows.v);
	}
}

void view_print(struct view *v, struct json *j)
{
	if (j)
		view_print_json(v, j);
	else
		print_text(v);
}

/* --- flame graphs ------------------------------------------------------------------- */

/*
 * Frames are separated by ';', so a ';' in a name becomes ':'. A function is one frame, without its offset.
 */
static void put_part(struct sbuf *b, const char *s, bool function)
{
	const char *plus = function ? strstr(s, "+0x") : NULL;
	size_t n = plus && plus > s ? (size_t)(plus - s) : strlen(s);

	for (size_t i = 0; i < n; i++)
		sbuf_putc(b, s[i] == ';' ? ':' : s[i]);
}

static void fold_stacks(struct view *v, struct sbuf *b, const struct view_row *r, uint32_t kind)
{
	const struct ctrace_table *t = r->t->t;
	const uint64_t *frames;
	uint32_t n;

	for (uint32_t k = 0; k < t->nkeys; k++) {
		if (t->keys[k].kind != kind)
			continue;
		frames = ctrace_row_stack(r->t->gain, r->r, k, &n);
		for (uint32_t i = n; i-- > 0;) {
			sbuf_putc(b, ';');
			if (kind == CTRACE_TABLE_KEY_STACK && folded_marks)
				sbuf_putc(b, FLAME_KERNEL);
			put_part(b, view_frame(v, r, k, frames, i), true);
		}
	}
}

/* Appends "container;keys;outermost;...;innermost". */
static void fold_row(struct view *v, struct sbuf *b, const struct view_row *r)
{
	const struct ctrace_table *t = r->t->t;
	struct sbuf name = { 0 };

	sbuf_reset(&name);
	view_put_container(v, &name, r->r->cid);
	put_part(b, name.s, false);
	for (uint32_t k = 0; k < t->nkeys; k++) {
		if (is_stack(&t->keys[k]) || (v->merges && !strcmp(t->keys[k].name, "pid")))
			continue;
		sbuf_reset(&name);
		view_put_key(v, &name, r, k);
		sbuf_putc(b, ';');
		put_part(b, name.s, false);
	}
	sbuf_free(&name);
	fold_stacks(v, b, r, CTRACE_TABLE_KEY_USTACK);
	fold_stacks(v, b, r, CTRACE_TABLE_KEY_STACK);
}

struct folded {
	char *text;
	uint64_t n;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct folded *)a)->text, ((const struct folded *)b)->text);
}

static int by_number(const void *a, const void *b)
{
	const struct folded *x = a, *y = b;

	return x->n != y->n ? (x->n > y->n ? -1 : 1) : by_text(a, b);
}

/* Makes one of lines that are equal, and puts the largest first. Returns how many are left. */
static size_t merge(struct folded *v, size_t n)
{
	size_t left = 0;

	if (!n)
		return 0;
	qsort(v, n, sizeof(v[0]), by_text);
	for (size_t i = 1; i < n; i++) {
		if (by_text(&v[left], &v[i])) {
			v[++left] = v[i];
			continue;
		}
		v[left].n += v[i].n;
		free(v[i].text);
	}
	qsort(v, left + 1, sizeof(v[0]), by_number);
	return left + 1;
}

void view_fold(struct view *v, FILE *out)
{
	uint32_t top = v->top;

	for (size_t g = 0; g < v->ngroups; g++) {
		struct view_rows rows;
		struct folded *lines;
		size_t n;

		/* --top is of lines */
		v->top = v->merges ? 0 : top;
		view_rows_get(v, g, &rows);
		v->top = top;
		n = rows.n;
		lines = xcalloc(n + 1, sizeof(lines[0]));
		for (size_t i = 0; i < n; i++) {
			const struct view_row *r = &rows.v[i];
			struct sbuf b = { 0 };

			sbuf_reset(&b);
			fold_row(v, &b, r);
			lines[i].text = b.s;
			lines[i].n = v->kind->weight ? v->kind->weight(r->t->t, r->r->values) :
				     view_events(r->t->t, r->r->values);
		}
		free(rows.v);
		if (v->merges)
			n = merge(lines, n);
		for (size_t i = 0; i < n; i++) {
			if (!v->merges || !top || i < top)
				fprintf(out, "%s %llu\n", lines[i].text, (unsigned long long)lines[i].n);
			free(lines[i].text);
		}
		free(lines);
	}
}
