// SPDX-License-Identifier: GPL-2.0-only
/* Histograms and times as text, in the form of bcc's tools. */
#include <string.h>
#include "count/view.h"

#define WIDTH	40

/* places: behind the point, of a number below 10; one less for each power of ten. */
static void put_in_unit(struct sbuf *b, uint64_t ns, int places)
{
	static const struct { uint64_t ns; const char *unit; } units[] = {
		{ 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (ns >= units[i].ns) {
			double v = (double)ns / (double)units[i].ns;
			int left = places - (v < 10 ? 0 : v < 100 ? 1 : 2);

			sbuf_printf(b, "%.*f%s", left > 0 ? left : 0, v, units[i].unit);
			return;
		}
	sbuf_printf(b, "%lluns", (unsigned long long)ns);
}

void put_ns(struct sbuf *b, uint64_t ns)
{
	put_in_unit(b, ns, 2);
}

uint64_t two_digits(uint64_t n)
{
	uint64_t unit = 1;

	while (n / unit >= 100)
		unit *= 10;
	return n / unit * unit;
}

void put_percentile(struct sbuf *b, uint64_t ns)
{
	put_in_unit(b, two_digits(ns), 1);
}

void table_ns(struct table *t, uint64_t ns)
{
	struct sbuf b = { 0 };

	put_ns(&b, ns);
	table_right(t, b.s);
	sbuf_free(&b);
}

/* A line has the values in (2^(k-1), 2^k]; line 0 has 0 and below, or with units all values up to 1. */
static unsigned int line_of(uint32_t bucket, unsigned int shift)
{
	/* the power of two at its top, and one more: bucket 1 is 1, 2 is 2, 3 and 4 are up to 4 */
	unsigned int k = bucket < 2 ? bucket : (bucket + 1) / 2 + 1;

	return k > shift ? k - shift : shift ? 1 : k;
}

/* A power of two of ns in us or ms is no round number: three digits of it. */
static void put_bound(struct sbuf *b, const char *fmt, double n)
{
	char text[32];

	snprintf(text, sizeof(text), "%.*f", !n || n >= 100 ? 0 : n >= 10 ? 1 : 2, n);
	sbuf_printf(b, fmt, text);
}

/* unit: in ns; 0: of a plain number. shift: line 1 reaches up to 1 << shift ns */
static void put_line(struct sbuf *b, unsigned int line, double unit, unsigned int shift, uint64_t n,
		     uint64_t max)
{
	uint64_t top = line ? 1ull << (line - 1) : 0, bottom = line > 1 ? top / 2 + 1 : top;
	unsigned int stars = max ? (unsigned int)((double)n / (double)max * WIDTH + 0.5) : 0;
	double scale = unit ? (double)(1ull << shift) / unit : 0;

	if (unit) {
		put_bound(b, "%10s -> ", line > 1 ? (double)(top / 2) * scale : 0);
		put_bound(b, "%-10s", (double)top * scale);
	} else {
		sbuf_printf(b, "%10llu -> %-10llu", (unsigned long long)bottom, (unsigned long long)top);
	}
	sbuf_printf(b, " : %-8llu |", (unsigned long long)n);
	for (unsigned int i = 0; i < WIDTH; i++)
		sbuf_putc(b, i < stars ? '*' : ' ');
	sbuf_puts(b, "|\n");
}

void bars_put(struct sbuf *b, const uint64_t *h, const char *name, enum bars_unit unit)
{
	static const unsigned int shifts[] = { [BARS_USECS] = 10, [BARS_MSECS] = 20 };
	static const double ns[] = { [BARS_USECS] = 1e3, [BARS_MSECS] = 1e6 };
	uint64_t lines[CTRACE_TABLE_BUCKETS] = { 0 }, max = 0;
	unsigned int first = CTRACE_TABLE_BUCKETS, last = 0;

	for (uint32_t i = 0; i < CTRACE_TABLE_BUCKETS; i++) {
		unsigned int line = line_of(i, shifts[unit]);

		lines[line] += h[i];
		if (!h[i])
			continue;
		first = line < first ? line : first;
		last = line > last ? line : last;
		max = lines[line] > max ? lines[line] : max;
	}
	sbuf_printf(b, "     %-19s : count     distribution\n",
		    unit == BARS_USECS ? "usecs" : unit == BARS_MSECS ? "msecs" : name);
	for (unsigned int i = first; i <= last && i <= 64; i++)
		put_line(b, i, ns[unit], shifts[unit], lines[i], max);
}

/* log2 in sixteenths; n > 0 */
static unsigned int log16(uint64_t n)
{
	unsigned int whole = 63 - (unsigned int)__builtin_clzll(n);

	return 16 * whole + (unsigned int)((whole > 4 ? n >> (whole - 4) : n << (4 - whole)) & 15);
}

unsigned int shade_of(uint64_t n, uint64_t most, unsigned int shades)
{
	if (!n)
		return 0;
	return n >= most ? shades - 1 : 1 + log16(n) * (shades - 2) / log16(most);
}
