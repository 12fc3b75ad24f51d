/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads protobuf messages. A malformed one fails the test. */
#ifndef CTRACE_SELFTEST_READ_PROTO_H
#define CTRACE_SELFTEST_READ_PROTO_H

#include <stdint.h>
#include <string.h>
#include "ktap.h"

struct span {
	const uint8_t *p, *end;
};

struct field {
	uint32_t number;
	uint64_t v;		/* of a number */
	struct span s;		/* of a message, of a text */
};

static bool varint(struct span *m, uint64_t *v)
{
	*v = 0;
	for (unsigned int shift = 0; m->p < m->end && shift < 64; shift += 7) {
		*v |= (uint64_t)(*m->p & 0x7f) << shift;
		if (!(*m->p++ & 0x80))
			return true;
	}
	return false;
}

/* False at the end; a message that is not well formed fails the test. */
static bool next(struct span *m, struct field *f)
{
	uint64_t key, len;

	if (m->p == m->end)
		return false;
	*f = (struct field){ 0 };
	if (!check(varint(m, &key)))
		return false;
	f->number = (uint32_t)(key >> 3);
	switch (key & 7) {
	case 0:
		return check(varint(m, &f->v));
	case 1:
		if (!check(m->end - m->p >= 8))
			return false;
		memcpy(&f->v, m->p, 8);
		m->p += 8;
		return true;
	case 2:
		if (!check(varint(m, &len)) || !check(len <= (uint64_t)(m->end - m->p)))
			return false;
		f->s = (struct span){ m->p, m->p + len };
		m->p += len;
		return true;
	}
	return check(false);
}

/* The first field with this number; v and s are 0 if there is none. */
static struct field get(struct span m, uint32_t number)
{
	struct field f;

	while (next(&m, &f))
		if (f.number == number)
			return f;
	return (struct field){ 0 };
}

static bool is_text(struct span s, const char *text)
{
	return s.p && (size_t)(s.end - s.p) == strlen(text) && !memcmp(s.p, text, strlen(text));
}

#endif
