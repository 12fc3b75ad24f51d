// SPDX-License-Identifier: GPL-2.0-only
/* Pieces of a definition's text. */
#include "lang/fetch_internal.h"

int ctrace_fetch_bad(struct parser *p, const char *fmt, ...)
{
	int n = snprintf(p->why, p->why_size, "'%.*s': ", SPAN(p->word));
	va_list args;

	va_start(args, fmt);
	if (n >= 0 && (size_t)n < p->why_size)
		vsnprintf(p->why + n, p->why_size - n, fmt, args);
	va_end(args);
	return -EINVAL;
}

/* Splits s at the first c: *first is what comes before, *rest what follows. False: there is no c. */
bool ctrace_fetch_split(const struct span *s, char c, struct span *first, struct span *rest)
{
	const char *at;

	for (at = s->at; at < s->end; at++)
		if (*at == c) {
			struct span all = *s;

			*first = (struct span){ all.at, at };
			*rest = (struct span){ at + 1, all.end };
			return true;
		}
	return false;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* Takes a number (decimal, 0x, or 0 for octal) off the front of s. False: there is none, or too large. */
bool ctrace_fetch_eat_number(struct span *s, u64 *v)
{
	int base = 10;
	const char *from;

	if (s->end - s->at > 1 && *s->at == '0') {
		base = s->at[1] == 'x' || s->at[1] == 'X' ? 16 : 8;
		s->at += base == 16 ? 2 : 1;
		if (base == 8 && (empty(s) || digit(*s->at) >= 8)) {
			*v = 0;		/* a 0 alone */
			return true;
		}
	}
	for (*v = 0, from = s->at; !empty(s) && digit(*s->at) < base; s->at++) {
		if (*v > (~0ull - digit(*s->at)) / base)
			return false;
		*v = *v * base + digit(*s->at);
	}
	return s->at > from;
}

bool ctrace_fetch_number(const struct span *s, u64 *v)
{
	struct span n = *s;

	return ctrace_fetch_eat_number(&n, v) && empty(&n);
}

/* Is s an identifier as in C? */
bool ctrace_fetch_good_name(const struct span *s)
{
	const char *c;

	if (empty(s) || (*s->at >= '0' && *s->at <= '9'))
		return false;
	for (c = s->at; c < s->end; c++)
		if (!word_char(*c))
			return false;
	return true;
}

bool ctrace_fetch_take(const struct span *s, char *to, size_t room)
{
	size_t n = s->end - s->at;

	if (n >= room)
		return false;
	memcpy(to, s->at, n);
	to[n] = 0;
	return true;
}
