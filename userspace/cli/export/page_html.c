// SPDX-License-Identifier: GPL-2.0-only
/* Writes the page from its beginning to its end. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cli.h"
#include "export/page.h"
#include "count/view.h"

#define BOXES		24u	/* containers that have a part of the page */
#define CALLS		12u	/* rows of a table that are shown at once */

static const char css[] = {
#include "page_css.h"
};

/* A container of the page. */
struct box {
	uint32_t cid;
	uint64_t weight;	/* ns on CPUs and in calls */
};

static struct page *own(const struct export *x)
{
	return x->own;
}

static uint64_t sum(const struct spent_in *s, uint32_t cid, enum spent_on what)
{
	uint64_t n = 0;

	for (size_t i = 0; i < spent_parts(s); i++)
		n += spent_at(s, cid, what, i);
	return n;
}

static int by_weight(const void *a, const void *b)
{
	const struct box *x = a, *y = b;

	return x->weight > y->weight ? -1 : x->weight < y->weight ? 1 : x->cid < y->cid ? -1 : x->cid > y->cid;
}

static size_t boxes(const struct export *x, struct box **list)
{
	const struct spent_in *s = draw_spent(own(x)->draw);
	const struct page_line *calls;
	uint32_t cid;
	size_t n = 0;

	*list = NULL;
	for (size_t i = 0; spent_container(s, i, &cid); i++) {
		*list = xrealloc(*list, (n + 1) * sizeof(**list));
		calls = page_find(own(x), cid, PAGE_CALLS, "");
		(*list)[n++] = (struct box){ cid, 2 * sum(s, cid, SPENT_CPU) + (calls ? calls->total / 100 : 0) };
	}
	if (n)
		qsort(*list, n, sizeof(**list), by_weight);
	return n;
}

/* --- the head -------------------------------------------------------------------------------- */

static void put_fact(struct sbuf *b, const char *what, const char *text)
{
	sbuf_printf(b, "<dt>%s</dt><dd>", what);
	html_text(b, text);
	sbuf_puts(b, "</dd>\n");
}

static void put_time(struct export *x, struct sbuf *b)
{
	uint64_t began = asked_number(&x->r, "began"), ended;
	struct sbuf t = { 0 };
	char text[40] = "";
	struct tm tm;
	time_t sec;

	began = began && began < x->first && !x->r.from ? began : x->first;
	ended = recording_end(&x->r, x->last);
	sec = (time_t)((began + (uint64_t)x->r.info.clock_offset) / NSEC_PER_SEC);
	if (gmtime_r(&sec, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm);
	sbuf_printf(&t, "%s, for ", text);
	put_ns(&t, ended - began);
	put_fact(b, "time", t.s);
	sbuf_free(&t);
}

static bool asked_for(const struct export *x, const char *event)
{
	const struct ctrace_event_type *t = ctrace_schema_by_name(x->r.schema, event);

	return t && asked_type(&x->r, t) >= ASKED_PART;
}

static void put_missing(struct export *x, struct sbuf *b)
{
	static const char *const wanted[] = { "sched_wait", "cpu_throttled", "block_io", "tcp_life", "cpu_sample" };
	struct sbuf t = { 0 };

	if (!x->r.asked)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (!asked_for(x, wanted[i]))
			sbuf_printf(&t, "%s%s", t.len ? ", " : "", wanted[i]);
	if (t.len) {
		sbuf_puts(&t, ": 'ctrace record -e views -F 99' records what this page shows");
		put_fact(b, "not recorded", t.s);
	}
	sbuf_free(&t);
}

static void put_losses(struct export *x, struct sbuf *b)
{
	static const char *const causes[] = { "missed", "unfollowed", "unfollowed_tasks", "unread" };
	const char *why, *file = ctf_reader_damaged(x->r.reader, &why);
	uint64_t blind = asked_number(&x->r, "blind_ns");
	bool any = x->lost || file || blind;

	for (size_t i = 0; i < ARRAY_SIZE(causes); i++)
		any |= asked_lost(&x->r, causes[i]) > 0;
	sbuf_printf(b, "<dt>lost</dt><dd%s>%llu events", any ? " class=\"bad\"" : "", (unsigned long long)x->lost);
	for (size_t i = 0; i < ARRAY_SIZE(causes); i++)
		if (asked_lost(&x->r, causes[i]))
			sbuf_printf(b, ", %llu %s", (unsigned long long)asked_lost(&x->r, causes[i]), causes[i]);
	if (blind) {
		struct sbuf text = { 0 };

		blind_print(blind, asked_text(&x->r, "blind") ?: "some events", &text);
		html_text(b, text.s);
		sbuf_free(&text);
	}
	if (file) {
		sbuf_puts(b, "; the file ");
		html_text(b, file);
		sbuf_printf(b, " %s: the rest of it is not here", why);
	}
	if (ctf_reader_done(x->r.reader) < 0.999 && !file)
		sbuf_printf(b, "; only the first %.0f%% of the recording was read", 100 * ctf_reader_done(x->r.reader));
	sbuf_puts(b, "</dd>\n");
}

static void put_head(struct export *x, struct sbuf *b)
{
	const char *host = asked_text(&x->r, "host"), *kernel = asked_text(&x->r, "kernel");
	const char *machine = asked_text(&x->r, "machine"), *version = asked_text(&x->r, "version");
	const char *name = strrchr(x->r.dir, '/') && strrchr(x->r.dir, '/')[1] ? strrchr(x->r.dir, '/') + 1 : x->r.dir;
	struct sbuf t = { 0 };

	sbuf_puts(b, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		  "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>");
	html_text(b, name);
	sbuf_puts(b, " - ctrace</title>\n<style>\n");
	sbuf_put(b, css, sizeof(css));
	sbuf_puts(b, "</style></head><body>\n<h1>");
	html_text(b, name);
	sbuf_puts(b, "</h1>\n<dl class=\"facts\">\n");
	put_time(x, b);
	if (host || kernel) {
		sbuf_printf(&t, "%s, Linux %s, %s", host ? host : "?", kernel ? kernel : "?", machine ? machine : "");
		put_fact(b, "machine", t.s);
	}
	sbuf_reset(&t);
	asked_targets(&x->r, &t);
	if (t.len)
		put_fact(b, "targets", t.s);
	sbuf_reset(&t);
	sbuf_printf(&t, "%llu, in ", (unsigned long long)x->events);
	sbuf_size(&t, ctf_reader_size(x->r.reader));
	sbuf_puts(&t, " bytes");
	put_fact(b, "events", t.s);
	put_losses(x, b);
	sbuf_reset(&t);
	asked_events(&x->r, &t);
	if (t.len)
		put_fact(b, "asked for", t.s);
	if (asked_text(&x->r, "filter"))
		put_fact(b, "only if", asked_text(&x->r, "filter"));
	put_missing(x, b);
	sbuf_reset(&t);
	sbuf_printf(&t, "ctrace %s", version ? version : "?");
	put_fact(b, "recorded by", t.s);
	sbuf_puts(b, "</dl>\n");
	sbuf_free(&t);
}

/* --- a container ------------------------------------------------------------------------------ */

static void tile(struct sbuf *b, const char *class, const char *value, const char *what)
{
	sbuf_printf(b, "<div class=\"%s\"><b>%s</b><span>", class, value);
	html_text(b, what);
	sbuf_puts(b, "</span></div>");
}

static void tile_time(struct export *x, struct sbuf *b, uint32_t cid, enum spent_on what, const char *class, const char *text)
{
	const struct spent_in *s = draw_spent(own(x)->draw);
	struct sbuf v = { 0 };

	if (!spent_has(s, cid, what))
		return;
	put_ns(&v, sum(s, cid, what));
	tile(b, class, v.s, text);
	sbuf_free(&v);
}

static void put_bytes(struct sbuf *b, uint64_t n)
{
	sbuf_size(b, n);
	sbuf_puts(b, n < 1024 ? " B" : "B");
}

static void tile_disk(struct sbuf *b, const struct page_line *l)
{
	struct sbuf v = { 0 }, t = { 0 };

	put_bytes(&v, l->bytes);
	sbuf_printf(&t, "disk: %llu requests, p99 ", (unsigned long long)l->n);
	put_percentile(&t, view_percentile(l->hist, 0.99, l->max));
	if (l->failed)
		sbuf_printf(&t, ", %llu failed", (unsigned long long)l->failed);
	tile(b, "", v.s, t.s);
	sbuf_free(&v);
	sbuf_free(&t);
}

static void tile_tcp(struct sbuf *b, const struct page_line *l)
{
	struct sbuf v = { 0 }, t = { 0 };

	put_bytes(&v, l->bytes + l->more_bytes);
	sbuf_printf(&t, "network: %llu connections ended, ", (unsigned long long)l->n);
	put_bytes(&t, l->bytes);
	sbuf_puts(&t, " sent, ");
	put_bytes(&t, l->more_bytes);
	sbuf_puts(&t, " received");
	tile(b, "", v.s, t.s);
	sbuf_free(&v);
	sbuf_free(&t);
}

static void put_tiles(struct export *x, struct sbuf *b, uint32_t cid)
{
	const struct page_line *calls = page_find(own(x), cid, PAGE_CALLS, "");
	const struct page_line *disk = page_find(own(x), cid, PAGE_DISK, "");
	const struct page_line *tcp = page_find(own(x), cid, PAGE_TCP, "");
	const struct spent_in *s = draw_spent(own(x)->draw);
	char n[32], text[64];

	sbuf_puts(b, "<div class=\"tiles\">");
	tile_time(x, b, cid, SPENT_CPU, "ran", "ran");
	tile_time(x, b, cid, SPENT_WAIT, "wait", "waited for a CPU");
	tile_time(x, b, cid, SPENT_NO_QUOTA, "quota", "throttled, all CPUs together");
	tile_time(x, b, cid, SPENT_STUCK, "stuck", "blocked: slept uninterruptibly");
	if (calls) {
		snprintf(n, sizeof(n), "%llu", (unsigned long long)calls->n);
		snprintf(text, sizeof(text), "calls, %llu failed", (unsigned long long)calls->failed);
		tile(b, "", n, text);
	}
	if (disk)
		tile_disk(b, disk);
	if (tcp)
		tile_tcp(b, tcp);
	if (spent_has(s, cid, SPENT_LOST)) {
		snprintf(n, sizeof(n), "%llu", (unsigned long long)sum(s, cid, SPENT_LOST));
		tile(b, "quota", n, "events lost");
	}
	sbuf_puts(b, "</div>\n");
}

static void cell_ns(struct sbuf *b, uint64_t ns)
{
	sbuf_puts(b, "<td>");
	put_ns(b, ns);
	sbuf_puts(b, "</td>");
}

static void cell_percentile(struct sbuf *b, const struct page_line *l, double p)
{
	sbuf_puts(b, "<td>");
	put_percentile(b, view_percentile(l->hist, p, l->max));
	sbuf_puts(b, "</td>");
}

static void put_call(struct sbuf *b, const struct page_line *l)
{
	sbuf_puts(b, "<tr><td>");
	html_text(b, l->name);
	sbuf_printf(b, "</td><td>%llu</td><td>", (unsigned long long)l->n);
	if (l->failed)
		sbuf_printf(b, "%llu", (unsigned long long)l->failed);
	sbuf_puts(b, "</td>");
	cell_ns(b, l->total);
	cell_percentile(b, l, 0.5);
	cell_percentile(b, l, 0.99);
	cell_ns(b, l->max);
	sbuf_puts(b, "</tr>\n");
}

static void put_calls(struct export *x, struct sbuf *b, uint32_t cid)
{
	static const char head[] =
		"<div class=\"table\"><table><tr><th>call</th><th>count</th><th>failed</th><th>total</th><th>p50</th><th>p99</th>"
		"<th>max</th></tr>\n";
	const struct page_line **list;
	size_t n = page_list(own(x), cid, PAGE_CALL, &list);

	if (n)
		sbuf_puts(b, head);
	for (size_t i = 0; i < n && i < CALLS; i++)
		put_call(b, list[i]);
	if (n)
		sbuf_puts(b, "</table></div>\n");
	if (n > CALLS) {
		sbuf_printf(b, "<details><summary>%zu other calls</summary>%s", n - CALLS, head);
		for (size_t i = CALLS; i < n; i++)
			put_call(b, list[i]);
		sbuf_puts(b, "</table></div></details>\n");
	}
	free(list);
}

static void put_tasks(struct export *x, struct sbuf *b, uint32_t cid)
{
	const struct page_line **list;
	size_t n = page_list(own(x), cid, PAGE_TASK, &list);

	for (size_t i = 0; i < n && i < 8; i++) {
		struct sbuf name = { 0 };

		sbuf_clean(&name, *list[i]->name ? list[i]->name : "?");
		sbuf_puts(b, i ? ", " : "<p class=\"dim\">on CPUs: ");
		html_text(b, name.s);
		sbuf_putc(b, ' ');
		put_ns(b, list[i]->total);
		sbuf_free(&name);
	}
	if (n > 8)
		sbuf_printf(b, ", %zu others", n - 8);
	if (n)
		sbuf_puts(b, "</p>\n");
	free(list);
}

static void put_pictures(struct export *x, struct sbuf *b, uint32_t cid)
{
	static const struct {
		enum page_kind kind;
		const char *hist, *heat;
	} pictures[] = {
		{ PAGE_CALLS, "how long calls took", "calls over time" },
		{ PAGE_WAIT, "how long tasks waited for a CPU", "waits for a CPU over time" },
		{ PAGE_DISK, "how long the disk took", "disk requests over time" },
	};
	const struct page_line *l;

	sbuf_puts(b, "<div class=\"pictures\">\n");
	for (size_t i = 0; i < ARRAY_SIZE(pictures); i++) {
		l = page_find(own(x), cid, pictures[i].kind, "");
		if (l)
			html_hist(b, l, pictures[i].hist);
		if (l)
			html_heat(b, l, pictures[i].heat);
	}
	sbuf_puts(b, "</div>\n");
}

static void put_container(struct export *x, struct sbuf *b, uint32_t cid)
{
	const struct centry *e = ctable_get(x->r.table, cid);
	struct sbuf t = { 0 };

	sbuf_printf(b, "<section id=\"c%u\"><h2>", cid);
	html_text(b, e->shown);
	sbuf_puts(b, "</h2>\n");
	if (e->known && cid != CTRACE_CID_HOST) {
		sbuf_reset(&t);
		if (*e->runtime)
			sbuf_printf(&t, "%s, ", e->runtime);
		if (e->r.image) {
			sbuf_clean(&t, e->r.image);
			sbuf_puts(&t, ", ");
		}
		sbuf_clean(&t, e->c.path);
		if (e->c.first_seen > x->first) {
			sbuf_puts(&t, ", began after ");
			put_ns(&t, e->c.first_seen - x->first);
		}
		if (e->c.gone && e->c.gone < x->last) {
			sbuf_puts(&t, ", ended after ");
			put_ns(&t, e->c.gone > x->first ? e->c.gone - x->first : 0);
		}
		sbuf_puts(b, "<p class=\"dim\">");
		html_text(b, t.s);
		sbuf_puts(b, "</p>\n");
		sbuf_free(&t);
	}
	put_tiles(x, b, cid);
	html_spent(b, draw_spent(own(x)->draw), cid);
	put_tasks(x, b, cid);
	put_calls(x, b, cid);
	put_pictures(x, b, cid);
	sbuf_puts(b, "</section>\n");
}

/* --- the page ---------------------------------------------------------------------------------- */

/* In a frame of its own: it has a script, which sees nothing but its picture. */
static void put_flame(struct export *x, struct sbuf *b)
{
	struct flame_form form = { .title = "CPU samples", .unit = "samples" };
	struct page *p = own(x);
	unsigned int height;
	char *svg = NULL;
	size_t n = 0;
	FILE *f;

	if (!p->samples)
		return;
	flame_finish(&p->flame);
	f = open_memstream(&svg, &n);
	if (!f)
		return;
	flame_svg(&p->flame, &form, f);
	fclose(f);
	height = p->flame.depth < 20 ? 300 : 600;
	sbuf_puts(b, "<section><h2>Where the CPUs were</h2>\n<p class=\"dim\">A frame is as wide as its share of the samples. A click "
		  "zooms to it.</p>\n");
	sbuf_printf(b, "<iframe title=\"flame graph\" height=\"%u\" sandbox=\"allow-scripts allow-modals\" "
		    "src=\"data:image/svg+xml;base64,", height);
	html_base64(b, svg, n);
	sbuf_puts(b, "\"></iframe></section>\n");
	free(svg);
}

static void flush(struct export *x, struct sbuf *b)
{
	export_put(x, b->s, b->len);
	sbuf_reset(b);
}

void page_put(struct export *x)
{
	struct sbuf b = { 0 };
	struct box *list;
	size_t n = boxes(x, &list);

	put_head(x, &b);
	sbuf_puts(&b, "<nav>");
	for (size_t i = 0; i < n && i < BOXES; i++) {
		sbuf_printf(&b, "<a href=\"#c%u\">", list[i].cid);
		html_text(&b, ctable_shown(x->r.table, list[i].cid));
		sbuf_puts(&b, "</a>");
	}
	sbuf_puts(&b, "</nav>\n");
	if (!n)
		sbuf_puts(&b, "<p>There are no events.</p>\n");
	for (size_t i = 0; i < n && i < BOXES; i++) {
		put_container(x, &b, list[i].cid);
		flush(x, &b);
	}
	if (n > BOXES)
		sbuf_printf(&b, "<p>and %zu other containers: name them as TARGETs</p>\n", n - BOXES);
	put_flame(x, &b);
	sbuf_puts(&b, "</body></html>\n");
	flush(x, &b);
	sbuf_free(&b);
	free(list);
}
