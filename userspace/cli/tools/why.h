/* SPDX-License-Identifier: GPL-2.0-only */
/* ctrace why: what its two files share. */
#ifndef CTRACE_WHY_H
#define CTRACE_WHY_H

#include "count/shares.h"
#include "count/threads.h"
#include "count/verdict.h"

#define SERVERS_MAX	64u	/* that were waited for; further ones are left out */

enum { RUNS, WAITS, SLEEPS, LATENCY };	/* groups */

/* Waits that ended. */
struct evidence {
	uint64_t n, longest;
	uint64_t hist[CTRACE_TABLE_BUCKETS];	/* empty: not known */
};

struct why {
	uint32_t cid;
	bool says_what;			/* says what the target is, before it looks */
	const char *because;		/* why this is the target, or NULL */
	size_t most;			/* culprits in JSON; 0: all */
	const char *name;
	struct threads threads;
	uint64_t began, ended;		/* of the period */
	uint64_t first, last;		/* of the whole recording, or of the period */
	bool parts;			/* of a recording: the threads know what they have of the whole */
	size_t n;			/* threads */
	uint64_t spent[SPENT_N], all;	/* ns */
	struct blame blame;
	const struct blame_victim *waits;	/* in blame, or NULL */
	uint64_t untold;		/* ns of SPENT_WAITED without a span that says who had the CPU */
	uint64_t ctrace;		/* ns of SPENT_WAITED in which ctrace had the CPU */
	struct evidence waited, asleep[SPENT_N];
	/*
	 * Other ends of connections, or if the connection was not seen, containers that ended waits for the
	 * network. The longest is first.
	 */
	struct server {
		struct other_end far;
		uint64_t ns;
	} servers[SERVERS_MAX];
	size_t nservers;
	struct verdict_in in;
	struct verdict verdict;
	/* live: its own settings, if waits for a CPU are the verdict; is its cgroup frozen? */
	bool has_settings, frozen;
	struct shares settings;
};

/*
 * cmd_why.c. The command, as a first look at a target. because: why this is the target, a sentence, or NULL.
 * Returns the status to exit with.
 */
int why_first(int argc, char **argv, const char *because);

/* --- why_what.c: what the target is --- */

/* Prints it, or writes it as a member. */
void why_what(const struct view *v, const struct why *w);
void why_what_json(const struct view *v, struct json *j, const struct why *w);

/* --- why_spent.c: from spans to causes --- */

/* Looks at the container's threads. Status after a message. */
int why_look(struct view *v);
/* Before the periods of a recording: adds up the spans of the whole. */
void why_span(struct view *v, struct why *w, const struct ctrace_record *rec, uint64_t from, uint64_t to);
/* Adds up the period, and decides. */
void why_make(struct view *v, struct why *w);

/* --- cmd_why.c: also for the page, which asks of several containers in one run --- */

/* The view's first groups. Status after a message: the recording lacks what is counted. */
int why_groups(struct view *v);
/* Of a recording: what is known of the threads of w->cid. */
void why_load(const struct view *v, struct why *w);
/* Adds the period up, and prints it; j: as an object of its own there. */
void why_print(struct view *v, struct why *w, struct json *j);
void why_free(struct why *w);

#endif
