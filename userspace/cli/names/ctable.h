/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The containers of a run: facts from the kernel, or from the list in a recording, and their names.
 * Dead containers stay in the table, since their records may still be in the rings.
 */
#ifndef CTRACE_CTABLE_H
#define CTRACE_CTABLE_H

#include <libctrace.h>
#include "base/json.h"
#include "names/names.h"

struct centry {
	struct ctrace_container c;
	char *label;		/* its name or a stand-in; raw, for JSON and comparing */
	char *shown;		/* the label, safe for a terminal */
	char *runtime;		/* from the path, or from the source of the name; "" if not known */
	bool known;		/* c came from the kernel; else only c.cid is set */
	bool named;		/* the label is a name, not a stand-in such as the id */
	uint64_t tried;		/* CLOCK_MONOTONIC, ns: when its name was last looked up */
	unsigned int round;	/* number of the last list that it was in */
};

struct ctable {
	struct ctrace *ct;	/* NULL: no module to ask (report, tests) */
	struct names *names;
	struct centry **v;	/* by cid, open addressing, size a power of two */
	size_t n, size;
	uint64_t names_read, listed;	/* when names were last read, and containers last listed */
	unsigned int round;	/* number of lists asked for so far */
	bool changed;		/* a container came, went or got a name since this was last cleared */
};

struct ctable *ctable_new(struct ctrace *ct);
void ctable_free(struct ctable *t);
/* Asks the kernel for all containers that live now. 0 or -errno. */
int ctable_list(struct ctable *t);
/* Follows births and deaths from now on. Returns the descriptor to poll, or -errno. */
int ctable_subscribe(struct ctable *t);
int ctable_dispatch(struct ctable *t);
/* Never NULL: a cid that is not known gets an entry with known == false. */
struct centry *ctable_get(struct ctable *t, uint32_t cid);
/* Adds a container from a file, with its label. Its name is not looked up again. */
void ctable_add(struct ctable *t, const struct ctrace_container *c, const char *label,
		const char *runtime, bool named);
/* The next entry, in no order; start with *i == 0. */
struct centry *ctable_next(struct ctable *t, size_t *i);
/* Writes the members of a container's JSON object, without the braces. */
void ctable_json(struct json *j, const struct centry *e);

#endif
