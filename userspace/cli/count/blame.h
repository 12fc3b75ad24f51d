/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of sched_blame, added up by victim and culprit. For blame and why. */
#ifndef CTRACE_VIEW_BLAME_H
#define CTRACE_VIEW_BLAME_H

#include "count/view.h"

/* The keys of such a group's rows; --by adds to them. Three of six are left for it. */
#define BLAME_KEYS	"culprit, culprit_cid, culprit_comm"

struct blame_culprit {
	uint32_t kind;		/* enum ctrace_culprit; 0: the table was full, (other) */
	uint32_t cid;		/* of a neighbour or the host; else 0 */
	uint64_t ns;
	char *comm;		/* the task name with most of it, safe for a terminal; "" none */
	uint64_t comm_ns;
};

struct blame_victim {
	uint32_t cid;		/* CTRACE_CID_ALL: of ended and other containers */
	char *by;		/* the key of --by as text; "" none */
	uint64_t ns;		/* the sum of its culprits' */
	struct blame_culprit *v;	/* from the largest */
	size_t n;
};

struct blame {
	struct blame_victim *v;	/* from the largest */
	size_t n;
	struct blame_victim all;
};

/*
 * Adds up the gain of the group's tables. drop: keys that are not shown, or NULL. but: without the waits that
 * began for this reason (enum ctrace_wait_reason), which is a key; 0: all.
 */
void blame_make(struct view *v, size_t group, const char *drop, uint32_t but, struct blame *b);
void blame_free(struct blame *b);
/* Appends a container's name, or "(self)", "(idle)", ... */
void blame_put_culprit(const struct view *v, struct sbuf *b, const struct blame_culprit *c);
/* Is it ctrace itself, which runs on the host? A container's tasks may have its name. */
bool blame_is_observer(const struct blame_culprit *c);
/* Its name in JSON. */
const char *blame_kind(const struct blame_culprit *c);
void blame_json_culprits(const struct view *v, struct json *j, const struct blame_victim *x);

#endif
