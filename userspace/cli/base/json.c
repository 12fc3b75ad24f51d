// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include "base/json.h"

static void put_string(struct sbuf *b, const char *s, size_t n)
{
	size_t len;

	sbuf_putc(b, '"');
	for (size_t i = 0; i < n; i += len) {
		unsigned char c = (unsigned char)s[i];

		len = utf8_len(s + i, n - i);
		if (!len) {
			sbuf_puts(b, "\xef\xbf\xbd");
			len = 1;
		} else if (c == '"' || c == '\\') {
			sbuf_putc(b, '\\');
			sbuf_putc(b, (char)c);
		} else if (c == '\n') {
			sbuf_puts(b, "\\n");
		} else if (c == '\t') {
			sbuf_puts(b, "\\t");
		} else if (c < 0x20 || c == 0x7f) {
			sbuf_printf(b, "\\u%04x", c);
		} else {
			sbuf_put(b, s + i, len);
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
