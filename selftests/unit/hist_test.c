// SPDX-License-Identifier: GPL-2.0-only
/* Histograms: buckets, percentiles, and the lines that are printed of them. */
#include <stdlib.h>
#include "ktap.h"
#include "count/heat.h"

bool cli_json;
const struct command *cli_cmd;

int cli_vreport(int status, const char *fmt, va_list ap)
{
	(void)fmt, (void)ap;
	return status;
}

static uint64_t h[CTRACE_TABLE_BUCKETS];

static void put(int64_t v, uint64_t n)
{
	h[ctrace_table_bucket(v)] += n;
}

static void buckets(void)
{
	for (uint64_t v = 1; v < 100000; v++) {
		uint32_t b = ctrace_table_bucket((int64_t)v);

		if (!check(ctrace_hist_bottom(b) <= v && v <= ctrace_table_bucket_top(b)))
			return;
	}
	for (uint32_t b = 1; b < CTRACE_TABLE_BUCKETS - 4; b++) {
		check_eq(ctrace_table_bucket((int64_t)ctrace_hist_bottom(b)), b);
		check_eq(ctrace_table_bucket((int64_t)ctrace_table_bucket_top(b)), b);
	}
	check_eq(ctrace_table_bucket(0), 0);
	check_eq(ctrace_table_bucket(-5), 0);
	check_eq(ctrace_hist_bottom(0), 0);
	check(ctrace_table_bucket(INT64_MAX) < CTRACE_TABLE_BUCKETS);
}

static void percentiles(void)
{
	memset(h, 0, sizeof(h));
	check_eq(ctrace_hist_percentile(h, 0.5), 0);
	check_eq(ctrace_hist_max(h), 0);
	put(1, 50);
	put(2, 49);
	put(1000, 1);
	check_eq(ctrace_hist_count(h), 100);
	check_eq(ctrace_hist_percentile(h, 0.5), 1);
	check_eq(ctrace_hist_percentile(h, 0.51), 2);
	check_eq(ctrace_hist_percentile(h, 0.99), 2);
	check_eq(ctrace_hist_percentile(h, 1), 1024);
	check_eq(ctrace_hist_percentile(h, 0.999), 1024 - 26);
	check_eq(ctrace_hist_percentile(h, 0), 1);
	check_eq(ctrace_hist_min(h), 1);
	check_eq(ctrace_hist_max(h), 1024);
	/* evenly spread values: each percentile within the bucket's width */
	memset(h, 0, sizeof(h));
	for (int v = 1; v <= 10000; v++)
		put(v, 1);
	for (int p = 1; p < 100; p++) {
		double want = 100.0 * p, seen = (double)ctrace_hist_percentile(h, p / 100.0);

		check(seen > want * 0.8 && seen < want * 1.25);
	}
}

static void largest(void)
{
	memset(h, 0, sizeof(h));
	put(900, 3);
	check_eq(view_hist_max(h, 910), 910);		/* of this interval, or as good */
	check_eq(view_hist_max(h, 5000), 1024);		/* an older one */
	check_eq(view_hist_min(h, 899), 899);
	check_eq(view_hist_min(h, 2), 769);
}

static void lines(void)
{
	struct sbuf b = { 0 };

	memset(h, 0, sizeof(h));
	put(3, 10);
	put(4, 10);
	put(9, 5);
	bars_put(&b, h, "hist(ret)", BARS_PLAIN);
	check_str(b.s, "     hist(ret)           : count     distribution\n"
		  "         3 -> 4          : 20       |****************************************|\n"
		  "         5 -> 8          : 0        |                                        |\n"
		  "         9 -> 16         : 5        |**********                              |\n");
	sbuf_reset(&b);
	memset(h, 0, sizeof(h));
	put(0, 1);
	put(1, 2);
	put(2, 4);
	bars_put(&b, h, "x", BARS_PLAIN);
	check_str(b.s, "     x                   : count     distribution\n"
		  "         0 -> 0          : 1        |**********                              |\n"
		  "         1 -> 1          : 2        |********************                    |\n"
		  "         2 -> 2          : 4        |****************************************|\n");
	sbuf_reset(&b);
	memset(h, 0, sizeof(h));
	put(0, 1);
	put(1000, 1);
	put(1500, 2);
	put(4000, 1);
	bars_put(&b, h, "", BARS_USECS);
	check_str(b.s, "     usecs               : count     distribution\n"
		  "         0 -> 1.02       : 2        |****************************************|\n"
		  "      1.02 -> 2.05       : 2        |****************************************|\n"
		  "      2.05 -> 4.10       : 1        |********************                    |\n");
	sbuf_reset(&b);
	memset(h, 0, sizeof(h));
	bars_put(&b, h, "", BARS_MSECS);
	check_str(b.s, "     msecs               : count     distribution\n");
	put(INT64_MAX, 1);
	put(30000000, 1);
	sbuf_reset(&b);
	bars_put(&b, h, "", BARS_MSECS);
	check(strstr(b.s, "      16.8 -> 33.6       : 1 ") != NULL);
	sbuf_free(&b);
}

static void times(void)
{
	static const struct { uint64_t ns; const char *text; } v[] = {
		{ 0, "0ns" }, { 999, "999ns" }, { 1000, "1.00us" }, { 12345, "12.3us" }, { 999000, "999us" },
		{ 4560000, "4.56ms" }, { 1230000000, "1.23s" }, { 360000000000, "360s" },
	};
	/* never more than the number itself */
	static const struct { uint64_t ns; const char *text; } shares[] = {
		{ 0, "0ns" }, { 99, "99ns" }, { 999, "990ns" }, { 1000, "1.0us" }, { 9999, "9.9us" },
		{ 67108864, "67ms" }, { 999999999, "990ms" }, { 1990000000, "1.9s" },
		{ 360000000000, "360s" }, { UINT64_MAX, "18000000000s" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		struct sbuf b = { 0 };

		put_ns(&b, v[i].ns);
		check_str(b.s, v[i].text);
		sbuf_free(&b);
	}
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
		struct sbuf b = { 0 };

		put_percentile(&b, shares[i].ns);
		check_str(b.s, shares[i].text);
		sbuf_free(&b);
	}
}

bool view_input_has(const struct view *of, const char *event)
{
	(void)of, (void)event;
	return false;
}

uint64_t view_realtime(const struct view *v, uint64_t now)
{
	(void)v;
	return now;
}

/* A value of 2^k is in column k, the next one in the column behind it; the most has the full shade, one the faintest. */
static void heat(void)
{
	struct sbuf b = { 0 };

	for (uint32_t k = 1; k < HEAT_COLUMNS - 1; k++) {
		memset(h, 0, sizeof(h));
		put((int64_t)(1ull << k), 100);
		put((int64_t)(1ull << k) + 1, 1);
		check_eq(heat_largest(h), 100);
		sbuf_reset(&b);
		heat_put_columns(&b, h, 100);
		check_eq(b.len, HEAT_COLUMNS - 2 + strlen("\u2588\u00b7"));
		check(!strncmp(b.s + k, "\u2588\u00b7", strlen("\u2588\u00b7")));
	}
	memset(h, 0, sizeof(h));
	put(0, 1);
	put(1, 1);
	put(INT64_MAX, 3);
	sbuf_reset(&b);
	heat_put_columns(&b, h, 3);
	check(!strncmp(b.s, "\u2592", 3) || !strncmp(b.s, "\u2593", 3));
	check(!strcmp(b.s + b.len - 3, "\u2588"));
	check_eq(shade_of(0, 5, 6), 0);
	for (uint64_t n = 1; n < 1000; n++)
		check(shade_of(n, 1000, 6) >= 1 && shade_of(n, 1000, 6) <= shade_of(n + 1, 1000, 6));
	sbuf_free(&b);
}

static const struct ktap_case cases[] = {
	{ "each value is in its bucket", buckets },
	{ "percentiles", percentiles },
	{ "the largest and the smallest of an interval", largest },
	{ "lines, without the empty ends", lines },
	{ "times with units", times },
	{ "columns of a heat map, and their shades", heat },
};
KTAP_MAIN(cases)
