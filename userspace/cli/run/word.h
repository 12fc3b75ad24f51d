/* SPDX-License-Identifier: GPL-2.0-only */
/* The words that choose containers by what is known of them, and whose files must say it. */
#ifndef CTRACE_WORD_H
#define CTRACE_WORD_H

#include "names/ctable.h"

/*
 * A word without an owner is the system's: what users' and containers' own files say, these write as they
 * like. They are meant only if the word says so: user:USER:WORD, in:CONTAINER:WORD.
 */
struct word {
	const char *text;	/* without its owner */
	enum name_owner owner;
	uint32_t whose;		/* the user's uid, or the container's cid */
	bool plain;		/* the name or id of one container, of any owner */
};

/* CLI_OK; or the exit status after a message, if there is no such owner, or the text says nothing. */
int word_parse(struct word *w, struct ctable *t, const char *text);
/* e's name must have been looked up. "*" is each container that has a name, or that the system made. */
bool word_matches(const struct ctable *t, const struct centry *e, const struct word *w);
/* Is it image:, label:, runtime:, pod: or ns:? */
bool word_is_fact(const struct word *w);
/* Appends what of others' containers matches: whose they are, and how to write it; or nothing. */
void word_others(struct sbuf *b, struct ctable *t, const struct word *w);

#endif
