/* SPDX-License-Identifier: GPL-2.0-only */
/* What became of triggers: how many dumps were written, and how many were not, by reason. And the rates. */
#ifndef CTRACE_WATCH_ACCOUNT_H
#define CTRACE_WATCH_ACCOUNT_H

#include "base/json.h"
#include "watch/config.h"

struct json_object;

enum unwritten {
	UNWRITTEN_RATE,		/* the container had its share */
	UNWRITTEN_RATE_ALL,	/* all together had theirs */
	UNWRITTEN_BUSY,		/* too many at once */
	UNWRITTEN_SPACE,	/* no room on the disk, or a dump alone is larger than the quota */
	UNWRITTEN_FAILED,	/* another error, which a message says */
	UNWRITTEN_INTERRUPTED,	/* the watch ended while it wrote */
	UNWRITTEN_N
};

struct account {
	uint64_t written;
	uint64_t unwritten[UNWRITTEN_N];
	uint64_t removed_quota, removed_age;	/* dumps that made room for others, or were old */
	uint64_t joined;	/* triggers that are in another one's dump: they came just before or after */
	uint64_t notices;	/* how often notices of births and deaths were lost */
	uint64_t records;	/* records of triggers that were overwritten before they were read */
	uint64_t untracked;	/* containers that there was no room for */
	uint64_t starts;	/* of the watch */
	uint64_t away_ns;	/* between its end and its next start, as far as one boot shows it */
};

extern const char *const unwritten_words[UNWRITTEN_N];

/* Writes it as a member. since: NULL, or an earlier state, whose numbers are subtracted. */
void account_put(struct json *j, const char *key, const struct account *a, const struct account *since);
/* What account_put() wrote; a member that is missing is 0. */
void account_load(struct account *a, struct json_object *o);
/* Appends "3 by rate, 1 busy", or nothing. */
void account_words(struct sbuf *b, const struct account *a);

/* --- rates: so many in a time, for each name and for all ------------------------------------ */

#define RATES_MAX	4096u

struct rate_use {
	char *name;		/* NULL: a free place */
	uint64_t began, every;	/* ns */
	uint32_t n;
};

struct rates {
	struct rate_use *v;
	size_t n;
	struct rate_use all;
};

/*
 * May there be one more of that name now (ns)? If so, it is counted. Else *why says which limit refuses it.
 */
bool rates_take(struct rates *r, const char *name, const struct rate_limit *one, const struct rate_limit *all,
		uint64_t now, enum unwritten *why);
void rates_free(struct rates *r);

#endif
