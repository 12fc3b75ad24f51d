/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes protobuf messages: a field's number and type, and its value, one field after the other. */
#ifndef CTRACE_PROTO_H
#define CTRACE_PROTO_H

#include "base/util.h"

void proto_varint(struct sbuf *b, uint64_t v);
/* uint64, int64, int32, bool, an enumeration. */
void proto_number(struct sbuf *b, unsigned int field, uint64_t v);
/* double, as its bits */
void proto_fixed64(struct sbuf *b, unsigned int field, uint64_t bits);
void proto_bytes(struct sbuf *b, unsigned int field, const void *p, size_t n);
void proto_text(struct sbuf *b, unsigned int field, const char *s);
/* Puts the message m, and empties it. */
void proto_message(struct sbuf *b, unsigned int field, struct sbuf *m);

#endif
