// SPDX-License-Identifier: GPL-2.0-only
/* Rows as JSON: numbers as numbers, times in ns. */
#include <stdlib.h>
#include <string.h>
#include "count/view.h"

static void json_container(const struct view *v, struct json *j, uint32_t cid, bool other, const char *label)
{
	if (cid == CTRACE_CID_ALL) {
		json_null(j, "cid");
		json_null(j, "container");
	} else {
		json_uint(j, "cid", cid);
		json_str(j, "container", label);
		if (view_is_gone(v, cid))
			json_flag(j, "gone", true);
	}
	if (other)
		json_flag(j, "other", true);
}

void view_json_container(const struct view *v, struct json *j, uint32_t cid, bool other)
{
	json_container(v, j, cid, other, cid == CTRACE_CID_ALL ? NULL : ctable_label(v->run.ctable, cid));
}

void view_json_other_container(const struct view *v, struct json *j, uint32_t cid)
{
	json_container(v, j, cid, false,
		       cid == CTRACE_CID_ALL ? NULL : ctable_get(v->run.ctable, cid)->label);
}

void view_json_hist(struct json *j, const uint64_t *h, uint64_t max)
{
	json_uint(j, "count", ctrace_hist_count(h));
	json_uint(j, "p50", view_percentile(h, 0.5, max));
	json_uint(j, "p99", view_percentile(h, 0.99, max));
	json_uint(j, "max", max);
	json_open(j, "buckets", '[');
	for (uint32_t b = 0; b < CTRACE_TABLE_BUCKETS; b++) {
		if (!h[b])
			continue;
		json_open(j, NULL, '[');
		json_uint(j, NULL, ctrace_hist_bottom(b));
		json_uint(j, NULL, ctrace_table_bucket_top(b));
		json_uint(j, NULL, h[b]);
		json_close(j, ']');
	}
	json_close(j, ']');
}

static void put_stack(struct view *v, struct json *j, const struct view_row *r, uint32_t key)
{
	bool user = r->t->t->keys[key].kind == CTRACE_TABLE_KEY_USTACK;
	const uint64_t *frames;
	uint32_t n;

	frames = ctrace_row_stack(r->t->gain, r->r, key, &n);
	json_open(j, user ? "ustack" : "stack", '[');
	for (uint32_t i = 0; i < n; i++)
		json_str(j, NULL, view_frame(v, r, key, frames, i));
	json_close(j, ']');
}

static void put_key(struct view *v, struct json *j, const struct view_row *r, uint32_t key)
{
	const struct ctrace_table_column *c = &r->t->t->keys[key];
	uint64_t n = r->r->key[c->at];
	struct sbuf b = { 0 }, number = { 0 };
	const char *s;
	size_t len;

	switch (c->kind) {
	case CTRACE_TABLE_KEY_TEXT:
		s = ctrace_row_text(r->t->gain, r->r, key, &len);
		json_strn(j, c->name, s, len);
		return;
	case CTRACE_TABLE_KEY_STACK:
	case CTRACE_TABLE_KEY_USTACK:
		put_stack(v, j, r, key);
		return;
	case CTRACE_TABLE_KEY_ERRNO:
		if (!n) {
			json_null(j, c->name);
			return;
		}
		break;
	}
	/* a number with a name is that name */
	view_put_key(v, &b, r, key);
	sbuf_printf(&number, c->is_signed ? "%lld" : "%llu", (long long)n);
	if (strcmp(b.s, number.s) && c->display != CTRACE_FD_HEX)
		json_str(j, c->name, b.s);
	else if (c->is_signed)
		json_int(j, c->name, (int64_t)n);
	else
		json_uint(j, c->name, n);
	sbuf_free(&b);
	sbuf_free(&number);
}

static void put_value(struct json *j, const struct ctrace_table_column *c, const uint64_t *values)
{
	const char *name = strcmp(c->name, "count()") ? c->name : "count";
	const uint64_t *w = &values[c->at];

	switch (c->kind) {
	case CTRACE_TABLE_AVG:
		json_open(j, name, '{');
		if (c->is_signed)
			json_int(j, "sum", (int64_t)w[0]);
		else
			json_uint(j, "sum", w[0]);
		json_uint(j, "count", w[1]);
		json_close(j, '}');
		return;
	case CTRACE_TABLE_HIST:
		json_open(j, name, '{');
		view_json_hist(j, w, ctrace_hist_max(w));
		json_close(j, '}');
		return;
	}
	if (view_value_none(c, values))
		json_null(j, name);
	else if (c->is_signed)
		json_int(j, name, (int64_t)w[0]);
	else
		json_uint(j, name, w[0]);
}

static void put_row(struct view *v, struct json *j, const struct view_row *r)
{
	const struct ctrace_table *t = r->t->t;
	struct sbuf b = { 0 };

	json_open(j, NULL, '{');
	view_put_event(v, &b, r);
	json_str(j, "event", b.s ? b.s : "");
	sbuf_free(&b);
	view_json_container(v, j, r->r->cid, r->r->other || r->r->cid == CTRACE_CID_ALL);
	json_open(j, "keys", '{');
	if (!r->r->other && r->r->cid != CTRACE_CID_ALL)
		for (uint32_t k = 0; k < t->nkeys; k++)
			put_key(v, j, r, k);
	json_close(j, '}');
	json_open(j, "values", '{');
	for (uint32_t k = 0; k < t->nvalues; k++)
		put_value(j, &t->values[k], r->r->values);
	json_close(j, '}');
	json_close(j, '}');
}

void view_print_json(struct view *v, struct json *j)
{
	for (size_t g = 0; g < v->ngroups; g++) {
		struct view_rows rows;

		view_rows_get(v, g, &rows);
		for (size_t i = 0; i < rows.n; i++)
			put_row(v, j, &rows.v[i]);
		free(rows.v);
	}
}
