// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the page: a frame of HTML, and the data as JSON in it. Its length is bounded, each part by the
 * number of its elements, and an element by its characters:
 *
 *	series		25 containers x 12 x 600 numbers of up to 15 characters		2.7 MB
 *	heat maps	HEAT_CELLS x 16							1.3 MB
 *	calls		CALL_CELLS x 48, PAGE_CALLS x 400				2.3 MB
 *	culprits	PAGE_BLAMES x 600 numbers of up to 12 characters		1.8 MB
 *	events		EVENT_BYTES							4.2 MB
 *	flame graphs	PAGE_NAMES, which JSON makes six times as long at most,
 *			PAGE_FRAMES x 60, FRAME_CELLS x 10				7.9 MB
 *	failures	25 containers x FAILS_SHOWN x 900				0.7 MB
 *	the rest	24 containers x 2 x PAGE_ROWS x 160, PAGE_CULPRITS x 64 x 250	3.0 MB
 *
 * If a list is longer, its parts of time become longer: two, three, ... of the 600 are one. Names are no
 * longer than the kernel's, or were cut when they were kept.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cli.h"
#include "count/view.h"
#include "page/page.h"
#include "page_hashes.h"

#define HEAT_CELLS	80000u
#define CALL_CELLS	40000u
#define FRAME_CELLS	60000u
#define EVENTS		4000u
#define EVENT_BYTES	(4u << 20)
#define FAILS_SHOWN	32u

static const char style[] = {
#include "page_css.h"
};
static const char script[] = {
#include "page_js.h"
};

static const char *const series_names[PAGE_SERIES] = {
	[PAGE_RAN] = "ran", [PAGE_WAITED] = "waited", [PAGE_THROTTLED] = "throttled",
	[PAGE_BLOCKED] = "blocked", [PAGE_OBSERVER] = "observer", [PAGE_CALLED] = "calls",
	[PAGE_FAILED] = "failed", [PAGE_REQUESTS] = "requests", [PAGE_BYTES] = "bytes", [PAGE_ENDED] = "ended",
	[PAGE_SENT] = "sent", [PAGE_RECEIVED] = "received",
};
static const char *const heat_names[PAGE_HEATS] = { "calls", "waits", "disk" };
static const char *const kept_names[PAGE_KEPT] = { "slow", "slow", "failed", "wait", "blocked", "disk" };

/* Numbers, and -N for N zeros. */
static void put_numbers(struct json *j, const char *key, const uint64_t *v)
{
	json_open(j, key, '[');
	for (uint32_t i = 0, zeros; v && i < PAGE_BINS; i += zeros ? zeros : 1) {
		for (zeros = 0; i + zeros < PAGE_BINS && !v[i + zeros];)
			zeros++;
		if (zeros)
			json_int(j, NULL, -(int64_t)zeros);
		else
			json_uint(j, NULL, v[i]);
	}
	json_close(j, ']');
}

/* --- cells --- */

/* How many there are if `each` parts of time become one. */
static size_t cells_of(const struct page_cells *c, uint32_t each)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += !i || c->v[i].bin / each != c->v[i - 1].bin / each;
	return n;
}

/* full: with failures and times, not only how often */
static void put_cells(struct json *j, const struct page_cells *c, uint32_t each, bool full)
{
	json_open(j, "cells", '[');
	for (size_t i = 0, next; i < c->n; i = next) {
		struct page_cell sum = { .bin = c->v[i].bin / each };

		for (next = i; next < c->n && c->v[next].bin / each == sum.bin; next++) {
			sum.n += c->v[next].n;
			sum.failed += c->v[next].failed;
			sum.ns += c->v[next].ns;
			sum.max = c->v[next].max > sum.max ? c->v[next].max : sum.max;
		}
		json_uint(j, NULL, sum.bin);
		json_uint(j, NULL, sum.n);
		if (!full)
			continue;
		json_uint(j, NULL, sum.failed);
		json_uint(j, NULL, sum.ns);
		json_uint(j, NULL, sum.max);
	}
	json_close(j, ']');
}

static size_t call_cells(const struct page *p, uint32_t each)
{
	size_t n = 0;

	for (size_t i = 0; i < p->ncalls; i++)
		n += cells_of(&p->calls[i].cells, each);
	return n;
}

static size_t frame_cells(const struct page *p, uint32_t each)
{
	size_t n = 0;

	for (size_t i = 0; i <= p->n; i++)
		for (size_t k = 0; k < p->v[i].flame.f.n; k++)
			n += cells_of(&p->v[i].flame.self[k], each);
	return n;
}

static uint32_t heat_at(const struct page_box *b, enum page_heat what, uint32_t bin, uint32_t level,
			uint32_t each)
{
	uint32_t n = 0;

	for (uint32_t i = bin * each; i < (bin + 1) * each && i < PAGE_BINS; i++)
		n += b->heat[what][i * PAGE_LEVELS + level];
	return n;
}

static size_t heat_cells(const struct page *p, uint32_t each)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		for (int h = 0; h < PAGE_HEATS; h++)
			for (uint32_t k = 0; p->v[i].heat[h] && k < PAGE_BINS * PAGE_LEVELS / each; k++)
				n += heat_at(&p->v[i], h, k / PAGE_LEVELS, k % PAGE_LEVELS, each) > 0;
	return n;
}

typedef size_t (*count_fn)(const struct page *p, uint32_t each);

/* How many parts of time must become one, so that no more than `most` are left. */
static uint32_t each_of(const struct page *p, count_fn count, size_t most)
{
	uint32_t each = 1;

	while (each < PAGE_BINS && count(p, each) > most)
		for (each++; PAGE_BINS % each; each++)
			;
	return each;
}

/* --- a container --- */

static void put_heat(struct json *j, const struct page_box *b, enum page_heat what, uint32_t each)
{
	if (!b->heat[what])
		return;
	json_open(j, heat_names[what], '[');
	for (uint32_t k = 0; k < PAGE_BINS * PAGE_LEVELS / each; k++) {
		uint32_t n = heat_at(b, what, k / PAGE_LEVELS, k % PAGE_LEVELS, each);

		if (!n)
			continue;
		json_uint(j, NULL, k / PAGE_LEVELS);
		json_uint(j, NULL, k % PAGE_LEVELS);
		json_uint(j, NULL, n);
	}
	json_close(j, ']');
}

static int by_number(const void *a, const void *b)
{
	const struct page_fail *x = a, *y = b;

	return x->n > y->n ? -1 : x->n < y->n;
}

static void put_fails(struct json *j, struct page_box *b)
{
	if (b->nfails)
		qsort(b->fails, b->nfails, sizeof(b->fails[0]), by_number);
	json_open(j, "fails", '[');
	for (size_t i = 0; i < b->nfails && i < FAILS_SHOWN; i++) {
		json_open(j, NULL, '{');
		json_str(j, "call", b->fails[i].call);
		json_str(j, "errno", errno_name(b->fails[i].err) ?: "");
		json_str(j, "where", b->fails[i].where);
		json_uint(j, "n", b->fails[i].n);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_calls(struct json *j, const struct page *p, size_t box, uint32_t each)
{
	json_open(j, "calls", '[');
	for (size_t i = 0; i < p->ncalls; i++) {
		const struct page_call *c = &p->calls[i];

		if (c->box != box)
			continue;
		json_open(j, NULL, '{');
		json_str(j, "name", c->name);
		if (page_is_meant(c->name))
			json_flag(j, "meant", true);
		json_uint(j, "p50", view_percentile(c->hist, 0.5, c->max));
		json_uint(j, "p99", view_percentile(c->hist, 0.99, c->max));
		put_cells(j, &c->cells, each, true);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* Frames, callers first; and when each was on a CPU itself. */
static void put_flame(struct json *j, const struct page_flame *w, uint32_t each)
{
	if (!w->samples)
		return;
	json_open(j, "flame", '[');
	for (size_t i = 1; i < w->f.n; i++) {
		json_open(j, NULL, '{');
		json_uint(j, "of", w->f.v[i].parent);
		if (w->f.v[i].kernel)
			json_flag(j, "kernel", true);
		json_str(j, "name", w->f.v[i].name);
		if (w->self[i].n)
			put_cells(j, &w->self[i], each, false);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_facts(struct export *x, struct json *j, const struct page_box *b)
{
	const struct centry *e = ctable_find(x->r.table, b->cid);

	json_uint(j, "cid", b->cid);
	json_str(j, "name", ctable_shown(x->r.table, b->cid));
	json_flag(j, "host", b->cid == CTRACE_CID_HOST);
	if (!e || !e->known || b->cid == CTRACE_CID_HOST)
		return;
	json_str(j, "runtime", e->runtime);
	json_str(j, "image", e->r.image ?: "");
	json_str(j, "cgroup", e->c.path);
	json_uint(j, "first_seen", e->c.first_seen);
	json_uint(j, "gone", e->c.gone);
}

/* Text that is JSON already. */
static void put_ready(struct json *j, const char *key, const struct sbuf *text)
{
	if (!text->len)
		return;
	sbuf_printf(j->out, "%s\"%s\":", j->comma ? "," : "", key);
	sbuf_put(j->out, text->s, text->len);
	j->comma = true;
}

static void put_box(struct export *x, struct json *j, size_t i, const uint32_t each[3])
{
	struct page *p = x->own;
	struct page_box *b = &p->v[i];

	json_open(j, NULL, '{');
	if (i < p->n)
		put_facts(x, j, b);
	else
		json_uint(j, "others", p->others);
	put_ready(j, "row", &b->row);
	put_ready(j, "why", &b->why);
	json_open(j, "series", '{');
	for (int k = 0; k < PAGE_SERIES; k++)
		if (b->series[k])
			put_numbers(j, series_names[k], b->series[k]);
	json_close(j, '}');
	json_open(j, "heat", '{');
	for (int h = 0; h < PAGE_HEATS && i < p->n; h++)
		put_heat(j, b, h, each[0]);
	json_close(j, '}');
	put_calls(j, p, i, each[1]);
	put_fails(j, b);
	put_flame(j, &b->flame, each[2]);
	json_close(j, '}');
}

/* --- all containers --- */

static void put_blames(struct export *x, struct json *j)
{
	const struct page *p = x->own;

	json_open(j, "blame", '[');
	for (size_t i = 0; i < p->nblames; i++) {
		const struct page_blame *b = &p->blames[i];
		const struct blame_culprit c = { .kind = b->kind, .cid = b->cid };
		bool named = b->kind == CTRACE_CULPRIT_NEIGHBOUR;

		json_open(j, NULL, '{');
		json_uint(j, "victim", b->victim);
		json_str(j, "culprit", b->ctrace ? "observer" : blame_kind(&c));
		if (named)
			json_uint(j, "cid", b->cid);
		if (named)
			json_str(j, "name", ctable_get(x->r.table, b->cid)->shown);
		put_numbers(j, "ns", b->ns);
		json_close(j, '}');
	}
	json_close(j, ']');
}

struct chosen {
	const struct page_event *e;
	size_t box;
	int kept;
};

static int longest_first(const void *a, const void *b)
{
	const struct chosen *x = a, *y = b;

	return x->e->duration > y->e->duration ? -1 : x->e->duration < y->e->duration;
}

/* The longest of all, but those that failed first: a failure need not take long. */
static void put_events(struct json *j, const struct page *p)
{
	struct chosen *list = NULL;
	size_t n = 0, failed = 0, shown = 0, before = j->out->len;

	for (size_t i = 0; i <= p->n; i++)
		for (size_t k = 0; p->v[i].kept && k < PAGE_BINS * PAGE_KEPT; k++) {
			if (!p->v[i].kept[k])
				continue;
			if (!(n & (n - 1)))
				list = xrealloc(list, (2 * n + 1) * sizeof(list[0]));
			list[n] = (struct chosen){ p->v[i].kept[k], i, (int)(k % PAGE_KEPT) };
			if (list[n++].kept == PAGE_FAIL && failed < EVENTS / 4) {
				struct chosen first = list[failed];

				list[failed++] = list[n - 1];
				list[n - 1] = first;
			}
		}
	if (n > failed)
		qsort(list + failed, n - failed, sizeof(list[0]), longest_first);
	json_open(j, "events", '[');
	for (; shown < n && shown < EVENTS && j->out->len - before < EVENT_BYTES; shown++) {
		const struct page_event *e = list[shown].e;

		json_open(j, NULL, '{');
		json_uint(j, "box", list[shown].box);
		json_str(j, "kind", kept_names[list[shown].kept]);
		json_uint(j, "at", e->time > p->began ? e->time - p->began : 0);
		json_uint(j, "ns", e->duration);
		json_str(j, "name", e->name);
		json_str(j, "text", e->text);
		json_str(j, "comm", e->comm);
		json_int(j, "tid", e->tid);
		if (e->stack)
			json_strn(j, "stack", e->stack, strlen(e->stack) < 600 ? strlen(e->stack) : 600);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_uint(j, "events_left_out", n - shown);
	free(list);
}

static void put_gaps(struct json *j, const struct page *p)
{
	json_open(j, "gaps", '[');
	for (size_t i = 0; i < p->ngaps; i++) {
		const struct page_gap *g = &p->gaps[i];

		json_open(j, NULL, '{');
		if (g->cid != CTRACE_CID_ALL)
			json_uint(j, "cid", g->cid);
		json_uint(j, "from", g->from > p->began ? g->from - p->began : 0);
		json_uint(j, "to", g->to > p->began ? g->to - p->began : 0);
		json_uint(j, "n", g->n);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_losses(struct export *x, struct json *j)
{
	static const char *const causes[] = { "missed", "unfollowed", "unfollowed_tasks", "unread" };
	const char *why, *file = ctf_reader_damaged(x->r.reader, &why);

	json_open(j, "lost", '{');
	json_uint(j, "discarded", x->lost);
	for (size_t i = 0; i < ARRAY_SIZE(causes); i++)
		json_uint(j, causes[i], asked_lost(&x->r, causes[i]));
	json_uint(j, "blind_ns", asked_number(&x->r, "blind_ns"));
	if (file) {
		json_str(j, "file", file);
		json_str(j, "why", why);
	}
	json_real(j, "read_percent", 100 * ctf_reader_done(x->r.reader));
	json_close(j, '}');
}

static bool asked_for(const struct export *x, const char *event)
{
	const struct ctrace_event_type *t = ctrace_schema_by_name(x->r.schema, event);

	return t && asked_type(&x->r, t) >= ASKED_PART;
}

/* The page says what is missing, and how to record it. */
static void put_recorded(struct export *x, struct json *j)
{
	static const struct {
		const char *key, *event;
	} list[] = {
		{ "run", "sched_run" }, { "wait", "sched_wait" }, { "blame", "sched_blame" },
		{ "block", "sched_block" }, { "throttled", "cpu_throttled" }, { "disk", "block_io" },
		{ "tcp", "tcp_life" }, { "samples", "cpu_sample" },
	};

	json_open(j, "recorded", '{');
	for (size_t i = 0; i < ARRAY_SIZE(list); i++)
		json_flag(j, list[i].key, !x->r.asked || asked_for(x, list[i].event));
	json_flag(j, "calls", ((struct page *)x->own)->digest.has[OF_CALLS]);
	json_flag(j, "stacks", x->r.info.stacks);
	json_close(j, '}');
}

static void put_data(struct export *x, struct json *j)
{
	struct page *p = x->own;
	const uint32_t each[3] = {
		each_of(p, heat_cells, HEAT_CELLS), each_of(p, call_cells, CALL_CELLS),
		each_of(p, frame_cells, FRAME_CELLS),
	};

	json_open(j, NULL, '{');
	put_ready(j, "summary", &p->head);
	json_str(j, "version", asked_text(&x->r, "version") ?: "");
	json_str(j, "machine", asked_text(&x->r, "machine") ?: "");
	json_str(j, "filter", asked_text(&x->r, "filter") ?: "");
	/* as text: it has more digits than a number there */
	json_open(j, "time", '{');
	json_uint(j, "began", p->began);
	json_uint(j, "realtime_ms", (p->began + (uint64_t)x->r.info.clock_offset) / 1000000);
	json_uint(j, "ns", p->ended - p->began);
	json_uint(j, "bins", PAGE_BINS);
	json_uint(j, "bin_ns", p->width);
	json_flag(j, "window", window_given(&x->window));
	json_close(j, '}');
	json_open(j, "each", '{');
	json_uint(j, "heat", each[0]);
	json_uint(j, "calls", each[1]);
	json_uint(j, "flame", each[2]);
	json_close(j, '}');
	put_losses(x, j);
	put_recorded(x, j);
	json_uint(j, "others", p->others);
	json_open(j, "containers", '[');
	for (size_t i = 0; i <= p->n; i++)
		if (i < p->n || p->others)
			put_box(x, j, i, each);
	json_close(j, ']');
	put_blames(x, j);
	put_gaps(j, p);
	put_events(j, p);
	put_ready(j, "diff", &p->diff);
	json_close(j, '}');
}

/* --- the page --- */

/* A '<' could end the element that the JSON is in, or begin a comment there; it is in strings alone. */
static void put_escaped(struct sbuf *b, const struct sbuf *json)
{
	const char *s = json->s, *end = s + json->len, *at;

	for (; (at = memchr(s, '<', (size_t)(end - s))); s = at + 1) {
		sbuf_put(b, s, (size_t)(at - s));
		sbuf_puts(b, "\\u003c");
	}
	sbuf_put(b, s, (size_t)(end - s));
}

void page_put(struct export *x)
{
	const char *slash = strrchr(x->r.dir, '/'), *name = slash && slash[1] ? slash + 1 : x->r.dir;
	struct sbuf b = { 0 }, data = { 0 };
	struct json j = { .out = &data };

	put_data(x, &j);
	sbuf_puts(&b, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		  "script-src '" PAGE_JS_HASH "'; style-src '" PAGE_CSS_HASH "'; "
		  "base-uri 'none'; form-action 'none'\">\n"
		  "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
		  "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
	sbuf_markup(&b, name, strlen(name));
	sbuf_puts(&b, " - ctrace</title>\n<style>");
	sbuf_put(&b, style, sizeof(style));
	sbuf_puts(&b, "</style></head><body>\n<main id=\"page\"><noscript>This page draws its data with a script of "
		  "its own, which fetches nothing. 'ctrace report --summary' and 'ctrace why' print the same numbers "
		  "as text.</noscript></main>\n<script type=\"application/json\" id=\"data\">");
	put_escaped(&b, &data);
	sbuf_puts(&b, "</script>\n<script>");
	sbuf_put(&b, script, sizeof(script));
	sbuf_puts(&b, "</script>\n</body></html>\n");
	export_put(x, b.s, b.len);
	sbuf_free(&data);
	sbuf_free(&b);
}
