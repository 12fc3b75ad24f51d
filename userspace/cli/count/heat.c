// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include <time.h>
#include "count/heat.h"
#include "count/sums.h"

#define HEAD_EVERY	20u	/* lines */
#define LABEL		16u	/* columns of a container's name, */
#define LABEL_BY	32u	/* with keys */

static const char *const shades[] = { " ", "\u00b7", "\u2591", "\u2592", "\u2593", "\u2588" };

/* A bucket is half a column, but for the first. */
static void columns(const uint64_t *hist, uint64_t n[HEAT_COLUMNS])
{
	memset(n, 0, HEAT_COLUMNS * sizeof(n[0]));
	for (uint32_t i = 0; i < CTRACE_TABLE_BUCKETS; i++) {
		uint32_t column = i < 2 ? 0 : i / 2 + i % 2;

		n[column < HEAT_COLUMNS ? column : HEAT_COLUMNS - 1] += hist[i];
	}
}

uint64_t heat_largest(const uint64_t *hist)
{
	uint64_t n[HEAT_COLUMNS], most = 0;

	columns(hist, n);
	for (uint32_t i = 0; i < HEAT_COLUMNS; i++)
		most = n[i] > most ? n[i] : most;
	return most;
}

void heat_put_columns(struct sbuf *b, const uint64_t *hist, uint64_t most)
{
	uint64_t n[HEAT_COLUMNS];

	columns(hist, n);
	for (uint32_t i = 0; i < HEAT_COLUMNS; i++)
		sbuf_puts(b, shades[shade_of(n[i], most, ARRAY_SIZE(shades))]);
}

static void put_head(struct sbuf *b, unsigned int label, bool ns)
{
	sbuf_printf(b, "%-8s %-*s %-10s%-10s%-10s%-10s%-2s    COUNT\n", "TIME", (int)label, "CONTAINER", ns ? "|1ns" : "|1",
		    ns ? "|1us" : "|1K", ns ? "|1ms" : "|1M", ns ? "|1s" : "|1G", ns ? "|" : "|1T");
}

static void put_label(const struct view *v, struct sbuf *b, const struct sum *s, unsigned int label)
{
	struct sbuf name = { 0 };
	size_t len, columns;

	view_put_container(v, &name, s->cid);
	if (*s->by)
		sbuf_printf(&name, ", %s", s->by);
	/* cut between characters */
	for (len = 0, columns = 0; len < name.len && columns < label; columns++)
		len += utf8_len(name.s + len, name.len - len) ?: 1;
	sbuf_put(b, name.s, len);
	for (; columns < label; columns++)
		sbuf_putc(b, ' ');
	sbuf_free(&name);
}

void heat_show(struct view *v, bool ns, uint64_t *most)
{
	time_t sec = (time_t)(view_realtime(v, v->since) / NSEC_PER_SEC);
	unsigned int label = v->by ? LABEL_BY : LABEL;
	char text[16] = "", date[16] = "";
	struct sbuf b = { 0 };
	struct sums s;
	struct tm tm;

	if (localtime_r(&sec, &tm)) {
		strftime(text, sizeof(text), "%H:%M:%S", &tm);
		strftime(date, sizeof(date), "%Y-%m-%d", &tm);
	}
	/* all calls are in one map, unless --by separates them */
	sums_make(v, &s, NULL, view_list_has(v->by, "syscall") ? NULL : "syscall");
	if (v->periods % HEAD_EVERY == 0) {
		sbuf_printf(&b, "%s\n", date);
		put_head(&b, label, ns);
	}
	for (size_t i = 0; i < s.n; i++)
		*most = heat_largest(s.v[i].hist) > *most ? heat_largest(s.v[i].hist) : *most;
	for (size_t i = 0; i < s.n; i++) {
		sbuf_printf(&b, "%-8s ", i ? "" : text);
		put_label(v, &b, &s.v[i], label);
		sbuf_putc(&b, ' ');
		heat_put_columns(&b, s.v[i].hist, *most);
		sbuf_printf(&b, " %8llu\n", (unsigned long long)ctrace_hist_count(s.v[i].hist));
	}
	if (!s.n)
		sbuf_printf(&b, "%s\n", text);
	fputs(b.s ? b.s : "", stdout);
	sbuf_free(&b);
	sums_free(&s);
}
