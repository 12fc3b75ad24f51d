// SPDX-License-Identifier: GPL-2.0-only
/* The words of expressions, and the messages about what is wrong with them. */
#include "lang/expr_parse.h"

/* ASCII alone: the kernel's isalnum() takes letters of Latin-1 too. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

/* --- what is wrong --------------------------------------------------------------- */

static void __printf(2, 0) vsay(struct ctrace_expr_parse *p, const char *fmt, va_list args)
{
	size_t n = strnlen(p->why, p->why_size);

	if (n < p->why_size)
		vsnprintf(p->why + n, p->why_size - n, fmt, args);
}

void ctrace_expr_say(struct ctrace_expr_parse *p, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsay(p, fmt, args);
	va_end(args);
}

int ctrace_expr_bad(struct ctrace_expr_parse *p, u32 at, const char *fmt, ...)
{
	va_list args;

	snprintf(p->why, p->why_size, "%s, column %u: ", p->subject, at + 1);
	va_start(args, fmt);
	vsay(p, fmt, args);
	va_end(args);
	return -EINVAL;
}

int ctrace_expr_expect(struct ctrace_expr_parse *p, const char *what)
{
	return ctrace_expr_bad(p, p->t.at, "expected %s, not %s", what, ctrace_expr_seen(p));
}

static const char *shown(struct ctrace_expr_parse *p, const char *quote)
{
	size_t room = sizeof(p->word) - sizeof("'...'"), n = p->t.n < room ? p->t.n : room, i;
	char bytes[sizeof(p->word)];

	for (i = 0; i < n; i++) {
		bytes[i] = p->text[p->t.at + i];
		if (bytes[i] < ' ' || bytes[i] > '~')
			bytes[i] = '?';
	}
	snprintf(p->word, sizeof(p->word), "%s%.*s%s%s", quote, (int)n, bytes,
		 n < p->t.n ? "..." : "", quote);
	return p->word;
}

const char *ctrace_expr_word(struct ctrace_expr_parse *p)
{
	return shown(p, "");
}

const char *ctrace_expr_seen(struct ctrace_expr_parse *p)
{
	return p->t.kind == CTRACE_T_END ? "the end" : shown(p, p->t.kind == CTRACE_T_STRING ? "" : "'");
}

/* --- words ----------------------------------------------------------------------- */

static const struct { char text[3]; u8 kind, op; } signs[] = {
	/* longer ones first */
	{ "&&", CTRACE_T_AND, 0 }, { "||", CTRACE_T_OR, 0 },
	{ "==", CTRACE_T_OP, CTRACE_OP_EQ }, { "!=", CTRACE_T_OP, CTRACE_OP_NE },
	{ "<=", CTRACE_T_OP, CTRACE_OP_LE }, { ">=", CTRACE_T_OP, CTRACE_OP_GE },
	{ "!~", CTRACE_T_OP, CTRACE_OP_NOT_GLOB },
	{ "<", CTRACE_T_OP, CTRACE_OP_LT }, { ">", CTRACE_T_OP, CTRACE_OP_GT },
	{ "&", CTRACE_T_OP, CTRACE_OP_BITS }, { "~", CTRACE_T_OP, CTRACE_OP_GLOB },
	{ "!", CTRACE_T_NOT, 0 }, { "(", CTRACE_T_OPEN, 0 }, { ")", CTRACE_T_CLOSE, 0 },
	/* only where the language has lists */
	{ ",", CTRACE_T_COMMA, 0 }, { "/", CTRACE_T_SLASH, 0 },
};

static int lex_sign(struct ctrace_expr_parse *p, const char *s)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(signs); i++) {
		p->t.n = strlen(signs[i].text);
		if (strncmp(s, signs[i].text, p->t.n) || (signs[i].kind >= CTRACE_T_COMMA && !p->lists))
			continue;
		p->t.kind = signs[i].kind;
		p->t.op = signs[i].op;
		return 0;
	}
	p->t.kind = CTRACE_T_OP;
	p->t.n = 1;
	switch (*s) {
	case '=':
		return ctrace_expr_bad(p, p->t.at, "use '==' (or '~' for a glob) instead of '='");
	case '|':
		return ctrace_expr_bad(p, p->t.at, "use '||' instead of '|'");
	case '\'':
		return ctrace_expr_bad(p, p->t.at, "put double quotes around a string, not single ones");
	}
	return ctrace_expr_bad(p, p->t.at, "unknown character %s: use fields, $words, numbers, \"strings\" and == != < <= > >= & ~ !~ && || ! ( )",
			       ctrace_expr_seen(p));
}

static int lex_string(struct ctrace_expr_parse *p, const char *s)
{
	u32 n = 1;

	p->t.kind = CTRACE_T_STRING;
	for (; s[n] && s[n] != '"'; n++)
		if (s[n] == '\\' && s[n + 1])
			n++;
	p->t.n = n;
	if (!s[n])
		return ctrace_expr_bad(p, p->t.at, "%s has no closing quote", ctrace_expr_seen(p));
	p->t.n++;
	return 0;
}

static u32 hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 'a' ^ 'A';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

static int lex_number(struct ctrace_expr_parse *p, const char *s)
{
	u32 base = 10, i, d;

	p->t.kind = CTRACE_T_NUMBER;
	p->t.minus = *s == '-';
	i = p->t.minus;
	for (p->t.n = i; is_name(s[p->t.n]);)
		p->t.n++;
	if (s[i] == '0' && (s[i + 1] | ('a' ^ 'A')) == 'x') {
		base = 16;
		i += 2;
	} else if (s[i] == '0' && p->t.n > i + 1) {
		base = 8;
		i++;
	}
	if (i == p->t.n)
		goto none;
	for (p->t.num = 0; i < p->t.n; i++) {
		d = hex_digit(s[i]);
		if (d >= base)
			goto none;
		if (p->t.num > (~0ull - d) / base)
			return ctrace_expr_bad(p, p->t.at, "%s does not fit in 64 bits", ctrace_expr_seen(p));
		p->t.num = p->t.num * base + d;
	}
	return 0;
none:
	return ctrace_expr_bad(p, p->t.at, "%s is not a number: write it like 10, -10, 0x1f or 0755",
			       ctrace_expr_seen(p));
}

int ctrace_expr_next(struct ctrace_expr_parse *p)
{
	const char *s;
	int err = 0;

	while (p->text[p->pos] == ' ' || p->text[p->pos] == '\t' || p->text[p->pos] == '\n')
		p->pos++;
	s = p->text + p->pos;
	memset(&p->t, 0, sizeof(p->t));
	p->t.at = p->pos;
	if (is_digit(*s) || (*s == '-' && is_digit(s[1]))) {
		err = lex_number(p, s);
	} else if (is_name(*s) || *s == '$') {
		p->t.kind = CTRACE_T_NAME;
		/* a dot within a name: addr.port */
		for (p->t.n = 1; is_name(s[p->t.n]) || (s[p->t.n] == '.' && is_name(s[p->t.n + 1]));)
			p->t.n++;
	} else if (*s == '"') {
		err = lex_string(p, s);
	} else if (*s) {
		err = lex_sign(p, s);
	}
	p->pos += p->t.n;
	return err;
}
