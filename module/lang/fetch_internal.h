/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What fetch.c, fetch_arg.c and fetch_text.c share: pieces of the text, and messages about them.
 * Compiles on a host, too.
 */
#ifndef CTRACE_FETCH_INTERNAL_H
#define CTRACE_FETCH_INTERNAL_H

#include "lang/fetch.h"

/* Part of the text. */
struct span {
	const char *at, *end;
};

struct parser {
	struct ctrace_fetch *f;
	struct span word;	/* being read; messages begin with it */
	char *why;
	size_t why_size;
};

/* Arguments for %.*s, cut to what a message has room for. */
#define SPAN(s)		(int)((s).end - (s).at > 40 ? 40 : (s).end - (s).at), (s).at

/* Puts a sentence that starts with p->word into p->why. Returns -EINVAL. */
int __printf(2, 3) ctrace_fetch_bad(struct parser *p, const char *fmt, ...);

/* fetch_arg.c: adds an argument to p->f. */
int ctrace_fetch_parse_arg(struct parser *p, const struct span *word);

/* ASCII alone: the kernel's isalnum() takes letters of Latin-1 too. */
static inline bool word_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool empty(const struct span *s)
{
	return s->at == s->end;
}

static inline bool eat(struct span *s, char c)
{
	if (empty(s) || *s->at != c)
		return false;
	s->at++;
	return true;
}

static inline bool is(const struct span *s, const char *word)
{
	size_t n = s->end - s->at;

	return strlen(word) == n && !memcmp(s->at, word, n);
}

/* s without its first n characters; it has at least n. */
static inline struct span after(const struct span *s, size_t n)
{
	struct span rest = { s->at + n, s->end };

	return rest;
}

bool ctrace_fetch_split(const struct span *s, char c, struct span *first, struct span *rest);
bool ctrace_fetch_eat_number(struct span *s, u64 *v);
bool ctrace_fetch_number(const struct span *s, u64 *v);
bool ctrace_fetch_good_name(const struct span *s);
bool ctrace_fetch_take(const struct span *s, char *to, size_t room);

#endif
