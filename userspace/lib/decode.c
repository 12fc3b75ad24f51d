// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A record's payload by its type.
 *
 * Nothing here trusts the record. Its bytes may come from a file, so each length and count in it is
 * checked against rec->len before it is used. The record may lie at any address, so numbers are
 * copied out of it, never dereferenced.
 */
#include <errno.h>
#include <string.h>

#include "internal.h"
#include "ctf_format.h"

#define ALIGN_UP(x, a)	(((x) + (a) - 1) & ~((size_t)(a) - 1))

static bool size_ok(const struct ctrace_field *f)
{
	return f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;
}

/* The number at p; its size has passed size_ok(). Signed numbers are sign-extended to 64 bits. */
static uint64_t number(const struct ctrace_field *f, const char *p)
{
	union { uint8_t u8; uint16_t u16; uint32_t u32; uint64_t u64; } n = { .u64 = 0 };
	bool sign = f->kind == CTRACE_FK_INT || f->kind == CTRACE_FK_SEQ_INT;

	memcpy(&n, p, f->size);
	switch (f->size) {
	case 1:
		return sign ? (uint64_t)(int8_t)n.u8 : n.u8;
	case 2:
		return sign ? (uint64_t)(int16_t)n.u16 : n.u16;
	case 4:
		return sign ? (uint64_t)(int32_t)n.u32 : n.u32;
	}
	return n.u64;
}

uint64_t ctrace_value_at(const struct ctrace_value *v, size_t i)
{
	return number(v->field, (const char *)v->seq.v + i * v->field->size);
}

/* Takes one field at rec[*pos]; *pos moves past it and never past len. */
static int take(const struct ctrace_field *f, const char *rec, size_t len, size_t *pos,
		struct ctrace_value *v)
{
	size_t at = *pos, max;
	const char *nul;
	uint32_t count;

	v->field = f;
	switch (f->kind) {
	case CTRACE_FK_UINT:
	case CTRACE_FK_INT:
		if (!size_ok(f))
			return -EBADMSG;
		at = ALIGN_UP(at, f->size);
		if (at > len || len - at < f->size)
			return -EBADMSG;
		v->u = number(f, rec + at);
		*pos = at + f->size;
		return 0;
	case CTRACE_FK_TEXT:
		if (len - at < f->size)
			return -EBADMSG;
		v->str.s = rec + at;
		v->str.len = strnlen(rec + at, f->size);
		*pos = at + f->size;
		return 0;
	case CTRACE_FK_STRING:
		max = len - at < CTRACE_ARGV_MAX ? len - at : CTRACE_ARGV_MAX;
		nul = memchr(rec + at, 0, max);
		if (!nul)
			return -EBADMSG;
		v->str.s = rec + at;
		v->str.len = nul - v->str.s;
		*pos = at + v->str.len + 1;
		return 0;
	case CTRACE_FK_SEQ:
	case CTRACE_FK_SEQ_INT:
		if (!size_ok(f))
			return -EBADMSG;
		at = ALIGN_UP(at, 4);
		if (at > len || len - at < 4)
			return -EBADMSG;
		memcpy(&count, rec + at, 4);
		/* The elements are aligned even if there are none. */
		at = ALIGN_UP(at + 4, f->size);
		if (at > len || (len - at) / f->size < count)
			return -EBADMSG;
		v->seq.v = rec + at;
		v->seq.n = count;
		*pos = at + f->size * (size_t)count;
		return 0;
	}
	return -EBADMSG;
}

/* Returns the offset where the payload ends and the padding begins; < 0: malformed. */
static int walk(const struct ctrace_event_type *t, const struct ctrace_record *rec,
		struct ctrace_value *vals, size_t max)
{
	const char *bytes = (const char *)rec;
	struct ctrace_value unused;
	size_t pos = sizeof(*rec);
	uint16_t len;
	uint32_t i;
	int err;

	memcpy(&len, bytes + offsetof(struct ctrace_record, len), sizeof(len));
	if (len < sizeof(*rec) || len % 8 || len > CTRACE_RECORD_MAX)
		return -EBADMSG;
	for (i = 0; i < t->nfields; i++) {
		err = take(&t->fields[i], bytes, len, &pos, i < max ? &vals[i] : &unused);
		if (err)
			return err;
	}
	/*
	 * More is left than padding. So the record is not of this type, and a CTF reader would not
	 * find the next one.
	 */
	if (len - pos >= 8)
		return -EBADMSG;
	return (int)pos;
}

int ctrace_decode(const struct ctrace_event_type *t, const struct ctrace_record *rec,
		  struct ctrace_value *vals, size_t max)
{
	int end = walk(t, rec, vals, max);

	if (end < 0)
		return end;
	return (int)(t->nfields < max ? t->nfields : max);
}

/*
 * The bits of the record that are content to CTF: all but the padding. (A reader skips the padding
 * only because the next event is aligned to 64 bits.) A record that does not decode counts whole.
 */
uint32_t ctrace_ctf_record_bits(const struct ctrace_event_type *t,
				const struct ctrace_record *rec)
{
	int end = t ? walk(t, rec, NULL, 0) : -EBADMSG;

	return 8 * (end < 0 ? rec->len : (uint32_t)end);
}
