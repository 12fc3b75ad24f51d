// SPDX-License-Identifier: GPL-2.0-only
/* The page's pictures: areas as SVG, bars as boxes, heat maps as PNG. None needs a script. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "export/page.h"
#include "count/view.h"

#define WIDE	240u	/* points of an area at most */
#define HIGH	100.0
#define STEPS	24u	/* colours of a heat map */

void html_text(struct sbuf *b, const char *s)
{
	sbuf_markup(b, s, strlen(s));
}

void html_base64(struct sbuf *b, const void *p, size_t n)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *s = p;

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)s[i] << 16 | (i + 1 < n ? (uint32_t)s[i + 1] << 8 : 0) | (i + 2 < n ? s[i + 2] : 0);

		sbuf_putc(b, letters[v >> 18]);
		sbuf_putc(b, letters[v >> 12 & 63]);
		sbuf_putc(b, i + 1 < n ? letters[v >> 6 & 63] : '=');
		sbuf_putc(b, i + 2 < n ? letters[v & 63] : '=');
	}
}

/* --- areas ---------------------------------------------------------------------------------- */

/* From below: each lies upon the one before it. */
static const struct {
	enum spent_on what;
	const char *class;
} areas[] = { { SPENT_CPU, "ran" }, { SPENT_WAIT, "wait" }, { SPENT_STUCK, "stuck" } };
#define AREAS	ARRAY_SIZE(areas)

static void put_area(struct sbuf *b, double v[][AREAS + 1], size_t n, size_t area, double most)
{
	sbuf_printf(b, "<path class=\"%s\" d=\"M", areas[area].class);
	for (size_t i = 0; i < n; i++)
		sbuf_printf(b, "%zu %.1f ", i, HIGH - HIGH * v[i][area + 1] / most);
	for (size_t i = n; i-- > 0;)
		sbuf_printf(b, "%zu %.1f ", i, HIGH - HIGH * v[i][area] / most);
	sbuf_puts(b, "Z\"/>");
}

/*
 * A strip below: who is throttled waits, and is among the waiting already. Full: on one CPU or more all the
 * time
 */
static void put_quota(struct sbuf *b, const struct spent_in *s, uint32_t cid, size_t n, size_t each)
{
	double width = (double)(spent_width(s) * each);

	if (!spent_has(s, cid, SPENT_NO_QUOTA))
		return;
	sbuf_printf(b, "<svg class=\"strip\" viewBox=\"0 0 %zu 10\" preserveAspectRatio=\"none\" role=\"img\" "
		    "aria-label=\"throttled\"><path class=\"quota\" d=\"M0 10 ", n - 1);
	for (size_t i = 0; i < n; i++) {
		double v = 0;

		for (size_t p = i * each; p < (i + 1) * each; p++)
			v += (double)spent_at(s, cid, SPENT_NO_QUOTA, p) / width;
		sbuf_printf(b, "%zu %.1f ", i, 10 - 10 * (v < 1 ? v : 1));
	}
	sbuf_printf(b, "%zu 10Z\"/></svg>", n - 1);
}

void html_spent(struct sbuf *b, const struct spent_in *s, uint32_t cid)
{
	size_t parts = spent_parts(s), each = parts / WIDE + 1, n = (parts + each - 1) / each;
	double (*v)[AREAS + 1] = xcalloc(n + 1, sizeof(*v)), most = 0;
	uint64_t width = spent_width(s) * each;
	struct sbuf text = { 0 };

	for (size_t i = 0; i < n; i++) {
		for (size_t a = 0; a < AREAS; a++) {
			uint64_t sum = 0;

			for (size_t p = i * each; p < (i + 1) * each && p < parts; p++)
				sum += spent_at(s, cid, areas[a].what, p);
			v[i][a + 1] = v[i][a] + (double)sum / (double)width;
		}
		most = v[i][AREAS] > most ? v[i][AREAS] : most;
	}
	if (n > 1 && most > 0) {
		sbuf_printf(b, "<figure class=\"spent\"><div class=\"y\">%.*f</div><svg viewBox=\"0 0 %zu %.0f\" "
			    "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"what its time went to\">", most < 10 ? 1 : 0, most,
			    n - 1, HIGH);
		for (size_t a = 0; a < AREAS; a++)
			if (spent_has(s, cid, areas[a].what))
				put_area(b, v, n, a, most);
		sbuf_reset(&text);
		put_ns(&text, width * n);
		sbuf_puts(b, "</svg>");
		put_quota(b, s, cid, n, each);
		sbuf_printf(b, "<figcaption><span>0</span><span>threads at once%s</span><span>%s</span></figcaption></figure>\n",
			    spent_has(s, cid, SPENT_NO_QUOTA) ? "; below: throttled" : "", text.s);
		sbuf_free(&text);
	}
	free(v);
}

/* --- histograms ------------------------------------------------------------------------------ */

void html_hist(struct sbuf *b, const struct page_line *l, const char *title)
{
	unsigned int first = CTRACE_TABLE_BUCKETS, last = 0;
	uint64_t most = 0;

	for (unsigned int i = 0; i < CTRACE_TABLE_BUCKETS; i++) {
		if (!l->hist[i])
			continue;
		first = i < first ? i : first;
		last = i;
		most = l->hist[i] > most ? l->hist[i] : most;
	}
	if (!most)
		return;
	sbuf_puts(b, "<figure class=\"hist\"><figcaption>");
	html_text(b, title);
	sbuf_puts(b, "</figcaption><div class=\"bars\">");
	for (unsigned int i = first; i <= last; i++) {
		sbuf_printf(b, "<i style=\"height:%.1f%%\" title=\"", l->hist[i] ? 1 + 99.0 * (double)l->hist[i] / (double)most : 0);
		sbuf_puts(b, "up to ");
		put_ns(b, ctrace_table_bucket_top(i));
		sbuf_printf(b, ": %llu\"></i>", (unsigned long long)l->hist[i]);
	}
	sbuf_puts(b, "</div><div class=\"x\"><span>");
	put_ns(b, ctrace_table_bucket_top(first));
	sbuf_puts(b, "</span><span>p50 ");
	put_percentile(b, view_percentile(l->hist, 0.5, l->max));
	sbuf_puts(b, ", p99 ");
	put_percentile(b, view_percentile(l->hist, 0.99, l->max));
	sbuf_puts(b, "</span><span>");
	put_ns(b, l->max);
	sbuf_puts(b, "</span></div></figure>\n");
}

/* --- heat maps ------------------------------------------------------------------------------- */

static void put_u32(struct sbuf *b, uint32_t v)
{
	for (int i = 24; i >= 0; i -= 8)
		sbuf_putc(b, (char)(v >> i));
}

static void put_chunk(struct sbuf *b, const char *type, const void *p, size_t n)
{
	size_t at = b->len + 4;

	put_u32(b, (uint32_t)n);
	sbuf_puts(b, type);
	sbuf_put(b, p, n);
	put_u32(b, (uint32_t)crc32(crc32(0, NULL, 0), (const uint8_t *)b->s + at, (uInt)n + 4));
}

/* One colour, from nothing to all of it, so that it fits a light and a dark page. */
static void put_png(struct sbuf *b, const uint8_t *rows, unsigned int w, unsigned int h)
{
	uLongf size = compressBound((uLong)(w + 1) * h);
	uint8_t *packed = xcalloc(1, size), colours[3 * STEPS], alpha[STEPS];
	struct sbuf head = { 0 };

	for (unsigned int i = 0; i < STEPS; i++) {
		/* orange, and red where it is most */
		colours[3 * i] = (uint8_t)(240 - 30 * i / STEPS);
		colours[3 * i + 1] = (uint8_t)(150 - 130 * i / STEPS);
		colours[3 * i + 2] = 30;
		alpha[i] = i ? (uint8_t)(40 + 215 * i / (STEPS - 1)) : 0;
	}
	sbuf_put(b, "\x89PNG\r\n\x1a\n", 8);
	put_u32(&head, w);
	put_u32(&head, h);
	sbuf_put(&head, "\x08\x03\0\0\0", 5);	/* 8 bits, by palette */
	put_chunk(b, "IHDR", head.s, head.len);
	put_chunk(b, "PLTE", colours, sizeof(colours));
	put_chunk(b, "tRNS", alpha, sizeof(alpha));
	if (compress2(packed, &size, rows, (uLong)(w + 1) * h, 9) == Z_OK)
		put_chunk(b, "IDAT", packed, size);
	put_chunk(b, "IEND", "", 0);
	sbuf_free(&head);
	free(packed);
}

void html_heat(struct sbuf *b, const struct page_line *l, const char *title)
{
	unsigned int first, last, w, h;
	struct sbuf png = { 0 };
	uint8_t *rows;
	uint32_t most;

	if (!l->heat || !heat_levels(l->heat, &first, &last))
		return;
	w = heat_parts(l->heat);
	h = last - first + 1;
	most = heat_most(l->heat);
	/* each row begins with a byte that says how it is packed: as it is */
	rows = xcalloc((size_t)(w + 1) * h, 1);
	for (unsigned int y = 0; y < h; y++)
		for (unsigned int i = 0; i < w; i++)
			rows[(size_t)(w + 1) * y + 1 + i] = (uint8_t)shade_of(l->heat->cells[i][last - y], most, STEPS);
	put_png(&png, rows, w, h);
	sbuf_puts(b, "<figure class=\"heat\"><figcaption>");
	html_text(b, title);
	sbuf_puts(b, "</figcaption><div class=\"map\"><div class=\"y\"><span>");
	put_ns(b, 1ull << (last < 63 ? last : 63));
	sbuf_puts(b, "</span><span>");
	put_ns(b, first ? 1ull << (first - 1) : 0);
	sbuf_puts(b, "</span></div><img alt=\"heat map of latency over time\" src=\"data:image/png;base64,");
	html_base64(b, png.s, png.len);
	sbuf_printf(b, "\" style=\"height:%upx\"></div><div class=\"x\"><span>0</span><span>", 6 * h);
	put_ns(b, l->heat->width * w);
	sbuf_puts(b, "</span></div></figure>\n");
	sbuf_free(&png);
	free(rows);
}
