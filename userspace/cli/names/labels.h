/* SPDX-License-Identifier: GPL-2.0-only */
/* Labels of containers in the output: two containers that live at the same time never share one. */
#ifndef CTRACE_LABELS_H
#define CTRACE_LABELS_H

#include <libctrace.h>
#include "base/util.h"

#define LABEL_ID	12	/* digits of an id that stand in for a name */

/* The form of a container's label, which no other living container shares. */
enum label_apart {
	APART_BY_NAME,
	APART_BY_NAMESPACE,
	APART_BY_CID,
};

/* How many living containers have this name, or this id. */
struct label_use {
	char *word;
	unsigned int named;	/* of these, by a store, or by a path that the system made */
	unsigned int all;
};

struct labels {
	struct label_use *v;	/* open addressing, size a power of two */
	size_t n, size;
};

void labels_free(struct labels *l);
/* A living container gets (by = 1) or loses (-1) a name, or an id. */
void labels_count(struct labels *l, const char *word, bool named, int by);
/* {0, 0} if no living container has it. Valid until the next labels_count(). */
struct label_use labels_use(const struct labels *l, const char *word);
/* Could the word alone be mistaken for another container's label, or for a target such as "all"? */
bool label_misleads(const char *word, uint32_t cid);

/*
 * Appends a label as it is shown: safe for a terminal, and at most LABEL_SHOWN columns. One that is cut ends
 * with the cid, so that no other looks like it.
 */
#define LABEL_SHOWN	96
void label_show(struct sbuf *b, const char *label, uint32_t cid);

/*
 * A stand-in for a name: the beginning of the id, else the name of the cgroup or of the pid namespace.
 * *by_path: it is the name that lxc or nspawn put into the path.
 */
char *label_stand_in(const struct ctrace_container *c, bool known, bool *by_path);

#endif
