/* SPDX-License-Identifier: GPL-2.0-only */
/* Random event types with a payload of each, for tests that compare the module's languages with an oracle. */
#ifndef CTRACE_SELFTEST_RANDOM_TYPE_H
#define CTRACE_SELFTEST_RANDOM_TYPE_H

#include "lang/fields.h"

#define MAX_FIELDS	8
#define MAX_LEN		2024

struct value {
	struct ctrace_field_desc f;
	__int128 num;
	char str[CTRACE_STR_MAX];
	u32 end;		/* the field exists in payloads of at least this many bytes */
	u32 start;
};

static u64 state;
static u32 rnd(u32 n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 20) % n;
}

static struct value fields[MAX_FIELDS];
static u32 nfields, len;
static char payload[MAX_LEN] __attribute__((aligned(8)));

static void align_to(u32 a)
{
	while (len % a)
		payload[len++] = rnd(256);
}

static void few_letters(char *to, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		to[i] = "aab*-"[rnd(rnd(4) ? 2 : 5)];
	to[n] = 0;
}

static void write_number(struct value *v)
{
	static const u64 edges[] = { 0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
		0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff };
	u32 bits = 8 * v->f.size;
	u64 raw = rnd(3) ? edges[rnd(ARRAY_SIZE(edges))] : state;

	raw &= ~0ull >> (64 - bits);
	v->num = raw;
	if (v->f.kind == CTRACE_FK_INT && raw >> (bits - 1))
		v->num -= (__int128)1 << bits;
	align_to(v->f.size);
	v->start = len;
	memcpy(payload + len, &raw, v->f.size);
	len += v->f.size;
	v->end = len;
}

static void write_field(struct value *v)
{
	u32 n, k;

	switch (v->f.kind) {
	case CTRACE_FK_TEXT:
		v->f.size = 1 + rnd(20);
		n = rnd(v->f.size + 1);
		few_letters(v->str, n);
		v->start = len;
		memset(payload + len, 0, v->f.size);
		memcpy(payload + len, v->str, n);
		len += v->f.size;
		v->end = len;
		break;
	case CTRACE_FK_STRING:
		n = rnd(10) ? rnd(12) : rnd(200);
		few_letters(v->str, n);
		v->start = len;
		memcpy(payload + len, v->str, n + 1);
		len += n + 1;
		v->end = v->start + 1;	/* a part of it is a string too */
		break;
	case CTRACE_FK_SEQ:
	case CTRACE_FK_SEQ_INT:
		align_to(4);
		n = rnd(4);
		memcpy(payload + len, &n, 4);
		len += 4;
		align_to(v->f.size);
		for (k = n * v->f.size; k; k--)
			payload[len++] = rnd(256);
		v->end = len;
		break;
	default:
		write_number(v);
	}
}

static void make_type(void)
{
	static const u8 sizes[] = { 1, 2, 4, 8 };
	static const char * const names[MAX_FIELDS] = { "a", "b", "c_c", "_d", "e5", "f", "fd", "fdx" };
	u32 i;

	len = 0;
	nfields = 1 + rnd(MAX_FIELDS);
	memset(fields, 0, sizeof(fields));
	for (i = 0; i < nfields; i++) {
		fields[i].f = (struct ctrace_field_desc){ names[i], 1 + rnd(6), rnd(3), sizes[rnd(4)] };
		write_field(&fields[i]);
	}
}

static bool is_list(const struct value *v)
{
	return v->f.kind >= CTRACE_FK_SEQ;
}

static bool is_number(const struct value *v)
{
	return v->f.kind <= CTRACE_FK_INT;
}

#endif
