// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filter expressions: the module's own code. Each payload lies in an allocation of exactly its
 * length, so that the address sanitizer sees any read beyond it.
 */
#include "expr_module.h"
#include "ktap.h"

static const struct ctrace_field_desc fields[] = {
	{ "u8", CTRACE_FK_UINT, 0, 1 },		/* 0 */
	{ "i16", CTRACE_FK_INT, 0, 2 },		/* 2 */
	{ "name", CTRACE_FK_TEXT, 0, 6 },		/* 4 */
	{ "i32", CTRACE_FK_INT, 0, 4 },		/* 12 */
	{ "i64", CTRACE_FK_INT, 0, 8 },		/* 16 */
	{ "u64", CTRACE_FK_UINT, 0, 8 },		/* 24 */
	{ "hex", CTRACE_FK_UINT, CTRACE_FD_HEX, 4 },		/* 32 */
	{ "path", CTRACE_FK_STRING, 0, 0 },	/* 36 */
	{ "list", CTRACE_FK_SEQ, 0, 8 },		/* 48: count at 44 */
	{ "tail", CTRACE_FK_INT, 0, 2 },		/* 64 */
	{ "last", CTRACE_FK_STRING, 0, 0 },	/* 66 */
	{ "tid", CTRACE_FK_INT, 0, 4 },		/* 72 */
};
#define NFIELDS	ARRAY_SIZE(fields)
#define LEN	76

static const struct ctrace_expr_ctx task = {
	.comm = "nginx", .tid = 4711, .vtid = 7, .pid = 4700, .uid = 1000, .gid = 0xfffffffe,
	.cid = 3, .cpu = 1,
};
static const struct ctrace_expr_ctx odd_name = { .comm = "a\xf8\xff" };
static const struct ctrace_expr_ctx no_task = {
	.comm = "", .uid = CTRACE_EXPR_NO_ID, .gid = CTRACE_EXPR_NO_ID, .cpu = 2,
};

static void put(char *b, u32 at, u64 v, u32 size)
{
	memcpy(b + at, &v, size);	/* of a little-endian host, like the other tests here */
}

static void build(char *b)
{
	memset(b, 0xaa, LEN);		/* alignment gaps hold anything */
	put(b, 0, 200, 1);
	put(b, 2, -2, 2);
	memcpy(b + 4, "ab\0zzz", 6);
	put(b, 12, -1, 4);
	put(b, 16, 1ull << 63, 8);
	put(b, 24, ~0ull, 8);
	put(b, 32, 0xdeadbeef, 4);
	memcpy(b + 36, "/etc/x", 7);
	put(b, 44, 2, 4);
	put(b, 48, 7, 8);
	put(b, 56, 9, 8);
	put(b, 64, -300, 2);
	memcpy(b + 66, "q\"\\", 4);
	put(b, 72, 42, 4);
}

/* Returns 1 or 0; -1 if the text does not compile, with the reason in `why`. */
static int run(const char *text, u32 len, const struct ctrace_expr_ctx *x, char *why)
{
	char *payload = malloc(LEN), *exact = malloc(len ? len : 1);
	struct ctrace_expr *e;
	int ret = -1;

	build(payload);
	memcpy(exact, payload, len);
	if (!ctrace_expr_new(text, fields, NFIELDS, &e, why, 192)) {
		ret = ctrace_expr_match(e, exact, len, x);
		ctrace_expr_free(e);
	}
	free(payload);
	free(exact);
	return ret;
}

static void expect(const char *text, bool is, u32 len, const struct ctrace_expr_ctx *x)
{
	char why[CTRACE_WHY_MAX] = "";
	int ret = run(text, len, x, why);

	if (ret != is)
		ktap_fail(__FILE__, __LINE__, "%s (%u bytes): expected %d, seen %d %s", text, len, is, ret, why);
}

struct truth {
	const char *text;
	bool is;
};
#define TRUTHS(t, len, x) do {						\
	for (size_t i = 0; i < ARRAY_SIZE(t); i++)			\
		expect((t)[i].text, (t)[i].is, len, x);			\
} while (0)

static void numbers(void)
{
	static const struct truth t[] = {
		{ "u8 == 200", 1 }, { "u8==0xC8", 1 }, { "u8 == 0310", 1 }, { "u8 != 200", 0 },
		{ "u8 < 201", 1 }, { "u8 < 200", 0 }, { "u8 <= 200", 1 }, { "u8 > 199", 1 },
		{ "u8 >= 201", 0 }, { "u8 > 200", 0 }, { "u8 & 8", 1 }, { "u8 & 0x37", 0 }, { "u8 & 0", 0 },
		{ "i16 == -2", 1 }, { "i16 < 0", 1 }, { "i16 < -2", 0 }, { "i16 > -3", 1 }, { "i16 >= 0", 0 },
		{ "i16 <= 32767", 1 }, { "i16 >= -32768", 1 }, { "i16 & 0xfffe", 1 }, { "i16 & 1", 0 },
		{ "i16 & -1", 1 }, { "i32 == -1", 1 }, { "i32 < 1", 1 }, { "i32 & 0xffffffff", 1 },
		{ "i64 == -9223372036854775808", 1 }, { "i64 < 9223372036854775807", 1 },
		{ "i64 < -9223372036854775807", 1 }, { "i64 & 0x8000000000000000", 1 },
		{ "u64 == 18446744073709551615", 1 }, { "u64 > 9223372036854775808", 1 }, { "u64 > 1", 1 },
		{ "hex == 0xdeadbeef", 1 }, { "hex == 3735928559", 1 }, { "hex & 0x10", 0 }, { "hex > 0x7fffffff", 1 },
		{ "tail == -300", 1 }, { "tail < -299", 1 }, { "tid == 42", 1 }, { "u8 == 200 ", 1 },
		{ "u8>-0", 1 }, { " \t\nu8\n==\t200", 1 },
	};

	TRUTHS(t, LEN, &task);
}

static void strings(void)
{
	static const struct truth t[] = {
		{ "name == \"ab\"", 1 }, { "name != \"ab\"", 0 }, { "name == \"a\"", 0 }, { "name == \"abz\"", 0 },
		{ "name == \"\"", 0 }, { "name != \"\"", 1 },
		{ "path == \"/etc/x\"", 1 }, { "path != \"/etc/y\"", 1 }, { "last == \"q\\\"\\\\\"", 1 },
		{ "path ~ \"/etc/*\"", 1 }, { "path ~ \"*\"", 1 }, { "path ~ \"/etc/?\"", 1 }, { "path ~ \"/etc/??\"", 0 },
		{ "path ~ \"/etc/x*\"", 1 }, { "path ~ \"*x\"", 1 }, { "path ~ \"*y\"", 0 }, { "path ~ \"*e*c*x\"", 1 },
		{ "path ~ \"*e*e*\"", 0 }, { "path ~ \"**/**\"", 1 }, { "path ~ \"/e[a-z]c/[!a-w]\"", 1 },
		{ "path ~ \"/e[!a-z]c/x\"", 0 }, { "path ~ \"?e[xyt]c*\"", 1 }, { "path ~ \"\"", 0 },
		{ "path !~ \"/etc/*\"", 0 }, { "path !~ \"/usr/*\"", 1 }, { "path ~ \"etc\"", 0 },
		{ "last ~ \"q[]\\\"]*\"", 1 }, { "last ~ \"q?[\\\\]\"", 1 }, { "last ~ \"q?[!-]\"", 1 },
		{ "name ~ \"[ab][a-b]\"", 1 }, { "name ~ \"ab*?\"", 0 }, { "name ~ \"a*b*\"", 1 },
		{ "name ~ \"*ab\"", 1 }, { "name ~ \"*aab\"", 0 },
	};
	/* bytes above ASCII */
	static const struct truth odd[] = {
		{ "$comm ~ \"[!b][!a][!a-z]\"", 1 }, { "$comm ~ \"?[\xf0-\xfe][\xff]\"", 1 },
		{ "$comm ~ \"a[!\xf8]?\"", 0 }, { "$comm ~ \"a*[!\xff]\"", 0 },
	};

	TRUTHS(t, LEN, &task);
	TRUTHS(odd, LEN, &odd_name);
}

static void joined(void)
{
	/* T and F are i16 == -2 and i16 == 2 */
	static const struct truth t[] = {
		{ "T && T", 1 }, { "T && F", 0 }, { "F && T", 0 }, { "F || T", 1 }, { "T || F", 1 }, { "F || F", 0 },
		{ "!T", 0 }, { "!F", 1 }, { "!!T", 1 }, { "!!!T", 0 }, { "! ! F", 0 },
		{ "T || T && F", 1 }, { "(T || T) && F", 0 }, { "F && T || T", 1 }, { "F && (T || T)", 0 },
		{ "!F && T", 1 }, { "!(F && T)", 1 }, { "!T || T", 1 }, { "!(T || F)", 0 }, { "!(!(T))", 1 },
		{ "((T))", 1 }, { "T&&(F||!(F||F&&T))", 1 }, { "!(T && !(F || T)) && T", 1 },
		{ "F || F || T && T && !F", 1 }, { "T && T && F || F", 0 }, { "!(!T && !F) && !(F)", 1 },
	};
	char text[512];

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		char *to = text;

		for (const char *s = t[i].text; *s; s++)
			to += sprintf(to, *s == 'T' ? "i16 == -2" : *s == 'F' ? "i16 == 2" : "%c", *s);
		expect(text, t[i].is, LEN, &task);
	}
}

static void whose(void)
{
	static const struct truth t[] = {
		{ "$comm == \"nginx\"", 1 }, { "$comm ~ \"ng*\"", 1 }, { "$comm !~ \"ng*\"", 0 }, { "$tid == 4711", 1 },
		{ "$vtid == 7 && $pid == 4700", 1 }, { "$uid == 1000", 1 }, { "$uid != 1000", 0 },
		{ "$gid == 4294967294", 1 }, { "$gid > 5", 1 }, { "$cid == 3", 1 }, { "$cpu != 1", 0 },
		{ "tid == 42 && $tid == 4711", 1 }, { "$cid & 2", 1 },
	};
	static const struct truth none[] = {
		{ "$comm == \"\"", 1 }, { "$comm != \"nginx\"", 1 }, { "$tid == 0", 1 }, { "$pid > 0", 0 },
		{ "$uid == 0", 0 }, { "$uid != 0", 0 }, { "$gid >= 0", 0 }, { "!($uid == 0)", 1 },
		{ "$uid == 4294967295", 0 }, { "$cpu == 2", 1 }, { "$cid == 0", 1 },
	};
	char full[CTRACE_COMM_LEN];
	struct ctrace_expr_ctx x = task;

	TRUTHS(t, LEN, &task);
	TRUTHS(none, LEN, &no_task);
	/* A name that is just being written may have no NUL for a moment. */
	memset(full, 'x', sizeof(full));
	x.comm = full;
	expect("$comm ~ \"xxx*\"", true, LEN, &x);
}

/* Which have one answer for all events of a task; and which of these are the same. */
static void of_task(void)
{
	static const char *const texts[] = {
		"$tid == 1", "$pid == 1", "$tid == 2", "$tid != 1", "$tid == 1 && $cid == 2", "$tid == 1 || $cid == 2",
		"!($vtid == 1)", "$pid & 1", /* these are not: */ "$cpu == 1", "$uid == 1", "$gid == 1", "$comm == \"a\"", "tid == 1",
		"$tid == 1 && u8 == 1", "u8 == 1 || $tid == 1",
	};
	struct ctrace_expr *e[ARRAY_SIZE(texts)], *again;
	char why[CTRACE_WHY_MAX] = "";
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		check(!ctrace_expr_new(texts[i], fields, NFIELDS, &e[i], why, sizeof(why)));
		if (ctrace_expr_of_task(e[i]) != (i < 8))
			ktap_fail(__FILE__, __LINE__, "%s", texts[i]);
	}
	for (i = 0; i < 8; i++) {
		check(!ctrace_expr_new(texts[i], NULL, 0, &again, why, sizeof(why)));
		for (j = 0; j < 8; j++)
			if (ctrace_expr_same(again, e[j]) != (i == j))
				ktap_fail(__FILE__, __LINE__, "%s and %s", texts[i], texts[j]);
		ctrace_expr_free(again);
	}
	for (i = 0; i < ARRAY_SIZE(texts); i++)
		ctrace_expr_free(e[i]);
}

static void least(void)
{
	static const struct { const char *text; u64 is; } t[] = {
		{ "u64 >= 7", 7 }, { "u64 > 7", 7 }, { "u64 >= 7 && u8 == 1", 7 }, { "$tid == 1 && u8 != 2 && u64 >= 7", 7 },
		{ "u64 >= 7 && u64 >= 9", 7 }, { "(u8 == 1 || u8 == 2) && u64 >= 7", 0 }, { "u64 >= 7 || u8 == 1", 0 },
		{ "name == \"a\" && u64 >= 7", 0 }, { "!(u64 >= 7)", 0 }, { "u64 < 7", 0 }, { "u64 == 7", 0 }, { "u8 >= 7", 0 },
		{ "!(u8 == 1) && u64 >= 7", 0 }, { "u64 >= 7 && name == \"a\"", 7 },
	};
	char why[CTRACE_WHY_MAX] = "";
	struct ctrace_expr *e;

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		check(!ctrace_expr_new(t[i].text, fields, NFIELDS, &e, why, sizeof(why)));
		if (ctrace_expr_least(e, 5) != t[i].is)
			ktap_fail(__FILE__, __LINE__, "%s", t[i].text);
		ctrace_expr_free(e);
	}
}

/* The same with a field that is missing; and it is said, if the result hangs on it. */
static void missing(void)
{
	bool undecided;
	struct ctrace_expr_ctx x = task;
	static const struct { const char *text; bool is, asked; } t[] = {
		{ "u8 == 0 || u8 != 0", true, false }, { "name == \"x\"", false, true }, { "name != \"x\"", false, true },
		{ "name !~ \"x*\"", false, true }, { "u8 >= 0 || name == \"x\"", true, false },
		{ "u8 < 0 && name == \"x\"", false, false }, { "name == \"x\" || u8 >= 0", true, true },
	};

	x.undecided = &undecided;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (!strcmp(fields[i].name, "name"))
			x.missing = 1u << i;
	check(x.missing);
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		undecided = false;
		expect(t[i].text, t[i].is, LEN, &x);
		check_eq(undecided, t[i].asked);
	}
}

/* A comparison with a field that was cut off is false, whatever the operator. Fields before the cut still
 * count. */
static void truncated(void)
{
	static const struct { const char *name; u32 end; const char *op; } f[] = {
		{ "u8", 1, ">= 0" }, { "i16", 4, "!= 5" }, { "name", 10, "!= \"x\"" }, { "i32", 16, "!= 5" },
		{ "i64", 24, "!= 5" }, { "u64", 32, "!= 5" }, { "hex", 36, "!= 5" },
		{ "tail", 66, "!= 5" }, { "tid", 76, "!= 5" },
	};
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(f); i++)
		for (u32 len = 0; len <= LEN; len++) {
			snprintf(text, sizeof(text), "%s %s", f[i].name, f[i].op);
			expect(text, len >= f[i].end, len, &task);
		}
	/* a string ends at the end of the payload, if not before */
	expect("path == \"/etc\"", true, 40, &task);
	expect("path ~ \"/e[t]\"", true, 39, &task);
	expect("path == \"/\"", true, 37, &task);
	expect("path == \"\"", false, 36, &task);
	expect("last ~ \"q*\"", true, 67, &task);
	expect("last ~ \"*\"", false, 63, &task);
}

/* Each kind of field behind a list that claims to be longer than the payload. */
static void hostile_counts(void)
{
	static const u32 counts[] = { 3, 4, 5, 0x10000000, 0x1fffffff, 0x20000000, 0x7fffffff, 0x80000000, 0xffffffff };
	char why[CTRACE_WHY_MAX], *b = malloc(LEN);
	struct ctrace_expr *e;

	if (!check(!ctrace_expr_new("tail != 1 || last != \"a\" || tid != 1", fields, NFIELDS, &e, why, 192)))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		build(b);
		memcpy(b + 44, &counts[i], 4);
		check_eq(ctrace_expr_match(e, b, LEN, &task), counts[i] == 3);	/* 48 + 24 = 72: tail is present */
	}
	ctrace_expr_free(e);
	free(b);
}

/* A string without an end counts with the greatest length that strings may have. */
static void long_string(void)
{
	static const struct ctrace_field_desc f[] = { { "s", CTRACE_FK_STRING, 0, 0 }, { "n", CTRACE_FK_UINT, 0, 1 } };
	char b[CTRACE_STR_MAX + 2], text[400], why[CTRACE_WHY_MAX], want[CTRACE_STR_MAX];
	struct ctrace_expr *e;

	memset(want, 'a', sizeof(want));
	want[CTRACE_STR_MAX - 1] = 0;
	snprintf(text, sizeof(text), "s == \"%s\" && n == 9", want);
	if (!check(!ctrace_expr_new(text, f, 2, &e, why, 192)))
		return;
	memset(b, 'a', sizeof(b));
	b[CTRACE_STR_MAX - 1] = 0;
	b[CTRACE_STR_MAX] = 9;
	check(ctrace_expr_match(e, b, sizeof(b), &task));
	b[CTRACE_STR_MAX - 1] = 'a';
	check(!ctrace_expr_match(e, b, sizeof(b), &task));
	ctrace_expr_free(e);
	if (!check(!ctrace_expr_new("n == 9", f, 2, &e, why, 192)))
		return;
	check(ctrace_expr_match(e, b, sizeof(b), &task));
	ctrace_expr_free(e);
}

struct wrong {
	const char *text, *why;
};

static void errors(void)
{
	static const struct wrong t[] = {
		{ "", "filter, column 1: expected a field, a $word, '!' or '(', not the end" },
		{ "  ", "filter, column 3: expected a field, a $word, '!' or '(', not the end" },
		{ "nope == 1", "filter, column 1: no field 'nope': the event has u8, i16, name, i32, i64, u64, hex, path, list, tail, last, tid" },
		{ "u8 == 1 && comm == \"x\"", "filter, column 12: no field 'comm' here (did you mean $comm?)" },
		{ "$user == 1", "filter, column 1: unknown word '$user': use one of $comm $tid $vtid $pid $uid $gid $cid $cpu" },
		{ "$ == 1", "filter, column 1: unknown word '$': use one of $comm $tid $vtid $pid $uid $gid $cid $cpu" },
		{ "list == 1", "filter, column 1: 'list' is a list, but only numbers and strings can be compared" },
		{ "u8", "filter, column 3: expected one of == != < <= > >= &, not the end" },
		{ "name 5", "filter, column 6: expected one of == != ~ !~, not '5'" },
		{ "u8 ==", "filter, column 6: expected a number, not the end" },
		{ "name ==", "filter, column 8: expected a \"string\", not the end" },
		{ "u8 == \"x\"", "filter, column 7: u8 is a number and cannot be compared with \"x\"" },
		{ "u8 == i16", "filter, column 7: u8 is a number and cannot be compared with 'i16'" },
		{ "name == 5", "filter, column 9: name is a string and cannot be compared with '5'" },
		{ "name == nginx", "filter, column 9: put quotes around a string: \"nginx\"" },
		{ "u8 ~ \"x\"", "filter, column 4: '~' is for strings, but u8 is a number: use == != < <= > >= &" },
		{ "$uid !~ \"x\"", "filter, column 6: '!~' is for strings, but $uid is a number: use == != < <= > >= &" },
		{ "name < \"x\"", "filter, column 6: '<' is for numbers, but name is a string: use == != ~ !~" },
		{ "name & 1", "filter, column 6: '&' is for numbers, but name is a string: use == != ~ !~" },
		{ "u8 = 1", "filter, column 4: use '==' (or '~' for a glob) instead of '='" },
		{ "u8 == 1 | i16 == 2", "filter, column 9: use '||' instead of '|'" },
		{ "u8 == 1 & i16 == 2", "filter, column 9: expected '&&' or '||', not '&'" },
		{ "u8 == 1 and i16 == 2", "filter, column 9: expected '&&' or '||', not 'and'" },
		{ "u8 == 1 i16 == 2", "filter, column 9: expected '&&' or '||', not 'i16'" },
		{ "u8 == 1 &&", "filter, column 11: expected a field, a $word, '!' or '(', not the end" },
		{ "u8 == 1 && || u8 == 2", "filter, column 12: expected a field, a $word, '!' or '(', not '||'" },
		{ "1 == u8", "filter, column 1: expected a field, a $word, '!' or '(', not '1'" },
		{ "!", "filter, column 2: expected a field, a $word, '!' or '(', not the end" },
		{ "(u8 == 1", "filter, column 1: '(' has no matching ')'" },
		{ "u8 == 1)", "filter, column 8: ')' has no matching '('" },
		{ "()", "filter, column 2: expected a field, a $word, '!' or '(', not ')'" },
		{ "name == 'x'", "filter, column 9: put double quotes around a string, not single ones" },
		{ "name == \"x", "filter, column 9: \"x has no closing quote" },
		{ "name == \"x\\", "filter, column 9: \"x\\ has no closing quote" },
		{ "name == \"a\\n\"", "filter, column 11: in a string, only \" or \\ may follow a \\" },
		{ "name ~ \"a[b\"", "filter, column 8: \"a[b\" has a '[' that begins no set like [a-z]: write [[] for a plain '['" },
		{ "name ~ \"[]\"", "filter, column 8: \"[]\" has a '[' that begins no set like [a-z]: write [[] for a plain '['" },
		{ "name ~ \"[z-a]\"", "filter, column 8: \"[z-a]\" has a '[' that begins no set like [a-z]: write [[] for a plain '['" },
		{ "name == \"toolong\"", "filter, column 9: \"toolong\" is longer than name, which holds at most 6 bytes" },
		{ "name ~ \"???????*\"", "filter, column 8: \"???????*\" is longer than name, which holds at most 6 bytes" },
		{ "$comm == \"abcdefghijklmnop\"", "filter, column 10: \"abcdefghijklmnop\" is longer than $comm, which holds at most 15 bytes" },
		{ "u8 == 256", "filter, column 7: '256' is out of range: u8 holds 0 to 255" },
		{ "u8 == -1", "filter, column 7: '-1' is out of range: u8 holds 0 to 255" },
		{ "u8 & 256", "filter, column 6: '256' is out of range: u8 holds 0 to 255" },
		{ "i16 < 32768", "filter, column 7: '32768' is out of range: i16 holds -32768 to 32767" },
		{ "i16 < -32769", "filter, column 7: '-32769' is out of range: i16 holds -32768 to 32767" },
		{ "i16 & -32769", "filter, column 7: '-32769' is out of range: i16 holds 0 to 65535" },
		{ "i32 == 0xffffffff", "filter, column 8: '0xffffffff' is out of range: i32 holds -2147483648 to 2147483647" },
		{ "i64 == 0xffffffffffffffff", "filter, column 8: '0xffffffffffffffff' is out of range: i64 holds -9223372036854775808 to 9223372036854775807" },
		{ "u64 == -1", "filter, column 8: '-1' is out of range: u64 holds 0 to 18446744073709551615" },
		{ "u64 == 18446744073709551616", "filter, column 8: '18446744073709551616' does not fit in 64 bits" },
		{ "$uid == -1", "filter, column 9: '-1' is out of range: $uid holds 0 to 4294967295" },
		{ "u8 == 12ab", "filter, column 7: '12ab' is not a number: write it like 10, -10, 0x1f or 0755" },
		{ "u8 == 0x", "filter, column 7: '0x' is not a number: write it like 10, -10, 0x1f or 0755" },
		{ "u8 == 08", "filter, column 7: '08' is not a number: write it like 10, -10, 0x1f or 0755" },
		{ "u8 == 0xfg", "filter, column 7: '0xfg' is not a number: write it like 10, -10, 0x1f or 0755" },
		{ "u8 == - 1", "filter, column 7: unknown character '-': use fields, $words, numbers, \"strings\" and == != < <= > >= & ~ !~ && || ! ( )" },
		{ "u8 == 1 ; i16 == 2", "filter, column 9: unknown character ';': use fields, $words, numbers, \"strings\" and == != < <= > >= & ~ !~ && || ! ( )" },
		{ "\xc3\xa4 == 1", "filter, column 1: unknown character '?': use fields, $words, numbers, \"strings\" and == != < <= > >= & ~ !~ && || ! ( )" },
		{ "averyveryverylongfieldnamethatnobodyhas == 1", "filter, column 1: no field 'averyveryverylongfieldname...': the event has u8, i16, name, i32, i64, u64, hex, path, list, tail, last, tid" },
	};
	char why[CTRACE_WHY_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		memset(why, 0, sizeof(why));
		if (run(t[i].text, LEN, &task, why) != -1)
			ktap_fail(__FILE__, __LINE__, "%s: compiled", t[i].text);
		else
			check_str(why, t[i].why);
	}
}

/* The names are left out if their list would be longer than an error may be. */
static void many_fields(void)
{
	struct ctrace_field_desc f[CTRACE_EXPR_FIELDS + 1];
	char names[CTRACE_EXPR_FIELDS + 1][40], why[CTRACE_WHY_MAX];
	struct ctrace_expr *e;
	u64 payload[CTRACE_EXPR_FIELDS] = { [CTRACE_EXPR_FIELDS - 1] = 5 };

	for (size_t i = 0; i < ARRAY_SIZE(f); i++) {
		snprintf(names[i], sizeof(names[i]), "a_name_of_some_length_%zu", i);
		f[i] = (struct ctrace_field_desc){ names[i], CTRACE_FK_UINT, 0, 8 };
	}
	for (u32 size = 1; size <= sizeof(why); size++) {
		memset(why, 'x', sizeof(why));
		check_eq(ctrace_expr_new("b == 1", f, CTRACE_EXPR_FIELDS, &e, why, size), -EINVAL);
		check(strnlen(why, size) < size);
		check(size == sizeof(why) || why[size] == 'x');
	}
	check_str(why + strlen(why) - 10, "ength_4...");
	check_eq(ctrace_expr_new("a_name_of_some_length_0 == 1", f, CTRACE_EXPR_FIELDS + 1, &e, why, 192), -EINVAL);
	if (check(!ctrace_expr_new("a_name_of_some_length_31 == 5", f, CTRACE_EXPR_FIELDS, &e, why, 192))) {
		check(ctrace_expr_match(e, payload, sizeof(payload), &task));
		check(!ctrace_expr_match(e, payload, sizeof(payload) - 1, &task));
		ctrace_expr_free(e);
	}
	check_eq(ctrace_expr_new("prio == 1", NULL, 0, &e, why, 192), -EINVAL);
	check_str(why, "filter, column 1: no field 'prio' here: use one of $comm $tid $vtid $pid $uid $gid $cid $cpu");
}

static char *repeat(char *to, const char *s, int n)
{
	while (n--)
		to = stpcpy(to, s);
	return to;
}

static void limits(void)
{
	char text[2 * CTRACE_TEXT_MAX], why[CTRACE_WHY_MAX], *to;
	int n;

	/* comparisons */
	for (n = CTRACE_EXPR_TERMS; n <= CTRACE_EXPR_TERMS + 1; n++) {
		strcpy(repeat(text, "u8 == 1||", n - 1), "u8 == 200");
		check_eq(run(text, LEN, &task, why), n == CTRACE_EXPR_TERMS ? 1 : -1);
	}
	check_str(why, "filter, column 289: too many comparisons: at most 32 are allowed");
	/* nested brackets, each with as much waiting in it as possible */
	for (n = CTRACE_EXPR_DEPTH; n <= CTRACE_EXPR_DEPTH + 1; n++) {
		to = stpcpy(repeat(text, "!(", n), "u8 == 200");
		repeat(to, ")", n);
		check_eq(run(text, LEN, &task, why), n == CTRACE_EXPR_DEPTH ? n % 2 == 0 : -1);
	}
	check_str(why, "filter, column 34: '(' is nested too deep: at most 16 levels are allowed");
	for (n = 13; n <= 14; n++) {
		to = repeat(text, "u8==1||u8&8&&!(", n);
		to = stpcpy(to, "u8==1||u8==200&&!(u8==1)");
		repeat(to, ")", n);
		check_eq(run(text, LEN, &task, why), n % 2 == 0);
	}
	/* text */
	for (n = CTRACE_TEXT_MAX - 1; n <= CTRACE_TEXT_MAX; n++) {
		memset(text, ' ', n);
		memcpy(text, "u8 == 200", 9);
		text[n] = 0;
		check_eq(run(text, LEN, &task, why), n < CTRACE_TEXT_MAX ? 1 : -1);
	}
	check_str(why, "filter: longer than 1023 bytes");
	/* nothing but characters that negate, open brackets, or make a set */
	memset(text, '!', CTRACE_TEXT_MAX);
	strcpy(text + 1000, "u8 == 200");
	check_eq(run(text, LEN, &task, why), 1);
	text[CTRACE_TEXT_MAX - 1] = 0;
	strcpy(repeat(stpcpy(text, "path !~ \"*"), "[a]*", 200), "\"");
	check_eq(run(text, LEN, &task, why), 1);
	strcpy(repeat(stpcpy(text, "path !~ \"*"), "*[!]]", 200), "\"");
	check_eq(run(text, LEN, &task, why), 1);
}

/* Every jump goes forward, so every run ends. */
static void forward(void)
{
	char why[CTRACE_WHY_MAX];
	struct ctrace_expr *e;

	if (!check(!ctrace_expr_new("!(u8 == 1 && (i16 == 1 || !(u8 == 3) && u8 == 4)) || $cpu == 1 && u8 == 2",
				    fields, NFIELDS, &e, why, 192)))
		return;
	for (u32 i = 0; i < e->nterms; i++) {
		check(e->terms[i].yes > i && (e->terms[i].yes < e->nterms || e->terms[i].yes >= CTRACE_EXPR_PASS));
		check(e->terms[i].no > i && (e->terms[i].no < e->nterms || e->terms[i].no >= CTRACE_EXPR_PASS));
	}
	ctrace_expr_free(e);
}

/* --- sockets' addresses and names of descriptors ----------------------------------- */

static const struct ctrace_field_desc call_fields[] = {
	{ "fd", CTRACE_FK_UINT, 0, 8 }, { "uservaddr_data", CTRACE_FK_SEQ, CTRACE_FD_SOCKADDR, 1 },
	{ "other_data", CTRACE_FK_SEQ, 0, 1 }, { "fd_path", CTRACE_FK_STRING, 0, 0 },
};

/* Does text hold for a call with this address of n bytes? len: of the payload; 0: all. -1: it does not compile. */
static int ask_address(const char *text, const char *address, u32 n, u32 len, char *why)
{
	u32 other = (12 + n + 3) & ~3u, all = other + 4 + sizeof("TCP:[1]");
	char *payload = malloc(len ? len : all), whole[64] = "";
	struct ctrace_expr *e;
	int ret = -1;

	memcpy(whole + 8, &n, 4);
	memcpy(whole + 12, address, n);
	strcpy(whole + other + 4, "TCP:[1]");
	memcpy(payload, whole, len ? len : all);
	if (!ctrace_expr_new(text, call_fields, ARRAY_SIZE(call_fields), &e, why, 192)) {
		ret = ctrace_expr_match(e, payload, len ? len : all, &task);
		ctrace_expr_free(e);
	}
	free(payload);
	return ret;
}

static void addresses(void)
{
	static const char v4[] = "\2\0\x15\x38\x7f\0\0\1", v6[] = "\12\0\x15\x38", local[] = "\1\0/x";
	char why[192] = "";

	check_eq(ask_address("addr.port == 5432", v4, 8, 0, why), 1);
	check_eq(ask_address("uservaddr.port > 5432", v4, 8, 0, why), 0);
	check_eq(ask_address("addr.family == 2 && addr.port != 80 && fd.path ~ \"TCP*\" && fd_path ~ \"*1]\"", v4, 8, 0, why), 1);
	check_eq(ask_address("addr.port == 5432", v6, 4, 0, why), 1);
	/* neither equal nor different: there is no port */
	check_eq(ask_address("addr.port == 30767", local, 4, 0, why), 0);
	check_eq(ask_address("addr.port != 80", local, 4, 0, why), 0);
	check_eq(ask_address("addr.family == 1", local, 4, 0, why), 1);
	/* too short for a port, and the payload's end: it is not read (the address sanitizer looks) */
	check_eq(ask_address("addr.port != 80", v4, 2, 14, why), 0);
	check_eq(ask_address("addr.port != 80", v4, 3, 15, why), 0);
	check_eq(ask_address("addr.port != 80", v4, 3, 0, why), 0);
	check_eq(ask_address("addr.family != 80", v4, 1, 0, why), 0);
	check_eq(ask_address("addr.family != 80", v4, 0, 0, why), 0);
	for (u32 len = 8; len < 20; len++)
		check_eq(ask_address("addr.port == 5432", v4, 8, len, why), 0);
	check_eq(ask_address("addr.host == 1", v4, 8, 0, why), -1);
	check_str(why, "filter, column 1: no field 'addr.host': the event has fd, uservaddr_data, other_data, fd_path");
	why[0] = 0;
	check_eq(ask_address("other.port == 1", v4, 8, 0, why), -1);
	check_str(why, "filter, column 1: no field 'other.port': the event has fd, uservaddr_data, other_data, fd_path");
	why[0] = 0;
	check_eq(ask_address("addr.port == 65536", v4, 8, 0, why), -1);
}

static const struct ktap_case cases[] = {
	{ "numbers", numbers }, { "strings", strings }, { "joined", joined }, { "whose", whose }, { "of_task", of_task }, { "least", least },
	{ "truncated", truncated }, { "missing", missing }, { "hostile_counts", hostile_counts }, { "long_string", long_string },
	{ "errors", errors }, { "many_fields", many_fields }, { "limits", limits }, { "forward", forward },
	{ "addresses", addresses },
};
KTAP_MAIN(cases)
