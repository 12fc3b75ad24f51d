// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include "base/proto.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2 };

void proto_varint(struct sbuf *b, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		sbuf_putc(b, (char)(v | 0x80));
	sbuf_putc(b, (char)v);
}

void proto_number(struct sbuf *b, unsigned int field, uint64_t v)
{
	proto_varint(b, field << 3 | VARINT);
	proto_varint(b, v);
}

void proto_fixed64(struct sbuf *b, unsigned int field, uint64_t bits)
{
	proto_varint(b, field << 3 | FIXED64);
	for (int i = 0; i < 8; i++)
		sbuf_putc(b, (char)(bits >> 8 * i));
}

void proto_bytes(struct sbuf *b, unsigned int field, const void *p, size_t n)
{
	proto_varint(b, field << 3 | BYTES);
	proto_varint(b, n);
	sbuf_put(b, p, n);
}

void proto_text(struct sbuf *b, unsigned int field, const char *s)
{
	struct sbuf clean = { 0 };

	sbuf_clean(&clean, s);
	proto_bytes(b, field, clean.s ? clean.s : "", clean.len);
	sbuf_free(&clean);
}

void proto_message(struct sbuf *b, unsigned int field, struct sbuf *m)
{
	proto_bytes(b, field, m->s ? m->s : "", m->len);
	sbuf_reset(m);
}
