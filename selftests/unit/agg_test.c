// SPDX-License-Identifier: GPL-2.0-only
/*
 * Aggregates: the module's own parser, and what it makes of a payload. Each payload lies in an allocation of exactly its
 * length, so that the address sanitizer sees any read beyond it.
 */
#include "agg_module.h"
#include "ktap.h"

static const struct ctrace_field_desc fields[] = {
	{ "u8", CTRACE_FK_UINT, 0, 1 },		/* 0 */
	{ "i16", CTRACE_FK_INT, 0, 2 },		/* 2 */
	{ "name", CTRACE_FK_TEXT, 0, 16 },	/* 4 */
	{ "long_name", CTRACE_FK_TEXT, 0, 40 },	/* 20 */
	{ "i64", CTRACE_FK_INT, 0, 8 },		/* 64 */
	{ "u64", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 },	/* 72 */
	{ "ret", CTRACE_FK_INT, CTRACE_FD_DEFAULT, 8 },	/* 80 */
	{ "path", CTRACE_FK_STRING, 0, 0 },	/* 88 */
	{ "uservaddr_data", CTRACE_FK_SEQ, CTRACE_FD_SOCKADDR, 1 },	/* 100: count at 96 */
	{ "tid", CTRACE_FK_INT, 0, 4 },		/* 116 */
};
#define NFIELDS	ARRAY_SIZE(fields)
#define LEN	120

static const struct ctrace_expr_ctx task = {
	.comm = "nginx", .tid = 4711, .vtid = 7, .pid = 4700, .uid = 1000, .gid = 0xfffffffe, .cid = 3, .cpu = 1,
};
static const struct ctrace_expr_ctx no_task = { .comm = "", .uid = CTRACE_EXPR_NO_ID, .gid = CTRACE_EXPR_NO_ID };

static void put(char *b, u32 at, u64 v, u32 size)
{
	memcpy(b + at, &v, size);	/* of a little-endian host, like the other tests here */
}

static void build(char *b)
{
	memset(b, 0xaa, LEN);
	put(b, 0, 200, 1);
	put(b, 2, (u64)-300, 2);
	memcpy(b + 4, "sixteen bytes ok", 16);
	memset(b + 20, 0, 40);
	memcpy(b + 20, "a name that has thirty-nine characters.", 39);
	put(b, 64, 1ull << 63, 8);
	put(b, 72, ~0ull, 8);
	put(b, 80, (u64)-13, 8);
	memcpy(b + 88, "/etc/x", 7);
	put(b, 96, 16, 4);
	memset(b + 100, 0, 16);
	put(b, 100, 2, 2);
	put(b, 102, 0x5000, 2);		/* port 80 */
	put(b, 116, 42, 4);
}

static struct ctrace_agg *compile(const char *text, bool call)
{
	char why[192] = "";
	struct ctrace_agg *a = NULL;

	if (ctrace_agg_new(text, fields, NFIELDS, call, &a, why, sizeof(why)))
		ktap_fail(__FILE__, __LINE__, "%s: %s", text, why);
	return a;
}

/* Fills key for a payload of len bytes. */
static void key_of(const struct ctrace_agg *a, u32 len, const struct ctrace_expr_ctx *x, u64 *key)
{
	char whole[LEN], *exact = malloc(len ? len : 1);
	struct ctrace_walk w;

	build(whole);
	memcpy(exact, whole, len);
	memset(key, 0x55, CTRACE_TABLE_KEY_WORDS * sizeof(*key));
	ctrace_walk_begin(&w, &a->fields, exact, len);
	ctrace_agg_key(a, &w, x, 777, key);
	free(exact);
}

static void expect_key(const char *text, u64 expected, u32 len, const struct ctrace_expr_ctx *x)
{
	u64 key[CTRACE_TABLE_KEY_WORDS];
	struct ctrace_agg *a;
	char whole[64];

	snprintf(whole, sizeof(whole), "count() by %s", text);
	a = compile(whole, true);
	if (!a)
		return;
	key_of(a, len, x, key);
	check(key[0] == 0x5555555555555555ull && key[a->key_words] == 0x5555555555555555ull);
	if (a->key_words != 2 || key[1] != expected)
		ktap_fail(__FILE__, __LINE__, "%s of %u bytes: expected %lld, seen %lld", text, len, (long long)expected,
			  (long long)key[1]);
	ctrace_agg_free(a);
}

static void number_keys(void)
{
	static const struct {
		const char *text;
		u64 is, none;	/* none: the payload has no byte */
	} t[] = {
		{ "u8", 200, 0 }, { "u8/3", 66, 0 }, { "u8/0x10", 12, 0 }, { "u8/256", 0, 0 }, { "u8&0xf0", 192, 0 }, { "u8&010", 8, 0 },
		/* towards 0 */
		{ "i16", -300, 0 }, { "i16/7", -42, 0 }, { "i16/256", -1, 0 }, { "i16/1024", 0, 0 }, { "i16/1", -300, 0 },
		{ "i16&255", 0xd4, 0 }, { "i64", 1ull << 63, 0 }, { "i64/2", -(1ll << 62), 0 }, { "i64/3", -3074457345618258602ll, 0 },
		{ "i64/9223372036854775808", -1, 0 }, { "i64/18446744073709551615", 0, 0 },
		{ "u64", ~0ull, 0 }, { "u64/2", ~0ull >> 1, 0 }, { "u64/18446744073709551615", 1, 0 }, { "u64/10", 1844674407370955161ull, 0 },
		{ "log2(u8)", 8, 0 }, { "log2(i16)", 0, 0 }, { "log2(i64)", 0, 0 }, { "log2(u64)", 64, 0 },
		{ "log2(ret)", 0, 0 }, { "ret", -13, 0 }, { "errno", 13, 0 }, { "syscall", 777, 777 },
		{ "addr.port", 80, 0 }, { "addr.family", 2, 0 }, { "uservaddr.port/10", 8, 0 },
		/* a field first, then a word */
		{ "tid", 42, 0 }, { "$tid", 4711, 4711 }, { "vtid", 7, 7 }, { "pid", 4700, 4700 }, { "uid", 1000, 1000 },
		{ "$uid/1000", 1, 1 }, { "gid", 0xfffffffe, 0xfffffffe }, { "cpu", 1, 1 }, { "stack", 0, 0 }, { "ustack", 0, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		expect_key(t[i].text, t[i].is, LEN, &task);
		expect_key(t[i].text, t[i].none, 0, &task);
	}
	expect_key("uid", 0, LEN, &no_task);
	expect_key("gid/2", 0, LEN, &no_task);
	/* cut within the field, or before it */
	expect_key("i64", 0, 71, &task);
	expect_key("i64", 1ull << 63, 72, &task);
	expect_key("errno", 0, 87, &task);
	expect_key("tid", 0, 119, &task);
	expect_key("addr.port", 0, 115, &task);
}

/* What an operation of io_uring returns is a signed number of 32 bits. An address is no error. */
static void errno_without_call(void)
{
	static const struct ctrace_field_desc op[] = {
		{ "ret", CTRACE_FK_INT, 0, 4 }, { "opcode", CTRACE_FK_UINT, 0, 4 },
	};
	static const struct ctrace_field_desc none[] = { { "ret", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 } };
	static const s32 payloads[][2] = { { -2, 18 }, { 4096, 22 }, { 0, 3 } };
	static const u64 is[] = { 2, 0, 0 };
	u64 key[CTRACE_TABLE_KEY_WORDS];
	struct ctrace_agg *a = NULL;
	struct ctrace_walk w;
	char why[192] = "";

	check_eq(ctrace_agg_new("count() by opcode, errno", op, 2, false, &a, why, sizeof(why)), 0);
	for (size_t i = 0; a && i < ARRAY_SIZE(payloads); i++) {
		ctrace_walk_begin(&w, &a->fields, payloads[i], 8);
		ctrace_agg_key(a, &w, &task, 777, key);
		check_eq(key[1], (u64)payloads[i][1]);
		check_eq(key[2], is[i]);
	}
	if (a)
		ctrace_agg_free(a);
	check_eq(ctrace_agg_new("count() by errno", none, 1, false, &a, why, sizeof(why)), -EINVAL);
	check(strstr(why, "'errno' is a key of whole calls alone (calls, call:NAME) and of events with a "));
}

/* The number of a span of the scheduler, whose fields are so named. */
static void key_that_is_a_field(void)
{
	static const struct ctrace_field_desc span[] = { { "syscall", CTRACE_FK_INT, 0, 4 } };
	static const s32 payload[2] = { -1 };
	u64 key[CTRACE_TABLE_KEY_WORDS];
	struct ctrace_agg *a = NULL;
	struct ctrace_walk w;
	char why[192] = "";

	check_eq(ctrace_agg_new("count() by syscall", span, 1, false, &a, why, sizeof(why)), 0);
	if (!a)
		return;
	check_eq(a->key_names[0].kind, CTRACE_TABLE_KEY_NUMBER);
	ctrace_walk_begin(&w, &a->fields, payload, 4);
	ctrace_agg_key(a, &w, &task, 777, key);
	check_eq(key[1], ~0ull);
	ctrace_agg_free(a);
}

/* What a call returns is an error from -4095 to -1, and else a number such as an address. */
static void errnos(void)
{
	static const s64 rets[] = { 0, 1, -1, -4095, -4096, INT64_MIN, INT64_MAX };
	static const u64 is[] = { 0, 0, 1, 4095, 0, 0, 0 };
	struct ctrace_agg *a = compile("count() by errno", true);
	u64 key[CTRACE_TABLE_KEY_WORDS];
	struct ctrace_walk w;
	char payload[LEN];
	size_t i;

	for (i = 0; a && i < ARRAY_SIZE(rets); i++) {
		build(payload);
		put(payload, 80, (u64)rets[i], 8);
		ctrace_walk_begin(&w, &a->fields, payload, LEN);
		ctrace_agg_key(a, &w, &task, 0, key);
		check_eq(key[1], is[i]);
	}
	ctrace_agg_free(a);
}

static void log2_of_all(void)
{
	struct ctrace_agg_column c = { .op = CTRACE_AGG_LOG2 };
	u32 k;

	check_eq(log2_of(&c, 0), 0);
	check_eq(log2_of(&c, 1), 0);
	for (k = 1; k < 64; k++) {
		check_eq(log2_of(&c, 1ull << k), k);
		check_eq(log2_of(&c, (1ull << k) + 1), k + 1);
	}
	c.is_signed = true;
	check_eq(log2_of(&c, 1ull << 63), 0);
	check_eq(log2_of(&c, ~0ull >> 1), 63);
}

static void expect_text(const char *text, const char *is, u32 words, u32 len, const struct ctrace_expr_ctx *x)
{
	u64 key[CTRACE_TABLE_KEY_WORDS];
	struct ctrace_agg *a;
	char whole[64], seen[64] = "", expected[64] = "";

	snprintf(whole, sizeof(whole), "count() by %s", text);
	a = compile(whole, false);
	if (!a)
		return;
	key_of(a, len, x, key);
	check_eq(a->keys[0].kind, CTRACE_TABLE_KEY_TEXT);
	check_eq(a->key_words, 1 + words);
	memcpy(seen, key + 1, words * sizeof(u64));
	strncpy(expected, is, words * sizeof(u64));
	/* all of it: equal texts are equal words */
	if (memcmp(seen, expected, sizeof(seen)))
		ktap_fail(__FILE__, __LINE__, "%s: expected '%s', seen '%s'", text, expected, seen);
	check(key[1 + words] == 0x5555555555555555ull);
	ctrace_agg_free(a);
}

/* A field of the longest size is whole: names that begin alike are two keys. */
static void longest_key(void)
{
	static const struct ctrace_field_desc field = { "function", CTRACE_FK_TEXT, 0, CTRACE_TABLE_TEXT_MAX };
	char *payload = calloc(1, CTRACE_TABLE_TEXT_MAX), why[256];
	u64 key[CTRACE_TABLE_KEY_WORDS];
	struct ctrace_walk w;
	struct ctrace_agg *a;

	memset(payload, 'x', CTRACE_TABLE_TEXT_MAX - 1);
	if (!check_eq(ctrace_agg_new("count() by function, $comm", &field, 1, false, &a, why, sizeof(why)), 0))
		goto free;
	check_eq(a->key_words, 1 + CTRACE_TABLE_TEXT_MAX / 8 + 2);
	ctrace_walk_begin(&w, &a->fields, payload, CTRACE_TABLE_TEXT_MAX);
	ctrace_agg_key(a, &w, &task, 0, key);
	check(!memcmp(key + 1, payload, CTRACE_TABLE_TEXT_MAX));
	ctrace_agg_free(a);
free:
	free(payload);
}

static void text_keys(void)
{
	expect_text("comm", "nginx", 2, LEN, &task);
	expect_text("$comm", "", 2, LEN, &no_task);
	expect_text("name", "sixteen bytes ok", 2, LEN, &task);
	expect_text("name", "", 2, 19, &task);
	expect_text("long_name", "a name that has thirty-nine characters.", 4, LEN, &task);
	expect_text("path", "/etc/x", 4, LEN, &task);
	expect_text("path", "/et", 4, 91, &task);
	expect_text("path", "", 4, 88, &task);
}

static void values(void)
{
	static const struct {
		const char *text;
		u64 is;
		u8 fn, words;
		bool is_signed;
	} t[] = {
		{ "sum(u8)", 200, CTRACE_TABLE_SUM, 1, false }, { "min(i16)", -300, CTRACE_TABLE_MIN, 1, true },
		{ "max(i64)", 1ull << 63, CTRACE_TABLE_MAX, 1, true }, { "avg(u64)", ~0ull, CTRACE_TABLE_AVG, 2, false },
		{ "hist(ret)", -13, CTRACE_TABLE_HIST, CTRACE_TABLE_BUCKETS, true }, { "sum(addr.port)", 80, CTRACE_TABLE_SUM, 1, false },
		{ "sum( tid )", 42, CTRACE_TABLE_SUM, 1, true },
	};
	char payload[LEN];
	struct ctrace_walk w;
	struct ctrace_agg *a;
	u32 from = 0;
	size_t i;
	u64 v;

	build(payload);
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		a = compile(t[i].text, false);
		if (!a)
			continue;
		check_eq(a->nvalues, 1);
		check_eq(a->value_words, t[i].words);
		check_eq(a->values[0].kind, t[i].fn);
		check_eq(a->values[0].is_signed, t[i].is_signed);
		check_str(a->value_names[0].name, t[i].text);
		ctrace_walk_begin(&w, &a->fields, payload, LEN);
		v = 0;
		check(ctrace_agg_value(&a->values[0], &w, &v));
		check_eq(v, t[i].is);
		ctrace_walk_begin(&w, &a->fields, payload, 0);
		check(!ctrace_agg_value(&a->values[0], &w, &v));
		ctrace_agg_free(a);
	}
	a = compile("count(), hist(u8), avg(tid), sum(ret) by name, u8/4,container , log2( tid )", false);
	if (!a)
		return;
	for (i = 0; i < a->nvalues; i++) {
		check_eq(a->values[i].from, from);
		check_eq(a->value_names[i].at, from);
		from += a->values[i].words;
	}
	check_eq(a->nvalues, 4);
	check_eq(a->value_words, from);
	check_eq(a->nkeys, 3);
	check_eq(a->key_words, 1 + 2 + 1 + 1);
	check_eq(a->keys[2].at, 4);
	check_str(a->key_names[1].name, "u8/4");
	check_str(a->key_names[2].name, "log2( tid )");
	ctrace_agg_free(a);
	a = compile("count() by container", false);
	check(a && !a->nkeys && a->key_words == 1 && !a->words);
	ctrace_agg_free(a);
}

static void names(void)
{
	char long_text[200];
	struct ctrace_agg *a;

	snprintf(long_text, sizeof(long_text), "sum(%60su8)", "");
	a = compile(long_text, false);
	check(a && strlen(a->value_names[0].name) == sizeof(a->value_names[0].name) - 1);
	ctrace_agg_free(a);
	a = compile("count() by u64, errno", true);
	check(a && a->key_names[0].display == CTRACE_FD_HEX && a->key_names[1].kind == CTRACE_TABLE_KEY_ERRNO);
	ctrace_agg_free(a);
}

static void wrong(const char *text, bool call, const char *words)
{
	struct ctrace_agg *a = NULL;
	char why[192] = "";
	int err = ctrace_agg_new(text, fields, NFIELDS, call, &a, why, sizeof(why));

	if (err != -EINVAL || strncmp(why, "aggregate", 9) || !strstr(why, words))
		ktap_fail(__FILE__, __LINE__, "'%s': expected '%s', seen %d '%s'", text, words, err, why);
	if (!err)
		ctrace_agg_free(a);
}

static void mistakes(void)
{
	static char longest[CTRACE_TEXT_MAX + 1];

	wrong("", false, "column 1: expected one of count() sum(FIELD)");
	wrong("by u8", false, "column 1: expected one of count()");
	wrong("total(u8)", false, "column 1: expected one of count() sum(FIELD) min(FIELD) max(FIELD) avg(FIELD) hist(FIELD), not 'total'");
	wrong("count", false, "column 6: expected '(', not the end");
	wrong("count(u8)", false, "column 7: expected ')', not 'u8'");
	wrong("sum()", false, "column 5: expected a field that is a number, not ')'");
	wrong("sum($tid)", false, "column 5: expected a field that is a number, not '$tid'");
	wrong("sum(1)", false, "column 5: expected a field that is a number, not '1'");
	wrong("sum(name)", false, "column 5: 'name' is a string, not a number");
	wrong("sum(uservaddr_data)", false, "column 5: 'uservaddr_data' is a list");
	wrong("sum(colour)", false, "column 5: no field 'colour': the event has u8, i16, name");
	wrong("sum(u8", false, "column 7: expected ')', not the end");
	wrong("sum(u8/2)", false, "column 7: expected ')', not '/'");
	wrong("count() of u8", false, "column 9: expected ',' or 'by', not 'of'");
	wrong("count(),", false, "column 9: expected one of");
	wrong("count() by", false, "column 11: expected a key: a field, a $word, stack, ustack, syscall or errno, not the end");
	wrong("count() by 7", false, "column 12: expected a key");
	wrong("count() by colour", false, "column 12: no field 'colour'");
	wrong("count() by $colour", false, "column 12: unknown word '$colour': use one of $comm");
	wrong("count() by u8/0", false, "column 15: expected a number above 0, not '0'");
	wrong("count() by u8/-1", false, "column 15: expected a number above 0, not '-1'");
	wrong("count() by u8/x", false, "column 15: expected a number above 0, not 'x'");
	wrong("count() by u64/18446744073709551616", false, "column 16: '18446744073709551616' does not fit in 64 bits");
	wrong("count() by u8&0", false, "column 15: expected a number above 0");
	wrong("count() by name/2", false, "column 16: expected ',', not '/'");
	wrong("count() by log2(name)", false, "column 17: 'name' is a string");
	wrong("count() by log2 u8", false, "column 17: expected '(', not 'u8'");
	wrong("count() by u8 i16", false, "column 15: expected ',', not 'i16'");
	wrong("count() by syscall", false, "column 12: 'syscall' is a key of whole calls alone (calls, call:NAME)");
	wrong("count() by u8, i16, i64, u64, tid, pid, cpu", false, "column 41: too many keys: at most 6 are allowed beside the container");
	wrong("count(), count(), count(), count(), count(), count(), count(), count(), sum(u8)", false,
	      "column 73: too many functions: at most 8");
	wrong("count() && u8", false, "column 9: expected ',' or 'by', not '&&'");
	memset(longest, ' ', CTRACE_TEXT_MAX);
	memcpy(longest, "count()", 7);
	wrong(longest, false, "longer than 1023 bytes");
	longest[CTRACE_TEXT_MAX - 1] = 0;
	ctrace_agg_free(compile(longest, false));
	/* a filter has no lists */
	{
		struct ctrace_expr *e;
		char why[192];

		check_eq(ctrace_expr_new("u8 == 1, i16 == 2", fields, NFIELDS, &e, why, sizeof(why)), -EINVAL);
		check(strstr(why, "filter, column 8: unknown character ','") != NULL);
	}
}

/* What the key is of a payload cut at each byte: never a byte of what is behind it, as the sanitizer sees. */
static void cut(void)
{
	struct ctrace_agg *a = compile("count() by name, path, addr.port, tid", false);
	u64 key[CTRACE_TABLE_KEY_WORDS];
	u32 len;

	for (len = 0; a && len <= LEN; len++) {
		key_of(a, len, &task, key);
		check_eq(key[a->keys[3].at], len == LEN ? 42 : 0);
		check_eq(key[a->keys[2].at], len >= 116 ? 80 : 0);
	}
	ctrace_agg_free(a);
}

static const struct ktap_case cases[] = {
	{ "keys that are numbers", number_keys }, { "errnos", errnos },
	{ "errno without a call", errno_without_call },
	{ "log2 of all", log2_of_all }, { "keys that are texts", text_keys },
	{ "the longest text", longest_key },
	{ "values", values }, { "names", names }, { "mistakes", mistakes }, { "cut", cut },
	{ "a key that is a field", key_that_is_a_field },
};

KTAP_MAIN(cases)
