/* SPDX-License-Identifier: GPL-2.0-only */
/* The containers of --follow and --wait, which start later. */
#ifndef CTRACE_FOLLOW_H
#define CTRACE_FOLLOW_H

#include "run/target.h"
#include "run/word.h"

enum follow_mode {
	FOLLOW_NOT,
	FOLLOW_ALL,		/* --follow: what matches, now or later */
	FOLLOW_FIRST,		/* --wait: what matches now; else the first that does later */
};

struct follow_word {
	const char *text;
	struct word word;
	bool not, found;	/* found: of FOLLOW_FIRST, no longer waited for */
};

struct follow_open {
	uint32_t cid;
	uint64_t since;		/* CLOCK_MONOTONIC, ns */
};

struct follow {
	enum follow_mode mode;
	struct follow_word *words;
	size_t nwords;
	struct ctable *table;
	struct targets *targets;
	struct ctrace_session *session;
	uint32_t births;	/* id of the target of births, 0: none */
	/* CLOCK_MONOTONIC, ns: that target was made between these two */
	uint64_t from, until;
	struct follow_open *open;	/* containers that are not decided on */
	size_t nopen, room;
	uint64_t looked;	/* CLOCK_MONOTONIC, ns: when all open ones were last looked at; 0: never */
	bool began;		/* there has been something to trace */
	bool over;		/* all that is left is decided on at once */
	/* containers of runtimes that were left out because no name was found in time */
	unsigned long nameless;
};

/*
 * Takes the TARGET words of a run that follows, in place of targets_parse(). Containers that match now become
 * targets. Returns CLI_OK, or the exit status after a message.
 */
int follow_parse(struct follow *f, enum follow_mode mode, struct ctable *t, struct targets *ts, char **words, int n);
void follow_free(struct follow *f);
/* Wants births from now on. After targets_apply(), before the session's reader is read. */
int follow_start(struct follow *f, struct ctrace *ct, struct ctrace_session *s, struct ctrace_reader *r);
/* Decides on containers that are new, as far as their names are known. Call it often while any is open. */
void follow_look(struct follow *f);
/* Decides on all that are left, by what is known. The session has stopped. */
void follow_end(struct follow *f);
/* Are records of this container shown? Only of records that the reader has handed out. */
bool follow_shows(const struct follow *f, uint32_t cid);
/* The first word that is still waited for, or NULL. */
const char *follow_missing(const struct follow *f);

#endif
