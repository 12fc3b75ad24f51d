// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decoding: the right values for every kind of field, and hostile records. Each record lies in an
 * allocation of exactly its length, so that the address sanitizer sees any read beyond it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libctrace.h"
#include "ctf_format.h"
#include "ktap.h"

static const struct ctrace_field fields[] = {
	{ "u8", CTRACE_FK_UINT, 0, 1 },		/* 24 */
	{ "i16", CTRACE_FK_INT, 0, 2 },		/* 26 */
	{ "comm", CTRACE_FK_TEXT, 0, 5 },		/* 28 */
	{ "i64", CTRACE_FK_INT, 0, 8 },		/* 40 */
	{ "path", CTRACE_FK_STRING, 0, 0 },	/* 48 */
	{ "seq", CTRACE_FK_SEQ, 0, 4 },		/* 52 */
	{ "hex", CTRACE_FK_UINT, CTRACE_FD_HEX, 4 },		/* 64 */
};

static const struct ctrace_event_type type = {
	.id = 100, .name = "mix", .system = "test",
	.nfields = sizeof(fields) / sizeof(fields[0]), .fields = fields,
};

#define LEN	72	/* 68 and padding */

static void build(unsigned char *b)
{
	struct ctrace_record r = { .time = 1, .id = 100, .len = LEN, .cid = 3 };
	const uint32_t seq[] = { 2, 7, 9 }, hex = 0xdeadbeef;
	const int64_t i64 = -5;
	const int16_t i16 = -2;

	memset(b, 0xaa, LEN);	/* alignment gaps hold anything */
	memcpy(b, &r, sizeof(r));
	b[24] = 200;
	memcpy(b + 26, &i16, 2);
	memcpy(b + 28, "ab\0zz", 5);
	memcpy(b + 40, &i64, 8);
	memcpy(b + 48, "/x", 3);
	memcpy(b + 52, seq, sizeof(seq));
	memcpy(b + 64, &hex, 4);
}

static int decode(const struct ctrace_event_type *t, const unsigned char *bytes, size_t len,
		  struct ctrace_value *v, size_t max)
{
	unsigned char *copy = malloc(len);
	int n;

	memcpy(copy, bytes, len);
	n = ctrace_decode(t, (void *)copy, v, max);
	free(copy);
	return n;
}

static void every_kind(void)
{
	unsigned char b[LEN] __attribute__((aligned(8)));
	struct ctrace_value v[8];
	uint32_t s[2];

	build(b);
	check_eq(ctrace_decode(&type, (void *)b, v, 8), 7);
	check_eq(v[0].u, 200);
	check_eq(v[1].i, -2);
	check_eq(v[2].str.len, 2);
	check(!memcmp(v[2].str.s, "ab", 2));
	check_eq(v[3].i, -5);
	check_eq(v[4].str.len, 2);
	check(!memcmp(v[4].str.s, "/x", 2));
	if (check_eq(v[5].seq.n, 2)) {
		memcpy(s, v[5].seq.v, sizeof(s));
		check_eq(s[0], 7);
		check_eq(s[1], 9);
	}
	check_eq(v[6].u, 0xdeadbeef);
	check(v[6].field == &fields[6]);
	check_eq(ctrace_ctf_record_bits(&type, (void *)b), 68 * 8);
	check_eq(ctrace_ctf_record_bits(NULL, (void *)b), LEN * 8);
}

static void few_values_wanted(void)
{
	unsigned char b[LEN] __attribute__((aligned(8)));
	struct ctrace_value v[2];

	build(b);
	check_eq(ctrace_decode(&type, (void *)b, v, 2), 2);
	check_eq(v[1].i, -2);
	check_eq(ctrace_decode(&type, (void *)b, NULL, 0), 0);
}

/* Any length but the right one is refused, and nothing beyond the record is read. */
static void every_length(void)
{
	unsigned char b[LEN + 64] = { 0 };
	struct ctrace_value v[8];
	uint32_t len;
	uint16_t l;

	for (len = 0; len <= sizeof(b); len++) {
		build(b);
		l = len;
		memcpy(b + offsetof(struct ctrace_record, len), &l, 2);
		check_eq(decode(&type, b, len < 24 ? 24 : len, v, 8),
			 len == LEN ? 7 : -EBADMSG);
	}
}

static void lying_counts(void)
{
	static const uint32_t counts[] = { 5, 6, 0x40000000, 0x40000001, 0x7fffffff, 0xffffffff };
	unsigned char b[LEN];
	struct ctrace_value v[8];
	size_t i;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		build(b);
		memcpy(b + 52, &counts[i], 4);
		check_eq(decode(&type, b, LEN, v, 8), -EBADMSG);
	}
}

/* The field after a sequence must not be looked for beyond the record. */
static void count_before_text(void)
{
	static const struct ctrace_field texts[] = {
		{ "text", CTRACE_FK_TEXT, 0, 8 }, { "string", CTRACE_FK_STRING, 0, 0 },
	};
	unsigned char b[40];
	struct ctrace_record r = { .time = 1, .id = 1, .len = sizeof(b) };
	struct ctrace_value v[2];
	uint32_t i, count;

	for (i = 0; i < 2; i++) {
		const struct ctrace_field f[] = { { "seq", CTRACE_FK_SEQ, 0, 4 }, texts[i] };
		const struct ctrace_event_type t = { .id = 1, .name = "s", .nfields = 2, .fields = f };

		memset(b, 0, sizeof(b));
		memcpy(b, &r, sizeof(r));
		for (count = 4; count < 1000; count++) {
			memcpy(b + 24, &count, 4);
			check_eq(decode(&t, b, sizeof(b), v, 2), -EBADMSG);
		}
		count = 1;
		memcpy(b + 24, &count, 4);
		check_eq(decode(&t, b, sizeof(b), v, 2), 2);
	}
}

static void endless_string(void)
{
	static const struct ctrace_field f = { "s", CTRACE_FK_STRING, 0, 0 };
	const struct ctrace_event_type t = { .id = 1, .name = "s", .nfields = 1, .fields = &f };
	unsigned char b[24 + CTRACE_ARGV_MAX + 8];
	struct ctrace_record r = { .time = 1, .id = 1, .len = sizeof(b) };
	struct ctrace_value v[1];

	memset(b, 'x', sizeof(b));
	memcpy(b, &r, sizeof(r));
	check_eq(decode(&t, b, sizeof(b), v, 1), -EBADMSG);	/* no NUL */
	b[24 + CTRACE_ARGV_MAX] = '\0';
	check_eq(decode(&t, b, sizeof(b), v, 1), -EBADMSG);	/* one too late */
	b[24 + CTRACE_ARGV_MAX - 1] = '\0';
	check_eq(decode(&t, b, sizeof(b), v, 1), -EBADMSG);	/* then 8 bytes too many */
	r.len = sizeof(b) - 8;
	memcpy(b, &r, sizeof(r));
	check_eq(decode(&t, b, sizeof(b) - 8, v, 1), 1);
	check_eq(v[0].str.len, CTRACE_ARGV_MAX - 1);
}

static const struct ctrace_field sequences[] = {
	{ "bytes", CTRACE_FK_SEQ, 0, 1 },		/* 24, elements at 28 */
	{ "stack", CTRACE_FK_SEQ, CTRACE_FD_HEX, 8 },	/* 32, elements at 40 */
	{ "deltas", CTRACE_FK_SEQ_INT, 0, 2 },	/* 56, elements at 60 */
	{ "none", CTRACE_FK_SEQ_INT, 0, 8 },	/* no elements; they would begin at 72 */
	{ "last", CTRACE_FK_UINT, 0, 1 },		/* 72 */
};
static const struct ctrace_event_type sequence_type = {
	.id = 101, .name = "sequences", .system = "test",
	.nfields = sizeof(sequences) / sizeof(sequences[0]), .fields = sequences,
};

#define SEQ_LEN	80	/* 73 and padding */

static void build_sequences(unsigned char *b)
{
	const struct ctrace_record r = { .time = 1, .id = 101, .len = SEQ_LEN };
	const uint64_t stack[] = { 0xffffffff81000000, 5 };
	const uint32_t one = 1, two = 2, four = 4, none = 0;
	const int16_t deltas[] = { -1, 300, INT16_MIN, 7 };

	memset(b, 0xaa, SEQ_LEN);
	memcpy(b, &r, sizeof(r));
	memcpy(b + 24, &one, 4);
	b[28] = 200;
	memcpy(b + 32, &two, 4);
	memcpy(b + 40, stack, sizeof(stack));
	memcpy(b + 56, &four, 4);
	memcpy(b + 60, deltas, sizeof(deltas));
	memcpy(b + 68, &none, 4);
	b[72] = 99;
}

static void every_size_of_sequence(void)
{
	unsigned char room[SEQ_LEN + 1], *b = room + 1;	/* elements may lie at any address */
	struct ctrace_value v[5];

	build_sequences(b);
	if (!check_eq(ctrace_decode(&sequence_type, (void *)b, v, 5), 5))
		return;
	check_eq(v[0].seq.n, 1);
	check_eq(ctrace_value_at(&v[0], 0), 200);
	check_eq(v[1].seq.n, 2);
	check_eq(ctrace_value_at(&v[1], 0), 0xffffffff81000000);
	check_eq(ctrace_value_at(&v[1], 1), 5);
	check_eq(v[2].seq.n, 4);
	check_eq((int64_t)ctrace_value_at(&v[2], 0), -1);
	check_eq((int64_t)ctrace_value_at(&v[2], 1), 300);
	check_eq((int64_t)ctrace_value_at(&v[2], 2), INT16_MIN);
	check_eq((int64_t)ctrace_value_at(&v[2], 3), 7);
	check_eq(v[3].seq.n, 0);
	check_eq(v[4].u, 99);
	check_eq(ctrace_ctf_record_bits(&sequence_type, (void *)b), 73 * 8);
}

/* Counts that reach beyond the record, and counts whose size in bytes wraps around. */
static void lying_sequences(void)
{
	static const uint32_t counts[] = {
		6, 7, 0x20000000, 0x20000001, 0x40000000, 0x7fffffff, 0x80000000, 0xffffffff,
	};
	static const size_t at[] = { 32, 56, 68 };
	unsigned char b[SEQ_LEN];
	struct ctrace_value v[5];
	size_t i, k;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		for (k = 0; k < sizeof(at) / sizeof(at[0]); k++) {
			build_sequences(b);
			memcpy(b + at[k], &counts[i], 4);
			check_eq(decode(&sequence_type, b, SEQ_LEN, v, 5), -EBADMSG);
		}
	for (i = 0; i < SEQ_LEN; i++) {
		build_sequences(b);
		b[i] = 0x41;
		decode(&sequence_type, b, i == 10 || i == 11 ? 24 : SEQ_LEN, v, 5);
	}
}

/* Random bytes behind a valid head, of any length, at any address. */
static void noise(void)
{
	unsigned char b[512];
	struct ctrace_record r = { .time = 1, .id = 100 };
	struct ctrace_value v[8];
	unsigned int i, j, len;

	srandom(1);
	for (i = 0; i < 20000; i++) {
		len = 24 + 8 * (random() % 60);
		for (j = 24; j < len; j++)
			b[j] = random() % 4 ? random() % 8 : random();
		r.len = len;
		memcpy(b, &r, sizeof(r));
		decode(&type, b, len, v, 8);
		decode(&sequence_type, b, len, v, 8);
	}
	memmove(b + 1, b, 500);
	ctrace_decode(&type, (void *)(b + 1), v, 8);
}

static void bad_schemas(void)
{
	struct ctrace_schema *s = ctrace_schema_new();
	struct ctrace_field f = { "f", CTRACE_FK_UINT, 0, 3 };
	struct ctrace_event_type t = { .id = 9, .name = "t", .nfields = 1, .fields = &f };
	struct { struct ctrace_event_type t; uint64_t more; } newer = { .more = 1 };
	const struct ctrace_event_type *old;

	check_eq(ctrace_schema_add(s, &t, sizeof(t)), -EINVAL);
	for (f.kind = CTRACE_FK_SEQ; f.kind <= CTRACE_FK_SEQ_INT; f.kind++) {
		f.size = 0;
		check_eq(ctrace_schema_add(s, &t, sizeof(t)), -EINVAL);
		f.size = 16;
		check_eq(ctrace_schema_add(s, &t, sizeof(t)), -EINVAL);
	}
	f.kind = CTRACE_FK_UINT;
	f.size = 4;
	t.id = 0x10000;
	check_eq(ctrace_schema_add(s, &t, sizeof(t)), -EINVAL);
	t.id = 9;
	check_eq(ctrace_schema_add(s, &t, 4), -EINVAL);
	newer.t = t;
	check_eq(ctrace_schema_add(s, &newer.t, sizeof(newer)), -E2BIG);
	newer.more = 0;
	check_eq(ctrace_schema_add(s, &newer.t, sizeof(newer)), 0);
	old = ctrace_schema_by_id(s, 9);
	check(old && old == ctrace_schema_by_name(s, "t"));
	check_eq(ctrace_schema_add(s, &t, sizeof(t)), 0);
	check(old == ctrace_schema_by_id(s, 9));
	f.size = 8;
	t.reason = "changed";
	check_eq(ctrace_schema_add(s, &t, sizeof(t)), 0);
	check_eq(old->fields[0].size, 4);	/* still there */
	check_eq(ctrace_schema_by_id(s, 9)->fields[0].size, 8);
	t.id = 3;
	t.name = "earlier";
	check_eq(ctrace_schema_add(s, &t, sizeof(t)), 0);
	check_str(ctrace_schema_at(s, 0)->name, "earlier");
	check_eq(ctrace_schema_at(s, 1)->id, 9);
	check(!ctrace_schema_at(s, 2));
	check_str(ctrace_schema_by_id(s, 9)->name, "t");
	check(!ctrace_schema_by_id(s, 0x12345678));
	ctrace_schema_free(s);
}

/* Types of a newer module: an unknown display does no harm, an unknown kind hides only that type. */
static void newer_fields(void)
{
	struct ctrace_schema *s = ctrace_schema_new();
	struct ctrace_field f[] = {
		{ "a", CTRACE_FK_UINT, 99, 4 }, { "b", CTRACE_FK_SEQ, 100, 1 }, { "c", CTRACE_FK_STRING, ~0u, 0 },
	};
	struct ctrace_event_type t = { .id = 9, .name = "t", .nfields = 3, .fields = f };
	struct { struct ctrace_record head; char payload[16]; } rec = {
		.head = { .id = 9, .len = sizeof(rec) }, .payload = "\1\0\0\0" "\2\0\0\0" "xy" "text",
	};
	struct ctrace_value v[3];

	check_eq(ctrace_schema_add(s, &t, sizeof(t)), 0);
	check_eq(ctrace_decode(ctrace_schema_by_id(s, 9), &rec.head, v, 3), 3);
	check_eq(v[0].u, 1);
	check_eq(v[0].field->display, 99);
	check_eq(v[1].seq.n, 2);
	check_eq(ctrace_value_at(&v[1], 1), 'y');
	check_eq(v[2].str.len, 4);

	/* behind a field of an unknown kind, nothing can be found */
	for (f[1].kind = CTRACE_FK_SEQ_INT + 1; f[1].kind; f[1].kind *= 2) {
		check_eq(ctrace_decode(&t, &rec.head, v, 3), -EBADMSG);
		t.id = 10;
		check_eq(ctrace_schema_add(s, &t, sizeof(t)), -EINVAL);
		t.id = 9;
		check_eq(ctrace_schema_add(s, &t, sizeof(t)), -EINVAL);
	}
	check_eq(ctrace_ctf_record_bits(&t, &rec.head), 8 * sizeof(rec));
	check(!ctrace_schema_by_id(s, 10));
	check_eq(ctrace_decode(ctrace_schema_by_id(s, 9), &rec.head, v, 3), 3);
	ctrace_schema_free(s);
}

/* A type's texts belong to the schema, and a change of any of them is noticed. */
static void texts_of_types(void)
{
	struct ctrace_schema *s = ctrace_schema_new();
	char name[] = "n", system[] = "s", source[] = "t", definition[] = "p:n f", field[] = "x";
	struct ctrace_field f = { field, CTRACE_FK_UINT, 0, 4 };
	struct ctrace_event_type t = { .id = 0x1000, .name = name, .system = system,
				       .source = source, .definition = definition,
				       .nfields = 1, .fields = &f };
	const struct ctrace_event_type *got, *before;

	check_eq(ctrace_schema_add(s, &t, sizeof(t)), 0);
	got = ctrace_schema_by_id(s, 0x1000);
	memset(name, '-', 1);
	memset(source, '-', 1);
	memset(definition, '-', sizeof(definition) - 1);
	memset(field, '-', 1);
	check_str(got->name, "n");
	check_str(got->source, "t");
	check_str(got->definition, "p:n f");
	check_str(got->fields[0].name, "x");
	check(!got->reason);
	t.name = "n";
	t.source = "t";
	f.name = "x";
	t.definition = "p:n f";
	check_eq(ctrace_schema_add(s, &t, sizeof(t)), 0);
	check(got == ctrace_schema_by_id(s, 0x1000));
	t.definition = "p:n g";
	check_eq(ctrace_schema_add(s, &t, sizeof(t)), 0);
	before = got;
	got = ctrace_schema_by_id(s, 0x1000);
	check(got != before);
	check_str(got->definition, "p:n g");
	check_str(before->definition, "p:n f");
	t.source = t.definition = NULL;
	check_eq(ctrace_schema_add(s, &t, sizeof(t)), 0);
	got = ctrace_schema_by_id(s, 0x1000);
	check(!got->source && !got->definition);
	t.id = 0x1001;
	check_eq(ctrace_schema_add(s, &t, sizeof(t)), 0);
	check_eq(ctrace_schema_by_name(s, "n")->id, 0x1001);	/* the newest definition */
	t.id = 0x0fff;
	check_eq(ctrace_schema_add(s, &t, sizeof(t)), 0);
	check_eq(ctrace_schema_by_name(s, "n")->id, 0x0fff);	/* but a built-in type stays */
	ctrace_schema_free(s);
}

static const struct ktap_case cases[] = {
	{ "every kind of field", every_kind },
	{ "fewer values wanted than there are", few_values_wanted },
	{ "every length", every_length },
	{ "counts that lie", lying_counts },
	{ "counts that lie before a text", count_before_text },
	{ "sequences of every size", every_size_of_sequence },
	{ "sequences that lie", lying_sequences },
	{ "strings without end", endless_string },
	{ "noise", noise },
	{ "schemas: bad, replaced, ordered", bad_schemas },
	{ "schemas: fields of newer modules", newer_fields },
	{ "schemas: texts", texts_of_types },
};
KTAP_MAIN(cases)
