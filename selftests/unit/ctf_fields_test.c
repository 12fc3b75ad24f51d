// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sequences of every kind and size, at every offset where they may begin, from empty to three elements; and
 * names that CTF does not accept as they are. babeltrace2 is the judge: it knows nothing of libctrace's
 * idea of where a field lies. Each record is the last one of its packet, so the place where its content
 * ends is checked too.
 */
#include <inttypes.h>

#include "ctf_trace.h"

static const struct { uint32_t kind, display; } looks[] = {
	{ CTRACE_FK_SEQ, CTRACE_FD_DEFAULT }, { CTRACE_FK_SEQ_INT, CTRACE_FD_DEFAULT },
	{ CTRACE_FK_SEQ, CTRACE_FD_HEX },
};
static const uint32_t sizes[] = { 1, 2, 4, 8 };

#define LEADS	9	/* bytes before the sequence: 0 to 8 */
#define COUNTS	4	/* elements: 0 to 3 */
#define TAIL	238
#define FIRST_NAMED 3000

/* One case. It has a type of its own, shared only by cases that differ in the count. */
struct shape {
	uint32_t kind, display;
	uint32_t size, lead, tail;
};

/* Makes the i-th of all shapes; false beyond the last. */
static bool shape(uint32_t i, struct shape *s)
{
	s->kind = looks[i % 3].kind;
	s->display = looks[i % 3].display;
	s->size = sizes[i / 3 % 4];
	s->tail = i / 12 % 2;
	s->lead = i / 24;
	return s->lead < LEADS;
}

static void add_shape(struct ctrace_schema *schema, uint32_t i, const struct shape *s)
{
	struct ctrace_field f[3];
	struct ctrace_event_type t = { .id = 100 + i, .name = "shape", .system = "test",
				       .fields = f };

	if (s->lead)
		f[t.nfields++] = (struct ctrace_field){ "lead", CTRACE_FK_TEXT, 0, s->lead };
	f[t.nfields++] = (struct ctrace_field){ "seq", s->kind, s->display, s->size };
	if (s->tail)
		f[t.nfields++] = (struct ctrace_field){ "tail", CTRACE_FK_UINT, 0, 1 };
	check_eq(ctrace_schema_add(schema, &t, sizeof(t)), 0);
}

/* All elements have the top bit set, so that signs show. */
static int64_t element(uint32_t k)
{
	return -2 - (int64_t)k;
}

static void put_shape(struct buf *b, uint32_t i, const struct shape *s, uint32_t count)
{
	const uint8_t tail = TAIL;
	uint32_t k;
	int64_t v;

	begin(b, 100 + i, 1 + (uint64_t)i * COUNTS + count);
	put(b, "aaaaaaaa", s->lead, 1);
	put(b, &count, 4, 4);
	put(b, "", 0, s->size);		/* for an empty one too */
	for (k = 0; k < count; k++) {
		v = element(k);
		put(b, &v, s->size, s->size);	/* little-endian: its low bytes */
	}
	if (s->tail)
		put(b, &tail, 1, 1);
	end(b);
}

static void expect(char *to, size_t room, const struct shape *s, uint32_t count)
{
	uint64_t mask = s->size == 8 ? ~0ull : (1ull << 8 * s->size) - 1;
	FILE *f = fmemopen(to, room, "w");
	uint32_t k;

	fputs("shape: { cpu_id = 1, ring_cid = 7 }, { cid = 7, tid = 1234, vtid = 1 }, { ", f);
	if (s->lead)
		fprintf(f, "lead = \"%.*s\", ", (int)s->lead, "aaaaaaaa");
	fprintf(f, "seq_length = %u, seq = [", count);
	for (k = 0; k < count; k++) {
		fprintf(f, "%s [%u] = ", k ? "," : "", k);
		if (s->kind == CTRACE_FK_SEQ_INT)
			fprintf(f, "%" PRId64, element(k));
		else
			fprintf(f, s->display == CTRACE_FD_HEX ? "0x%" PRIX64 : "%" PRIu64,
				(uint64_t)element(k) & mask);
	}
	fputs(" ]", f);
	if (s->tail)
		fprintf(f, ", tail = %u", TAIL);
	fputs(" }", f);
	fclose(f);
}

static void check_values(const struct ctrace_schema *schema, const struct buf *b,
			 const struct shape *s, uint32_t count)
{
	const struct ctrace_record *r = (const void *)b->b;
	const struct ctrace_value *seq;
	struct ctrace_value v[3];
	uint32_t k;
	int n = ctrace_decode(ctrace_schema_by_id(schema, r->id), r, v, 3);

	if (!check_eq(n, 1 + !!s->lead + s->tail))
		return;
	seq = &v[!!s->lead];
	check_eq(seq->seq.n, count);
	for (k = 0; k < seq->seq.n; k++) {
		if (s->kind == CTRACE_FK_SEQ_INT || s->size == 8)
			check_eq((int64_t)ctrace_value_at(seq, k), element(k));
		else
			check_eq(ctrace_value_at(seq, k),
				 (uint64_t)element(k) & ((1ull << 8 * s->size) - 1));
	}
	if (s->tail)
		check_eq(v[n - 1].u, TAIL);
}

/* Names that kprobes may have, and some that become equal once they are cleaned. */
static const struct ctrace_field named[] = {
	{ "event", CTRACE_FK_UINT, 0, 1 },
	{ "x", CTRACE_FK_SEQ, 0, 2 },
	{ "x_length", CTRACE_FK_UINT, 0, 1 },
	{ "y_length", CTRACE_FK_UINT, 0, 1 },
	{ "y", CTRACE_FK_SEQ, 0, 1 },
	{ "a.b", CTRACE_FK_UINT, 0, 1 },
	{ "a-b_5", CTRACE_FK_UINT, 0, 1 },
	{ "a-b", CTRACE_FK_UINT, 0, 1 },
	{ "a_b", CTRACE_FK_UINT, 0, 1 },
	{ "+0(%si)", CTRACE_FK_UINT, 0, 1 },
	{ "1st", CTRACE_FK_UINT, 0, 1 },
};

static void put_named(struct buf *b)
{
	const uint32_t one = 1;
	const uint16_t x = 71;
	const char y = 72;
	uint8_t n;

	begin(b, FIRST_NAMED, 1000000);
	for (n = 0; n < sizeof(named) / sizeof(named[0]); n++) {
		if (named[n].kind != CTRACE_FK_SEQ) {
			put(b, &n, 1, 1);
			continue;
		}
		put(b, &one, 4, 4);
		if (named[n].size == 2)
			put(b, &x, 2, 2);
		else
			put(b, &y, 1, 1);
	}
	end(b);
}

static void write_trace(void)
{
	const struct ctrace_event_type odd = {
		.id = FIRST_NAMED, .name = "p/do_it.isra.0+0x10 \"q\" \\ ", .system = "kprobes",
		.nfields = sizeof(named) / sizeof(named[0]), .fields = named,
	};
	struct ctrace_schema *schema = ctrace_schema_new();
	struct ctrace_ctf_env env = { 0 };
	uint64_t seq = 0;
	uint32_t i, count;
	struct shape s;
	struct buf b;
	FILE *f;

	for (i = 0; shape(i, &s); i++)
		add_shape(schema, i, &s);
	check_eq(ctrace_schema_add(schema, &odd, sizeof(odd)), 0);
	write_metadata(schema, &env);
	f = create(STREAM);
	for (i = 0; shape(i, &s); i++) {
		for (count = 0; count < COUNTS; count++) {
			b.len = 0;
			put_shape(&b, i, &s, count);
			check_values(schema, &b, &s, count);
			write_packet(f, schema, &b, seq++, 0);
		}
	}
	b.len = 0;
	put_named(&b);
	write_packet(f, schema, &b, seq++, 0);
	fclose(f);
	ctrace_schema_free(schema);
}

static void setup(void)
{
	if (check(mkdtemp(dir)))
		write_trace();
}

static char *text, *rest;	/* babeltrace2's output, and the part that was not judged yet */

/* The next line, from the event's name on: after "(+0.000000001) ". */
static const char *next_line(void)
{
	char *line = strtok_r(NULL, "\n", &rest);
	char *at = line ? strstr(line, ") ") : NULL;

	return at ? at + 2 : line ? line : "";
}

static void sequences(void)
{
	char want[512];
	uint32_t i, count;
	struct shape s;

	if (!have_babeltrace())
		return;
	text = read_trace("");
	rest = text;
	for (i = 0; shape(i, &s); i++)
		for (count = 0; count < COUNTS; count++) {
			expect(want, sizeof(want), &s, count);
			check_str(next_line(), want);
		}
}

static void names(void)
{
	static const char want[] =
		"p/do_it.isra.0+0x10 \"q\" \\ : { cpu_id = 1, ring_cid = 7 }, "
		"{ cid = 7, tid = 1234, vtid = 1 }, { event = 0, x_length = 1, x = [ [0] = 71 ], "
		"x_length_2 = 2, y_length = 3, y_4_length = 1, y_4 = [ [0] = 72 ], a_b = 5, "
		"a_b_5 = 6, a_b_7 = 7, a_b_8 = 8, _0__si_ = 9, 1st = 10 }";

	if (!have_babeltrace())
		return;
	check_str(next_line(), want);
	check_str(next_line(), "");
	free(text);
}

static const struct ktap_case cases[] = {
	{ "a trace is written and decoded", setup },
	{ "babeltrace2 finds every element of every sequence", sequences },
	{ "names that are none in C", names },
	{ "clean up", clean_up },
};
KTAP_MAIN(cases)
