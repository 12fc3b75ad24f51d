// SPDX-License-Identifier: GPL-2.0-only
/* Growing texts, and the escapes that keep control characters in foreign names and data off the terminal. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/util.h"

static void sbuf_room(struct sbuf *b, size_t n)
{
	if (b->cap - b->len > n)
		return;
	while (b->cap - b->len <= n)
		b->cap = b->cap ? 2 * b->cap : 256;
	b->s = xrealloc(b->s, b->cap);
}

void sbuf_reset(struct sbuf *b)
{
	sbuf_room(b, 1);
	b->len = 0;
	b->s[0] = '\0';
}

void sbuf_free(struct sbuf *b)
{
	free(b->s);
	memset(b, 0, sizeof(*b));
}

void sbuf_put(struct sbuf *b, const char *s, size_t n)
{
	sbuf_room(b, n);
	memcpy(b->s + b->len, s, n);
	b->len += n;
	b->s[b->len] = '\0';
}

void sbuf_putc(struct sbuf *b, char c)
{
	sbuf_put(b, &c, 1);
}

static void put_markup(struct sbuf *b, char c)
{
	switch (c) {
	case '&':
		sbuf_puts(b, "&amp;");
		break;
	case '<':
		sbuf_puts(b, "&lt;");
		break;
	case '>':
		sbuf_puts(b, "&gt;");
		break;
	case '"':
		sbuf_puts(b, "&quot;");
		break;
	default:
		sbuf_putc(b, c);
	}
}

void sbuf_markup(struct sbuf *b, const char *s, size_t n)
{
	struct sbuf clean = { 0 };

	sbuf_clean_n(&clean, s, n);
	for (size_t i = 0; i < clean.len; i++)
		put_markup(b, clean.s[i]);
	sbuf_free(&clean);
}

void sbuf_puts(struct sbuf *b, const char *s)
{
	sbuf_put(b, s, strlen(s));
}

void sbuf_u64(struct sbuf *b, uint64_t v)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + v % 10);
	while (v /= 10);
	sbuf_put(b, digits + at, sizeof(digits) - at);
}

void sbuf_printf(struct sbuf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	sbuf_room(b, 1);
	va_start(ap, fmt);
	n = vsnprintf(b->s + b->len, b->cap - b->len, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n >= b->cap - b->len) {
		sbuf_room(b, (size_t)n);
		va_start(ap, fmt);
		vsnprintf(b->s + b->len, b->cap - b->len, fmt, ap);
		va_end(ap);
	}
	b->len += (size_t)n;
}

void sbuf_escape(struct sbuf *b, const char *s, size_t n)
{
	static const char raw[] = "\t\n\v\f\r\"\\", named[] = "tnvfr\"\\";

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		const char *p = c ? strchr(raw, c) : NULL;

		if (p) {
			sbuf_putc(b, '\\');
			sbuf_putc(b, named[p - raw]);
		} else if (c >= 0x20 && c < 0x7f) {
			sbuf_putc(b, (char)c);
		} else if (i + 1 < n && s[i + 1] >= '0' && s[i + 1] <= '7') {
			/* as strace: octal, with as few digits as possible unless an octal digit follows */
			sbuf_printf(b, "\\%03o", c);
		} else {
			sbuf_printf(b, "\\%o", c);
		}
	}
}

/* The length of the valid UTF-8 sequence at s, whose character is *c; 0: there is none. */
static size_t decode(const char *s, size_t n, uint32_t *c)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t len;

	if (!n)
		return 0;
	*c = u[0];
	if (u[0] < 0x80)
		return 1;
	if (u[0] < 0xc2 || u[0] > 0xf4)
		return 0;
	len = u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
	if (n < len)
		return 0;
	*c = u[0] & (0x7f >> len);
	for (size_t i = 1; i < len; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (u[i] & 0x3f);
	}
	/* reject over-long forms, surrogates, and code points beyond the last plane */
	if ((len == 3 && *c < 0x800) || (len == 4 && (*c < 0x10000 || *c > 0x10ffff)) || (*c >= 0xd800 && *c < 0xe000))
		return 0;
	return len;
}

size_t utf8_len(const char *s, size_t n)
{
	uint32_t c;

	return decode(s, n, &c);
}

/*
 * The one list of characters that every output escapes, whatever its form: they control a terminal, reverse
 * or hide the text beside them, or end a line for some reader.
 */
static bool is_hidden(uint32_t c)
{
	static const struct { uint32_t from, to; } list[] = {
		{ 0x0, 0x1f }, { 0x7f, 0x9f },		/* C0, DEL, C1 */
		{ 0x61c, 0x61c }, { 0x180e, 0x180e },	/* a mark of direction, a separator without width */
		{ 0x200b, 0x200f },			/* without width; marks of direction */
		/* separators of lines and paragraphs; embeddings and overrides */
		{ 0x2028, 0x202e },
		{ 0x2060, 0x206f },			/* invisible operators; isolates */
		{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb },	/* byte order mark, annotations */
		{ 0xfffe, 0xffff },			/* no characters; XML forbids them */
		{ 0xe0000, 0xe007f },			/* tags */
	};

	for (size_t i = 0; i < ARRAY_SIZE(list) && c >= list[i].from; i++)
		if (c <= list[i].to)
			return true;
	return c > 0xffff && (c & 0xfffe) == 0xfffe;
}

enum utf8_kind utf8_next(const char *s, size_t n, size_t *len, uint32_t *c)
{
	*len = decode(s, n, c);
	if (*len)
		return is_hidden(*c) ? UTF8_HIDDEN : UTF8_SHOWN;
	*len = 1;
	*c = (unsigned char)*s;
	return UTF8_BROKEN;
}

void sbuf_clean_n(struct sbuf *b, const char *s, size_t n)
{
	size_t len;
	uint32_t c;

	for (size_t i = 0; i < n; i += len) {
		/* names are mostly plain: copy the plain part at once */
		for (len = 0; i + len < n && s[i + len] >= 0x20 && s[i + len] < 0x7f; len++)
			;
		if (len) {
			sbuf_put(b, s + i, len);
			continue;
		}
		if (utf8_next(s + i, n - i, &len, &c) == UTF8_SHOWN) {
			sbuf_put(b, s + i, len);
			continue;
		}
		for (size_t k = 0; k < len; k++)
			sbuf_printf(b, "\\x%02x", (unsigned char)s[i + k]);
	}
}

void sbuf_clean(struct sbuf *b, const char *s)
{
	sbuf_clean_n(b, s, strlen(s));
}

size_t utf8_columns(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static void put_unit(struct sbuf *b, uint64_t n, char unit)
{
	sbuf_u64(b, n);
	sbuf_putc(b, unit);
}

/* unknown: what stands for a time that the calendar does not have */
static void put_time(struct sbuf *b, uint64_t realtime, const char *format, const char *unknown)
{
	time_t sec = (time_t)(realtime / NSEC_PER_SEC);
	char text[32];
	struct tm tm;

	if (localtime_r(&sec, &tm) && strftime(text, sizeof(text), format, &tm))
		unknown = text;
	sbuf_printf(b, "%s.%06llu", unknown, (unsigned long long)(realtime % NSEC_PER_SEC / 1000));
}

void sbuf_clock(struct sbuf *b, uint64_t realtime)
{
	put_time(b, realtime, "%H:%M:%S", "--:--:--");
}

void sbuf_moment(struct sbuf *b, uint64_t realtime)
{
	put_time(b, realtime, "%Y-%m-%d %H:%M:%S", "---------- --:--:--");
}

void sbuf_duration(struct sbuf *b, uint64_t ns)
{
	uint64_t s = ns / NSEC_PER_SEC;

	if (s < 100)
		put_unit(b, s, 's');
	else if (s < 100 * 60)
		put_unit(b, s / 60, 'm');
	else if (s < 48 * 3600)
		put_unit(b, s / 3600, 'h');
	else
		put_unit(b, s / 86400, 'd');
}

void sbuf_size(struct sbuf *b, uint64_t bytes)
{
	static const char units[] = "KMGT";
	double v = (double)bytes;
	int u = -1;

	while (v >= 1024 && u < 3) {
		v /= 1024;
		u++;
	}
	if (u < 0)
		sbuf_printf(b, "%llu", (unsigned long long)bytes);
	else
		sbuf_printf(b, "%.1f%c", v, units[u]);
}

void sbuf_count(struct sbuf *b, uint64_t n, const char *noun)
{
	sbuf_printf(b, "%llu %s%s", (unsigned long long)n, noun, n == 1 ? "" : "s");
}
