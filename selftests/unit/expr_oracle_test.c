// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filter expressions against an oracle, with random event types, payloads and expressions. An expression is
 * made as a tree. The module compiles the tree's text; the oracle evaluates the tree itself, over the
 * values that the payload was written from. Globs are left to the C library.
 *
 * CTRACE_TEST_SEED and CTRACE_TEST_EXPRESSIONS are read from the environment.
 */
#include <fnmatch.h>
#include <time.h>
#include "expr_module.h"
#include "random_type.h"
#include "ktap.h"

#define MAX_TERMS	12

struct tree {
	enum { LEAF, AND, OR, NOT } kind;
	int left, right;
	int value;		/* LEAF: index into fields[] */
	const char *op;
	__int128 num;
	char str[64];
};

static struct tree trees[512];	/* a few of them are chains of ! */
static int ntrees;

/* --- an expression ----------------------------------------------------------------- */

static void near_number(struct tree *t, const struct value *v)
{
	__int128 one = 1, span = one << (8 * v->f.size), low = v->f.kind == CTRACE_FK_INT ? -span / 2 : 0;

	switch (rnd(4)) {
	case 0:
		t->num = v->num;
		break;
	case 1:
		t->num = v->num + (int)rnd(3) - 1;
		break;
	case 2:
		t->num = low + rnd(3);
		break;
	default:
		t->num = low + span - 1 - rnd(300) % span;
	}
	if (t->num < low || t->num >= low + span)
		t->num = v->num;
}

static void some_glob(char *to, const struct value *v)
{
	static const char * const bits[] = { "*", "?", "[ab]", "[!a]", "[a-z]", "a", "aa", "b", "**", "[*]", "[]-]", "[!b-]" };
	u32 n = rnd(4), i;

	*to = 0;
	if (rnd(2)) {
		snprintf(to, 12, "%s", v->str);
		for (i = 0; to[i]; i++)
			if (!rnd(3))
				to[i] = "?*"[rnd(2)];
	}
	for (i = 0; i < n; i++)
		strcat(to, bits[rnd(ARRAY_SIZE(bits))]);
}

static int leaf(void)
{
	static const char * const number_ops[] = { "==", "!=", "<", "<=", ">", ">=", "&" };
	static const char * const string_ops[] = { "==", "!=", "~", "!~" };
	struct tree *t = &trees[ntrees];
	const struct value *v;

	do {
		t->value = rnd(nfields);
		v = &fields[t->value];
	} while (is_list(v));
	t->kind = LEAF;
	if (is_number(v)) {
		t->op = number_ops[rnd(7)];
		near_number(t, v);
	} else {
		t->op = string_ops[rnd(4)];
		if (strchr(t->op, '~'))
			some_glob(t->str, v);
		else if (rnd(2) && strlen(v->str) < 30)
			strcpy(t->str, v->str);
		else
			few_letters(t->str, rnd(3) % (v->f.size + 1));
	}
	return ntrees++;
}

static int make_tree(int terms)
{
	int left, i, inner;

	if (!rnd(5)) {
		inner = make_tree(terms);
		i = ntrees++;
		trees[i] = (struct tree){ .kind = NOT, .left = inner };
		return i;
	}
	if (terms == 1)
		return leaf();
	left = 1 + rnd(terms - 1);
	i = make_tree(left);
	inner = make_tree(terms - left);
	trees[ntrees] = (struct tree){ .kind = rnd(2) ? AND : OR, .left = i, .right = inner };
	return ntrees++;
}

static char *spaces(char *to)
{
	while (!rnd(3))
		*to++ = " \t\n"[rnd(3)];
	return to;
}

static char *write_value(char *to, const struct tree *t)
{
	__int128 n = t->num < 0 ? -t->num : t->num;
	const char *s;

	if (is_number(&fields[t->value])) {
		static const char * const how[] = { "%s%llu", "%s0x%llx", "%s0X%llX", "%s0%llo" };

		return to + sprintf(to, how[rnd(4)], t->num < 0 ? "-" : "", (unsigned long long)n);
	}
	*to++ = '"';
	for (s = t->str; *s; s++)
		*to++ = *s;
	*to++ = '"';
	return to;
}

/* Writes brackets where precedence requires them, and now and then elsewhere. */
static char *write_tree(char *to, int i, int parent)
{
	const struct tree *t = &trees[i];
	bool open = (t->kind == OR && parent != OR) || (t->kind == AND && parent == NOT) || !rnd(12);

	to = spaces(to);
	if (open)
		*to++ = '(';
	switch (t->kind) {
	case LEAF:
		to = spaces(to);
		to += sprintf(to, "%s", fields[t->value].f.name);
		to = spaces(to);
		to += sprintf(to, "%s", t->op);
		to = spaces(to);
		to = write_value(to, t);
		break;
	case NOT:
		*to++ = '!';
		to = write_tree(to, t->left, NOT);
		break;
	default:
		to = write_tree(to, t->left, t->kind);
		to += sprintf(to, "%s", t->kind == AND ? "&&" : "||");
		to = write_tree(to, t->right, t->kind);
	}
	to = spaces(to);
	if (open)
		*to++ = ')';
	*to = 0;
	return to;
}

/* --- the oracle ---------------------------------------------------------------------- */

static bool leaf_is(const struct tree *t, u32 have)
{
	const struct value *v = &fields[t->value];
	char str[CTRACE_STR_MAX];
	u32 i;

	/* The fields after a cut string or list are missing, too: the cut is at the end of the payload. */
	if (have < v->end)
		return false;
	if (is_number(v)) {
		switch (t->op[0] << 8 | t->op[1]) {
		case '=' << 8 | '=': return v->num == t->num;
		case '!' << 8 | '=': return v->num != t->num;
		case '<' << 8: return v->num < t->num;
		case '<' << 8 | '=': return v->num <= t->num;
		case '>' << 8: return v->num > t->num;
		case '>' << 8 | '=': return v->num >= t->num;
		default: return (v->num & t->num & (((__int128)1 << (8 * v->f.size)) - 1)) != 0;
		}
	}
	strcpy(str, v->str);
	i = have - v->start;
	if (v->f.kind == CTRACE_FK_STRING && i < sizeof(str))
		str[i] = 0;
	if (strchr(t->op, '~'))
		return (fnmatch(t->str, str, FNM_NOESCAPE) == 0) == (t->op[0] == '~');
	return !strcmp(t->str, str) == (t->op[0] == '=');
}

static bool tree_is(int i, u32 have)
{
	const struct tree *t = &trees[i];

	switch (t->kind) {
	case LEAF: return leaf_is(t, have);
	case NOT: return !tree_is(t->left, have);
	case AND: return tree_is(t->left, have) && tree_is(t->right, have);
	default: return tree_is(t->left, have) || tree_is(t->right, have);
	}
}

/* --- module and oracle -------------------------------------------------------------------- */

static u64 compiled, passed, refused;

static void one(void)
{
	static const struct ctrace_expr_ctx x = { .comm = "" };
	struct ctrace_field_desc desc[MAX_FIELDS];
	char text[8192], why[CTRACE_WHY_MAX] = "", *exact;
	struct ctrace_expr *e;
	bool comparable = false, is;
	u32 i, have;
	int root;

	make_type();
	for (i = 0; i < nfields; i++) {
		desc[i] = fields[i].f;
		comparable |= !is_list(&fields[i]);
	}
	if (!comparable)
		return;
	ntrees = 0;
	root = make_tree(1 + rnd(rnd(4) ? 4 : MAX_TERMS));
	write_tree(text, root, OR);
	if (ctrace_expr_new(text, desc, nfields, &e, why, sizeof(why))) {
		/* A text longer than the field, or nesting too deep: the generator does not check. */
		if (!strstr(why, "longer than") && !strstr(why, "nested too deep"))
			ktap_fail(__FILE__, __LINE__, "%s\n#\t%s", text, why);
		refused++;
		return;
	}
	compiled++;
	for (i = 0; i < 4; i++) {
		have = i ? rnd(len + 1) : len;
		exact = malloc(have ? have : 1);
		memcpy(exact, payload, have);
		is = tree_is(root, have);
		passed += is;
		if (ctrace_expr_match(e, exact, have, &x) != is)
			ktap_fail(__FILE__, __LINE__, "%u of %u bytes: expected %d: %s", have, len, is, text);
		free(exact);
	}
	ctrace_expr_free(e);
}

static void oracle(void)
{
	const char *seed = getenv("CTRACE_TEST_SEED"), *count = getenv("CTRACE_TEST_EXPRESSIONS");
	u64 n = count ? strtoull(count, NULL, 0) : 100000, first, i;

	first = seed ? strtoull(seed, NULL, 0) : (u64)time(NULL);
	state = first * 2654435761u + 88172645463325252ull;
	for (i = 0; i < n && !ktap.failed; i++)
		one();
	printf("# seed %llu: %llu expressions, %llu refused, %llu of 4 payloads each passed\n",
	       (unsigned long long)first, (unsigned long long)compiled, (unsigned long long)refused,
	       (unsigned long long)passed);
	/* A generator whose expressions all give the same result would test nothing. */
	check(compiled > n / 2 && passed > compiled && passed < 3 * compiled);
}

static const struct ktap_case cases[] = {
	{ "oracle", oracle },
};
KTAP_MAIN(cases)
