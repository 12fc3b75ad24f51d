/* SPDX-License-Identifier: GPL-2.0-only */
/* What status, doctor and `ctrace watch status` say of the watch. */
#ifndef CTRACE_WATCH_REPORT_H
#define CTRACE_WATCH_REPORT_H

#include "base/json.h"
#include "watch/account.h"

struct watch_state {
	bool configured;	/* there is a file */
	size_t mistakes;	/* in it */
	char *first;		/* the first of them, or NULL */
	bool runs;
	char *answer;		/* the watch's own words, JSON, or NULL */
	int32_t pid;
	struct account account;
	char *dir;
	size_t dumps;
	uint64_t bytes;		/* of the dumps, on disk */
	bool readable;		/* the directory of dumps */
};

/* root: "" or a directory in place of /. conf: below it. It leaves out what the caller may not see. */
void watch_state_get(struct watch_state *s, const char *root, const char *conf);
void watch_state_free(struct watch_state *s);
/* Appends "runs (pid 12): 3 dumps written; 5 dumps take 12.0M". */
void watch_state_words(struct sbuf *b, const struct watch_state *s);
/* Writes it as a member. */
void watch_state_json(struct json *j, const char *key, const struct watch_state *s);

/* cmd_watch.c. What 'ctrace doctor' says of the watch, if it is configured. */
struct machine;
void watch_doctor(struct machine *m);

#endif
