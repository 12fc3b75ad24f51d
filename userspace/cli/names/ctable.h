/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The containers of a run: facts from the kernel (or a trace's own list), and
 * their names. Dead ones stay, since their records may still be in the rings.
 */
#ifndef CTRACE_CTABLE_H
#define CTRACE_CTABLE_H

#include <libctrace.h>
#include "base/json.h"
#include "names/names.h"

struct centry {
	struct ctrace_container c;
	char *label;		/* what it is called; raw, for JSON and comparing */
	char *shown;		/* the same, safe for a terminal */
	char *runtime;		/* from the path, or from who knew the name; "" */
	bool known;		/* c came from the kernel; else only c.cid is set */
	bool named;		/* the label is a name, not an id standing in */
	uint64_t tried;		/* CLOCK_MONOTONIC when last looked up */
	unsigned int round;	/* of the list that it was last in */
};

struct ctable {
	struct ctrace *ct;	/* NULL: nobody to ask (report, tests) */
	struct names *names;
	struct centry **v;	/* by cid, open addressing, size a power of two */
	size_t n, size;
	uint64_t names_read, listed;
	unsigned int round;	/* lists asked for so far */
	bool changed;		/* something came, went or was named since last cleared */
};

struct ctable *ctable_new(struct ctrace *ct);
void ctable_free(struct ctable *t);
/* Asks the kernel for all that live now. 0 or -errno. */
int ctable_list(struct ctable *t);
/* Births and deaths from here on; the descriptor to poll, or -errno. */
int ctable_subscribe(struct ctable *t);
int ctable_dispatch(struct ctable *t);
/* Never NULL: an unheard-of cid gets an entry that says so. */
struct centry *ctable_get(struct ctable *t, uint32_t cid);
/* For a list read from a file: label given, nobody is asked again. */
void ctable_add(struct ctable *t, const struct ctrace_container *c, const char *label,
		const char *runtime, bool named);
/* Next entry in no order; start with *i == 0. */
struct centry *ctable_next(struct ctable *t, size_t *i);
/* One container's members, without the braces. */
void ctable_json(struct json *j, const struct centry *e);

#endif
