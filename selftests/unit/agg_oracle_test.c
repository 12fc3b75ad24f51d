// SPDX-License-Identifier: GPL-2.0-only
/*
 * Aggregates against an oracle, with random event types, payloads and aggregates. An aggregate is made as lists of
 * functions and keys. The module compiles their text; the oracle takes the lists themselves, over the values that the
 * payload was written from, in numbers of 128 bits.
 *
 * CTRACE_TEST_SEED and CTRACE_TEST_AGGREGATES are read from the environment.
 */
#include <time.h>
#include "agg_module.h"
#include "random_type.h"
#include "ktap.h"

struct part {
	int value;		/* index into fields[]; -1: count(), or the key `container` */
	u8 fn, op;		/* enum ctrace_table_fn, enum ctrace_agg_op */
	u64 arg;
	char name[200];		/* its text */
};

static struct part keys[8], values[10];
static u32 nkeys, nvalues;

static char *spaces(char *to)
{
	while (!rnd(4))
		*to++ = " \t\n"[rnd(3)];
	*to = 0;
	return to;
}

/* One of the fields; number: of those that are numbers. -1: there is none. */
static int some_field(bool number)
{
	u32 i, n = rnd(nfields);

	for (i = 0; i < nfields; i++, n = (n + 1) % nfields)
		if (number ? is_number(&fields[n]) : !is_list(&fields[n]))
			return n;
	return -1;
}

/* --- an aggregate -------------------------------------------------------------- */

static char *write_values(char *to)
{
	static const char * const names[] = { "count", "sum", "min", "max", "avg", "hist" };
	static const u8 fns[] = { CTRACE_TABLE_COUNT, CTRACE_TABLE_SUM, CTRACE_TABLE_MIN, CTRACE_TABLE_MAX, CTRACE_TABLE_AVG,
		CTRACE_TABLE_HIST };
	u32 i, fn;
	char *at;

	nvalues = 1 + rnd(rnd(20) ? 4 : 9);
	for (i = 0; i < nvalues; i++) {
		values[i].value = some_field(true);
		fn = values[i].value < 0 ? 0 : rnd(6);
		if (!fn)
			values[i].value = -1;
		values[i].fn = fns[fn];
		to = spaces(to);
		at = to;
		to = spaces(to + sprintf(to, "%s", names[fn]));
		to = spaces(to + sprintf(to, "("));
		if (fn)
			to = spaces(to + sprintf(to, "%s", fields[values[i].value].f.name));
		to += sprintf(to, ")");
		strcpy(values[i].name, at);
		to = spaces(to);
		if (i + 1 < nvalues)
			*to++ = ',';
	}
	return to;
}

static char *write_key(char *to, struct part *k)
{
	static const char * const how[] = { "%llu", "0x%llx", "0%llo" };
	const char *name = fields[k->value].f.name;
	char *at = to;

	if (k->op == CTRACE_AGG_LOG2) {
		to = spaces(to + sprintf(to, "log2"));
		to = spaces(to + sprintf(to, "("));
		to = spaces(to + sprintf(to, "%s", name));
		to += sprintf(to, ")");
	} else {
		to += sprintf(to, "%s", name);
		if (k->op != CTRACE_AGG_PLAIN) {
			to = spaces(to);
			*to++ = k->op == CTRACE_AGG_DIVIDE ? '/' : '&';
			to = spaces(to);
			to += sprintf(to, how[rnd(3)], (unsigned long long)k->arg);
		}
	}
	strcpy(k->name, at);
	return to;
}

static char *write_keys(char *to)
{
	static const u64 args[] = { 1, 2, 3, 7, 10, 16, 255, 4096, 1000000007, 1ull << 32, 1ull << 63, ~0ull };
	u32 i, n = rnd(rnd(20) ? 5 : 8);

	nkeys = 0;
	for (i = 0; i < n; i++) {
		struct part *k = &keys[nkeys];

		to += sprintf(to, "%s", i ? "," : " by ");
		to = spaces(to);
		k->value = some_field(false);
		if (k->value < 0 || !rnd(8)) {
			to += sprintf(to, "container");
		} else {
			k->op = is_number(&fields[k->value]) ? rnd(4) : CTRACE_AGG_PLAIN;
			k->arg = rnd(4) ? args[rnd(ARRAY_SIZE(args))] : 1 + rnd(1 << 30);
			to = write_key(to, k);
			nkeys++;
		}
		to = spaces(to);
	}
	return to;
}

/* --- the oracle ------------------------------------------------------------------ */

static u32 words_of(const struct value *v)
{
	if (is_number(v))
		return 1;
	if (v->f.kind != CTRACE_FK_TEXT)
		return CTRACE_TABLE_TEXT / 8;
	return (v->f.size <= CTRACE_COMM_LEN ? CTRACE_COMM_LEN : v->f.size < CTRACE_TABLE_TEXT_MAX ? CTRACE_TABLE_TEXT :
		CTRACE_TABLE_TEXT_MAX) / 8;
}

static u64 rounded_is(const struct part *k, u32 have)
{
	const struct value *v = &fields[k->value];
	__int128 n = have < v->end ? 0 : v->num, one = 1;
	u32 l = 0;

	switch (k->op) {
	case CTRACE_AGG_DIVIDE:
		return n / (__int128)k->arg;
	case CTRACE_AGG_MASK:
		return (u64)n & k->arg;
	case CTRACE_AGG_LOG2:
		while (n > one << l)
			l++;
		return l;
	default:
		return n;
	}
}

static void text_is(const struct value *v, u32 have, u64 *to)
{
	u32 room = words_of(v) * 8, n = strlen(v->str);

	memset(to, 0, room);
	if (have < v->end)
		return;
	if (v->f.kind == CTRACE_FK_STRING && n > have - v->start)
		n = have - v->start;
	memcpy(to, v->str, n < room ? n : room);
}

static void compare(const struct ctrace_agg *a, u32 have, const char *text)
{
	static const struct ctrace_expr_ctx x = { .comm = "" };
	u64 key[CTRACE_TABLE_KEY_WORDS], is[CTRACE_TABLE_KEY_WORDS], v, n;
	char *exact = malloc(have ? have : 1);
	struct ctrace_walk w;
	u32 i, at = 1;
	bool has;

	memcpy(exact, payload, have);
	memset(key, 0x55, sizeof(key));
	memset(is, 0x55, sizeof(is));
	ctrace_walk_begin(&w, &a->fields, exact, have);
	ctrace_agg_key(a, &w, &x, 1, key);
	for (i = 0; i < nkeys; i++) {
		if (is_number(&fields[keys[i].value]))
			is[at] = rounded_is(&keys[i], have);
		else
			text_is(&fields[keys[i].value], have, is + at);
		at += words_of(&fields[keys[i].value]);
	}
	if (memcmp(key, is, sizeof(key)))
		ktap_fail(__FILE__, __LINE__, "%u of %u bytes, the key is not as expected: %s", have, len, text);
	for (i = 0; i < nvalues; i++) {
		if (values[i].value < 0)
			continue;
		has = have >= fields[values[i].value].end;
		n = (u64)fields[values[i].value].num;
		v = n;
		if (ctrace_agg_value(&a->values[i], &w, &v) != has || v != n)
			ktap_fail(__FILE__, __LINE__, "%u of %u bytes, %s: expected %s%llu, seen %llu: %s", have, len,
				  values[i].name, has ? "" : "none, not ", (unsigned long long)n, (unsigned long long)v, text);
	}
	free(exact);
}

/* --- module and oracle -------------------------------------------------------------- */

static u64 compiled, refused;

static void check_name(const struct ctrace_table_column *c, const struct part *p, const char *text)
{
	if (strncmp(c->name, p->name, sizeof(c->name) - 1))
		ktap_fail(__FILE__, __LINE__, "'%s' is named '%s': %s", p->name, c->name, text);
}

static void one(void)
{
	struct ctrace_field_desc desc[MAX_FIELDS];
	char text[4096], why[192] = "";
	struct ctrace_agg *a = NULL;
	u32 i, words = 1;
	bool right;
	int err;

	make_type();
	for (i = 0; i < nfields; i++)
		desc[i] = fields[i].f;
	*write_keys(write_values(text)) = 0;
	for (i = 0; i < nkeys; i++)
		words += words_of(&fields[keys[i].value]);
	right = nvalues <= CTRACE_TABLE_VALUES && nkeys <= CTRACE_TABLE_KEYS && words <= CTRACE_TABLE_KEY_WORDS &&
		strlen(text) < CTRACE_TEXT_MAX;
	err = ctrace_agg_new(text, desc, nfields, false, &a, why, sizeof(why));
	if (!err != right)
		ktap_fail(__FILE__, __LINE__, "%s\n#\t%d %s", text, err, why);
	if (err) {
		refused++;
		return;
	}
	compiled++;
	check_eq(a->nkeys, nkeys);
	check_eq(a->nvalues, nvalues);
	check_eq(a->key_words, words);
	for (i = 0; i < nkeys && i < a->nkeys; i++)
		check_name(&a->key_names[i], &keys[i], text);
	for (i = 0; i < nvalues && i < a->nvalues; i++) {
		check_name(&a->value_names[i], &values[i], text);
		check_eq(a->values[i].kind, values[i].fn);
	}
	for (i = 0; i < 4; i++)
		compare(a, i ? rnd(len + 1) : len, text);
	ctrace_agg_free(a);
}

static void oracle(void)
{
	const char *seed = getenv("CTRACE_TEST_SEED"), *count = getenv("CTRACE_TEST_AGGREGATES");
	u64 n = count ? strtoull(count, NULL, 0) : 100000, first, i;

	first = seed ? strtoull(seed, NULL, 0) : (u64)time(NULL);
	state = first * 2654435761u + 88172645463325252ull;
	for (i = 0; i < n && !ktap.failed; i++)
		one();
	printf("# seed %llu: %llu aggregates, %llu refused\n", (unsigned long long)first, (unsigned long long)compiled,
	       (unsigned long long)refused);
	/* A generator whose aggregates are all refused, or none, would test less. */
	check(compiled > n / 2 && refused > n / 1000);
}

static const struct ktap_case cases[] = {
	{ "oracle", oracle },
};
KTAP_MAIN(cases)
