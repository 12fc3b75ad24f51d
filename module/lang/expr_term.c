// SPDX-License-Identifier: GPL-2.0-only
/* One comparison of an expression: what is compared, how, and with what. */
#include "lang/expr_parse.h"

static const struct ctrace_expr_operand words[] = {
	{ "$comm", CTRACE_FK_TEXT, CTRACE_COMM_LEN - 1, CTRACE_WORD_COMM, 0 },
	{ "$tid", CTRACE_FK_INT, 4, CTRACE_WORD_TID, 0 },
	{ "$vtid", CTRACE_FK_INT, 4, CTRACE_WORD_VTID, 0 },
	{ "$pid", CTRACE_FK_INT, 4, CTRACE_WORD_PID, 0 },
	{ "$uid", CTRACE_FK_UINT, 4, CTRACE_WORD_UID, 0 },
	{ "$gid", CTRACE_FK_UINT, 4, CTRACE_WORD_GID, 0 },
	{ "$cid", CTRACE_FK_UINT, 4, CTRACE_WORD_CID, 0 },
	{ "$cpu", CTRACE_FK_UINT, 4, CTRACE_WORD_CPU, 0 },
};
#define WORDS	"$comm $tid $vtid $pid $uid $gid $cid $cpu"

/* --- names ------------------------------------------------------------------- */

static bool term_is(const struct ctrace_expr_parse *p, const char *name)
{
	return strlen(name) == p->t.n && !memcmp(name, p->text + p->t.at, p->t.n);
}

static int no_word(struct ctrace_expr_parse *p)
{
	return ctrace_expr_bad(p, p->t.at, "unknown word %s: use one of " WORDS, ctrace_expr_seen(p));
}

/* Lists the fields in why as far as there is room for them and for a "..." at the end. */
static int no_field(struct ctrace_expr_parse *p)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (term_is(p, words[i].name + 1))
			return ctrace_expr_bad(p, p->t.at, "no field %s here (did you mean %s?)",
					       ctrace_expr_seen(p), words[i].name);
	if (!p->nfields)
		return ctrace_expr_bad(p, p->t.at, "no field %s here: use one of " WORDS,
				       ctrace_expr_seen(p));
	ctrace_expr_bad(p, p->t.at, "no field %s: the event has ", ctrace_expr_seen(p));
	for (i = 0; i < p->nfields; i++) {
		if (strlen(p->why) + strlen(p->fields[i].name) + 8 > p->why_size) {
			ctrace_expr_say(p, "...");
			break;
		}
		ctrace_expr_say(p, i ? ", %s" : "%s", p->fields[i].name);
	}
	return -EINVAL;
}

/* Is the word NAME behind, for a field NAME + suffix? any: NAME may be this, too. */
static bool is_part(const struct ctrace_expr_parse *p, const char *field, const char *suffix, const char *behind,
		    const char *any)
{
	const char *word = p->text + p->t.at;
	size_t n = strlen(field), s = strlen(suffix), b = strlen(behind), base;

	if (p->t.n <= b || memcmp(word + p->t.n - b, behind, b) || n <= s || strcmp(field + n - s, suffix))
		return false;
	base = p->t.n - b;
	return (base == n - s && !memcmp(word, field, base)) || (any && base == strlen(any) && !memcmp(word, any, base));
}

/*
 * addr.port, addr.family, or ARG.port: of a socket's address; ARG.path: of a descriptor. False: it is none of
 * these.
 */
static bool resolve_part(const struct ctrace_expr_parse *p, struct ctrace_expr_operand *o)
{
	static const struct {
		const char *behind;
		u8 part;
	} parts[] = { { ".port", CTRACE_PART_PORT }, { ".family", CTRACE_PART_FAMILY } };
	const struct ctrace_field_desc *f;
	u32 i, k;

	for (i = 0; i < p->nfields; i++) {
		f = &p->fields[i];
		o->what = i;
		o->name = f->name;
		o->kind = f->kind;
		o->size = f->size;
		if (f->kind == CTRACE_FK_STRING && is_part(p, f->name, "_path", ".path", NULL))
			return true;
		if (f->kind != CTRACE_FK_SEQ || f->size != 1 || f->display != CTRACE_FD_SOCKADDR)
			continue;
		o->kind = CTRACE_FK_UINT;
		o->size = 2;
		for (k = 0; k < ARRAY_SIZE(parts); k++) {
			o->part = parts[k].part;
			if (is_part(p, f->name, "_data", parts[k].behind, "addr") ||
			    is_part(p, f->name, "_addr", parts[k].behind, "addr"))
				return true;
		}
	}
	return false;
}

int ctrace_expr_resolve(struct ctrace_expr_parse *p, struct ctrace_expr_operand *o)
{
	u32 i;

	if (p->text[p->t.at] == '$') {
		for (i = 0; i < ARRAY_SIZE(words); i++)
			if (term_is(p, words[i].name)) {
				*o = words[i];
				return 0;
			}
		return no_word(p);
	}
	for (i = 0; i < p->nfields; i++)
		if (term_is(p, p->fields[i].name)) {
			o->name = p->fields[i].name;
			o->kind = p->fields[i].kind;
			o->size = p->fields[i].size;
			o->what = i;
			if (ctrace_expr_is_number(o->kind) || ctrace_expr_is_string(o->kind))
				return 0;
			return ctrace_expr_bad(p, p->t.at, "%s is a list, but only numbers and strings can be compared",
					       ctrace_expr_seen(p));
		}
	return resolve_part(p, o) ? 0 : no_field(p);
}

int ctrace_expr_operand(struct ctrace_expr_parse *p, struct ctrace_expr_operand *o)
{
	size_t i;
	u32 k;

	for (k = 0; k < p->nfields; k++)
		if (term_is(p, p->fields[k].name))
			return ctrace_expr_resolve(p, o);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (term_is(p, words[i].name + 1)) {
			*o = words[i];
			return 0;
		}
	return ctrace_expr_resolve(p, o);
}

/* --- values ------------------------------------------------------------------ */

static int take_number(struct ctrace_expr_parse *p, const struct ctrace_expr_operand *o,
		       struct ctrace_expr_term *t)
{
	const struct ctrace_expr_token *v = &p->t;
	u64 all = ~0ull >> (64 - 8 * o->size), half = all >> 1;
	bool sign = o->kind == CTRACE_FK_INT, minus = v->minus && v->num;

	if (v->kind != CTRACE_T_NUMBER)
		return ctrace_expr_bad(p, v->at, "%s is a number and cannot be compared with %s", o->name,
				       ctrace_expr_seen(p));
	t->sign = sign;
	t->num = minus ? -v->num : v->num;
	/* a mask is bits, whatever the field's sign */
	if (t->op == CTRACE_OP_BITS ? v->num <= (minus ? half + 1 : all) :
	    minus ? sign && v->num <= half + 1 : v->num <= (sign ? half : all))
		return 0;
	if (sign && t->op != CTRACE_OP_BITS)
		return ctrace_expr_bad(p, v->at, "%s is out of range: %s holds %lld to %lld",
				       ctrace_expr_seen(p), o->name, -(long long)half - 1,
				       (long long)half);
	return ctrace_expr_bad(p, v->at, "%s is out of range: %s holds 0 to %llu",
			       ctrace_expr_seen(p), o->name, (unsigned long long)all);
}

/* Puts the *n bytes between the quotes into e->bytes. 0 or -EINVAL. The lexer has found the closing quote. */
static int unquote(struct ctrace_expr_parse *p, u32 *n)
{
	const char *s = p->text + p->t.at + 1, *end = p->text + p->t.at + p->t.n - 1;
	char *to = p->e->bytes + p->nbytes;

	for (*n = 0; s < end; s++) {
		if (*s == '\\' && *++s != '"' && *s != '\\')
			return ctrace_expr_bad(p, s - 1 - p->text, "in a string, only \" or \\ may follow a \\");
		to[(*n)++] = *s;
	}
	return 0;
}

/*
 * Fills set from s[*i], which is behind a '[', and moves *i to the ']' that closes it. -EINVAL: nothing
 * closes it, or a range in it is backwards.
 */
static int take_set(const char *s, u32 n, u32 *i, u8 *set)
{
	bool invert = *i < n && s[*i] == '!';
	u32 from, c, last;

	*i += invert;
	/* a ] in front belongs to the set */
	for (from = *i; *i < n && (s[*i] != ']' || *i == from); ++*i) {
		c = (u8)s[*i];
		last = c;
		if (*i + 2 < n && s[*i + 1] == '-' && s[*i + 2] != ']') {
			*i += 2;
			last = (u8)s[*i];
		}
		if (last < c)
			return -EINVAL;
		for (; c <= last; c++)
			set[c / 8] |= 1 << (c % 8);
	}
	for (c = 0; invert && c < 32; c++)
		set[c] = ~set[c];
	return *i < n ? 0 : -EINVAL;
}

/* *n: the length of s; becomes that of the shortest string that the glob matches. */
static int take_glob(struct ctrace_expr_parse *p, const char *s, u32 *n, struct ctrace_expr_term *t)
{
	u16 *to = p->e->globs + p->nglobs;
	u32 i, k = 0, stars = 0;

	for (i = 0; i < *n; i++) {
		if (s[i] == '*') {
			stars++;
			to[k++] = CTRACE_GLOB_STAR;
		} else if (s[i] == '?') {
			to[k++] = CTRACE_GLOB_ONE;
		} else if (s[i] == '[') {
			i++;
			if (take_set(s, *n, &i, p->e->sets[p->nsets]))
				return ctrace_expr_bad(p, p->t.at, "%s has a '[' that begins no set like [a-z]: write [[] for a plain '['",
						       ctrace_expr_seen(p));
			to[k++] = CTRACE_GLOB_SET + p->nsets++;
		} else {
			to[k++] = (u8)s[i];
		}
	}
	t->from = p->nglobs;
	t->n = k;
	p->nglobs += k;
	*n = k - stars;
	return 0;
}

static int take_string(struct ctrace_expr_parse *p, const struct ctrace_expr_operand *o,
		       struct ctrace_expr_term *t)
{
	u32 n, max = o->kind == CTRACE_FK_TEXT ? o->size : CTRACE_STR_MAX - 1;
	int err;

	t->string = true;
	if (p->t.kind == CTRACE_T_NAME)
		return ctrace_expr_bad(p, p->t.at, "put quotes around a string: \"%s\"",
				       ctrace_expr_word(p));
	if (p->t.kind != CTRACE_T_STRING)
		return ctrace_expr_bad(p, p->t.at, "%s is a string and cannot be compared with %s", o->name,
				       ctrace_expr_seen(p));
	err = unquote(p, &n);
	if (!err && t->op >= CTRACE_OP_GLOB) {
		err = take_glob(p, p->e->bytes + p->nbytes, &n, t);
	} else if (!err) {
		t->from = p->nbytes;
		t->n = n;
		p->nbytes += n;
	}
	if (!err && n > max)
		err = ctrace_expr_bad(p, p->t.at, "%s is longer than %s, which holds at most %u bytes",
				      ctrace_expr_seen(p), o->name, max);
	return err;
}

/* --- comparisons --------------------------------------------------------------- */

int ctrace_expr_comparison(struct ctrace_expr_parse *p)
{
	struct ctrace_expr *e = p->e;
	struct ctrace_expr_term *t = &e->terms[e->nterms];
	struct ctrace_expr_operand o = { };
	bool number, only_numbers, only_strings;
	int err;

	if (p->t.kind != CTRACE_T_NAME)
		return ctrace_expr_expect(p, "a field, a $word, '!' or '('");
	if (e->nterms == CTRACE_EXPR_TERMS)
		return ctrace_expr_bad(p, p->t.at, "too many comparisons: at most %u are allowed",
				       CTRACE_EXPR_TERMS);
	err = ctrace_expr_resolve(p, &o) ?: ctrace_expr_next(p);
	if (err)
		return err;
	number = ctrace_expr_is_number(o.kind);
	if (p->t.kind != CTRACE_T_OP)
		return ctrace_expr_expect(p, number ? "one of == != < <= > >= &" : "one of == != ~ !~");
	t->op = p->t.op;
	t->what = o.what;
	t->part = o.part;
	only_numbers = t->op >= CTRACE_OP_LT && t->op <= CTRACE_OP_BITS;
	only_strings = t->op > CTRACE_OP_BITS;
	if (number && only_strings)
		return ctrace_expr_bad(p, p->t.at, "%s is for strings, but %s is a number: use == != < <= > >= &",
				       ctrace_expr_seen(p), o.name);
	if (!number && only_numbers)
		return ctrace_expr_bad(p, p->t.at, "%s is for numbers, but %s is a string: use == != ~ !~",
				       ctrace_expr_seen(p), o.name);
	err = ctrace_expr_next(p);
	if (!err && p->t.kind == CTRACE_T_END)
		err = ctrace_expr_expect(p, number ? "a number" : "a \"string\"");
	if (!err)
		err = number ? take_number(p, &o, t) : take_string(p, &o, t);
	return err ?: ctrace_expr_next(p);
}
