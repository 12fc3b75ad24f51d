// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "count/sums.h"

/* The values of a row, whatever columns it has. */
static void take_values(struct sum *s, const struct ctrace_table *t, const uint64_t *v)
{
	int total = view_column(t, CTRACE_TABLE_SUM), min = view_column(t, CTRACE_TABLE_MIN);
	int max = view_column(t, CTRACE_TABLE_MAX), hist = view_column(t, CTRACE_TABLE_HIST);

	s->n = view_events(t, v);
	s->total = total >= 0 ? v[t->values[total].at] : 0;
	for (uint32_t i = (uint32_t)total + 1, n = 0; total >= 0 && i < t->nvalues && n < SUM_MORE; i++)
		if (t->values[i].kind == CTRACE_TABLE_SUM)
			s->more[n++] = v[t->values[i].at];
	if (hist >= 0)
		memcpy(s->hist, &v[t->values[hist].at], sizeof(s->hist));
	for (uint32_t i = (uint32_t)hist + 1; hist >= 0 && i < t->nvalues && !s->second; i++)
		if (t->values[i].kind == CTRACE_TABLE_HIST) {
			s->second = xcalloc(CTRACE_TABLE_BUCKETS, sizeof(s->second[0]));
			memcpy(s->second, &v[t->values[i].at], sizeof(s->hist));
		}
	s->min = min >= 0 ? view_hist_min(s->hist, v[t->values[min].at]) : ctrace_hist_min(s->hist);
	s->max = max >= 0 ? view_hist_max(s->hist, v[t->values[max].at]) : ctrace_hist_max(s->hist);
}

/* How lines get their names: from a key, or from a function. */
struct naming {
	const char *key;
	sums_name_fn fn;
	const char *drop;
};

static void take(struct view *v, struct sum *s, const struct view_row *row, const struct naming *how)
{
	const struct ctrace_table *t = row->t->t;
	struct sbuf by = { 0 }, line = { 0 };
	uint32_t err = 0;

	memset(s, 0, sizeof(*s));
	s->cid = row->r->cid;
	s->other = view_is_other(row);
	take_values(s, t, row->r->values);
	sbuf_reset(&by);
	sbuf_reset(&line);
	for (uint32_t k = 0; k < t->nkeys; k++) {
		const char *key = t->keys[k].name;

		if (t->keys[k].kind == CTRACE_TABLE_KEY_ERRNO && !s->other) {
			err = (uint32_t)row->r->key[t->keys[k].at];
		} else if (how->key && !strcmp(key, how->key)) {
			view_put_key(v, &line, row, k);
		} else if (!s->other && t->keys[k].kind != CTRACE_TABLE_KEY_ERRNO &&
			   !view_list_has(how->drop, key)) {
			sbuf_printf(&by, "%s%s = ", by.len ? ", " : "", key);
			view_put_key(v, &by, row, k);
		}
	}
	if (how->fn)
		how->fn(v, &line, row);
	else if (s->other && !how->key)
		sbuf_puts(&by, "(other)");
	s->by = by.s;
	s->name = line.s;
	if (!err)
		return;
	s->errors = s->n;
	memset(s->more, 0, sizeof(s->more));
	s->errnos = xcalloc(1, sizeof(s->errnos[0]));
	s->errnos[0] = (struct sum_errno){ err, s->n };
	s->nerrnos = 1;
}

bool sums_together(const struct sum *a, const struct sum *b)
{
	return a->cid == b->cid && !strcmp(a->by, b->by);
}

static int by_place(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;
	int r;

	if (x->cid != y->cid)
		return x->cid < y->cid ? -1 : 1;
	r = strcmp(x->by, y->by);
	return r ? r : strcmp(x->name, y->name);
}

void sum_add(struct sum *a, const struct sum *b)
{
	a->min = b->n && (!a->n || b->min < a->min) ? b->min : a->min;
	a->max = b->max > a->max ? b->max : a->max;
	a->n += b->n;
	a->errors += b->errors;
	a->total += b->total;
	for (size_t i = 0; i < SUM_MORE; i++)
		a->more[i] += b->more[i];
	for (uint32_t i = 0; i < CTRACE_TABLE_BUCKETS; i++)
		a->hist[i] += b->hist[i];
	if (b->second && !a->second)
		a->second = xcalloc(CTRACE_TABLE_BUCKETS, sizeof(a->second[0]));
	for (uint32_t i = 0; b->second && i < CTRACE_TABLE_BUCKETS; i++)
		a->second[i] += b->second[i];
}

static void add_errnos(struct sum *a, const struct sum *b)
{
	for (size_t i = 0; i < b->nerrnos; i++) {
		size_t k = 0;

		while (k < a->nerrnos && a->errnos[k].err != b->errnos[i].err)
			k++;
		if (k == a->nerrnos) {
			a->errnos = xrealloc(a->errnos, (a->nerrnos + 1) * sizeof(a->errnos[0]));
			a->errnos[a->nerrnos++] = (struct sum_errno){ b->errnos[i].err, 0 };
		}
		a->errnos[k].n += b->errnos[i].n;
	}
}

void sum_free(struct sum *s)
{
	free(s->by);
	free(s->name);
	free(s->errnos);
	free(s->second);
}

/* group SIZE_MAX: of all */
static void make(struct view *v, struct sums *s, size_t group, const struct naming *how)
{
	const struct ctrace_look_row *r;
	size_t n = 0;

	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < v->ntables; i++) {
		const struct view_table *t = &v->tables[i];

		if (group != SIZE_MAX && t->group != group)
			continue;
		s->v = xrealloc(s->v, (n + ctrace_look_rows(t->gain) + 1) * sizeof(s->v[0]));
		for (size_t k = 0; (r = ctrace_look_row(t->gain, k)); k++) {
			const struct view_row row = { t, r };

			if (view_shows(v, r))
				take(v, &s->v[n++], &row, how);
		}
	}
	if (n)
		qsort(s->v, n, sizeof(s->v[0]), by_place);
	for (size_t i = 0; i < n; i++) {
		if (!s->n || by_place(&s->v[s->n - 1], &s->v[i])) {
			s->v[s->n++] = s->v[i];
			continue;
		}
		sum_add(&s->v[s->n - 1], &s->v[i]);
		add_errnos(&s->v[s->n - 1], &s->v[i]);
		sum_free(&s->v[i]);
	}
}

void sums_make(struct view *v, struct sums *s, const char *name, const char *drop)
{
	sums_make_group(v, s, SIZE_MAX, name, drop);
}

void sums_make_group(struct view *v, struct sums *s, size_t group, const char *name, const char *drop)
{
	const struct naming how = { .key = name, .drop = drop };

	make(v, s, group, &how);
}

void sums_make_named(struct view *v, struct sums *s, sums_name_fn name, const char *drop)
{
	const struct naming how = { .fn = name, .drop = drop };

	make(v, s, SIZE_MAX, &how);
}

void sums_free(struct sums *s)
{
	for (size_t i = 0; i < s->n; i++)
		sum_free(&s->v[i]);
	free(s->v);
	memset(s, 0, sizeof(*s));
}

void sum_put_percentiles(struct sbuf *b, const struct sum *s)
{
	sbuf_puts(b, "p50 ");
	put_percentile(b, sum_percentile(s, 0.5));
	sbuf_puts(b, ", p99 ");
	put_percentile(b, sum_percentile(s, 0.99));
	sbuf_puts(b, ", max ");
	put_ns(b, s->max);
}

void sum_put_by(struct sbuf *b, const struct sum *s)
{
	sbuf_printf(b, "%s%s", *s->by ? ", " : "", s->by);
}

void sums_print_hists(const struct view *v, const void *rows, size_t row_size, size_t n,
		      void (*put)(struct sbuf *b, const struct sum *s), enum bars_unit unit,
		      const char *second)
{
	struct sbuf b = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct sum *s = (const void *)((const char *)rows + i * row_size);

		sbuf_puts(&b, i ? "\ncontainer = " : "container = ");
		view_put_container(v, &b, s->cid);
		put(&b, s);
		sbuf_putc(&b, '\n');
		bars_put(&b, s->hist, "", unit);
		sbuf_puts(&b, "     ");
		sum_put_percentiles(&b, s);
		sbuf_printf(&b, ", count %llu\n", (unsigned long long)s->n);
		if (!s->second)
			continue;
		sbuf_printf(&b, "     %s:\n", second);
		bars_put(&b, s->second, "", unit);
		sbuf_puts(&b, "     p50 ");
		put_percentile(&b, sum_second_p50(s).n);
		sbuf_puts(&b, ", p99 ");
		put_percentile(&b, sum_second_p99(s).n);
		sbuf_putc(&b, '\n');
	}
	fputs(b.s ? b.s : "", stdout);
	sbuf_free(&b);
}

uint64_t sum_average(const struct sum *s)
{
	return s->n ? s->total / s->n : 0;
}

uint64_t sum_usecs(const struct ctrace_table *t, const uint64_t *values)
{
	return values[t->values[view_column(t, CTRACE_TABLE_SUM)].at] / 1000;
}

void sums_print_stacks(const struct view *v, const struct sum *rows, size_t n,
		       void (*put)(struct sbuf *b, const struct sum *s), bool average)
{
	struct sbuf b = { 0 };

	for (const struct sum *s = rows; s < rows + n; s++) {
		sbuf_puts(&b, s > rows ? "\ncontainer = " : "container = ");
		view_put_container(v, &b, s->cid);
		sum_put_by(&b, s);
		put(&b, s);
		sbuf_puts(&b, "     total ");
		put_ns(&b, s->total);
		sbuf_printf(&b, ", count %llu, ", (unsigned long long)s->n);
		if (average) {
			sbuf_puts(&b, "avg ");
			put_ns(&b, sum_average(s));
			sbuf_puts(&b, ", ");
		}
		sum_put_percentiles(&b, s);
		sbuf_putc(&b, '\n');
	}
	fputs(b.s ? b.s : "", stdout);
	sbuf_free(&b);
}

struct listed sum_whose(const void *row)
{
	const struct sum *s = row;

	return (struct listed){ s->cid, s->other, s->by };
}

int sum_tie(const void *x, const void *y, double n)
{
	const struct sum *a = x, *b = y;

	(void)n;
	return strcmp(a->name, b->name);
}

struct cell sum_p50(const void *row)
{
	return (struct cell){ .n = sum_percentile(row, 0.5) };
}

struct cell sum_p99(const void *row)
{
	return (struct cell){ .n = sum_percentile(row, 0.99) };
}

static struct cell second_percentile(const struct sum *s, double p)
{
	uint64_t n = s->second ? view_percentile(s->second, p, ctrace_hist_max(s->second)) : 0;

	return (struct cell){ .is = s->second ? CELL_KNOWN : CELL_MISSING, .n = n };
}

struct cell sum_second_p50(const void *row)
{
	return second_percentile(row, 0.5);
}

struct cell sum_second_p99(const void *row)
{
	return second_percentile(row, 0.99);
}

void sum_json_hist(struct json *j, const void *row)
{
	const struct sum *s = row;

	view_json_hist(j, s->hist, s->max);
}
