// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include "base/json.h"

static void put_escape(struct sbuf *b, uint32_t c)
{
	if (c > 0xffff) {	/* as two, of UTF-16 */
		sbuf_printf(b, "\\u%04x", 0xd800 | (c - 0x10000) >> 10);
		c = 0xdc00 | (c & 0x3ff);
	}
	sbuf_printf(b, "\\u%04x", c);
}

static void put_string(struct sbuf *b, const char *s, size_t n)
{
	size_t len;
	uint32_t c;

	sbuf_putc(b, '"');
	for (size_t i = 0; i < n; i += len) {
		/* characters that need no escape, as many as there are */
		for (len = 0; i + len < n && s[i + len] >= 0x20 && s[i + len] < 0x7f && s[i + len] != '"' && s[i + len] != '\\';)
			len++;
		if (len) {
			sbuf_put(b, s + i, len);
			continue;
		}
		switch (utf8_next(s + i, n - i, &len, &c)) {
		case UTF8_BROKEN:
			sbuf_puts(b, "\xef\xbf\xbd");
			break;
		case UTF8_HIDDEN:
			if (c == '\n' || c == '\t')
				sbuf_puts(b, c == '\n' ? "\\n" : "\\t");
			else
				put_escape(b, c);
			break;
		case UTF8_SHOWN:
			if (c == '"' || c == '\\')
				sbuf_putc(b, '\\');
			sbuf_put(b, s + i, len);
			break;
		}
	}
	sbuf_putc(b, '"');
}

static void key(struct json *j, const char *k)
{
	if (j->comma)
		sbuf_putc(j->out, ',');
	j->comma = true;
	if (!k)
		return;
	put_string(j->out, k, strlen(k));
	sbuf_putc(j->out, ':');
}

void json_open(struct json *j, const char *k, char bracket)
{
	key(j, k);
	sbuf_putc(j->out, bracket);
	j->comma = false;
}

void json_close(struct json *j, char bracket)
{
	sbuf_putc(j->out, bracket);
	j->comma = true;
}

void json_strn(struct json *j, const char *k, const char *s, size_t n)
{
	key(j, k);
	put_string(j->out, s, n);
}

void json_str(struct json *j, const char *k, const char *s)
{
	json_strn(j, k, s, strlen(s));
}

void json_uint(struct json *j, const char *k, uint64_t v)
{
	key(j, k);
	sbuf_u64(j->out, v);
}

void json_int(struct json *j, const char *k, int64_t v)
{
	key(j, k);
	sbuf_printf(j->out, "%lld", (long long)v);
}

void json_real(struct json *j, const char *k, double v)
{
	key(j, k);
	sbuf_printf(j->out, "%.2f", v);
}

void json_flag(struct json *j, const char *k, bool v)
{
	key(j, k);
	sbuf_puts(j->out, v ? "true" : "false");
}

void json_null(struct json *j, const char *k)
{
	key(j, k);
	sbuf_puts(j->out, "null");
}

void json_line(struct json *j)
{
	sbuf_putc(j->out, '\n');
	j->comma = false;
}
