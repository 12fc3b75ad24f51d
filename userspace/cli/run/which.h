/* SPDX-License-Identifier: GPL-2.0-only */
/* Which container a word of the command line means: a name, a number, the beginning of an id. */
#ifndef CTRACE_WHICH_H
#define CTRACE_WHICH_H

#include "names/ctable.h"

/* people copy so many digits of an id: then a name of these digits does not come first */
#define ID_SHORT	12

struct which {
	struct centry **v;
	size_t n;
};

/*
 * Finds the one container that word means. NULL: none, or several, and *status is the exit status after a
 * message. Several are never taken together: a name is no identity.
 */
struct centry *which_container(struct ctable *t, const char *word, int *status);
/* The same, and cid:N and host. */
struct centry *which_target(struct ctable *t, const char *word, int *status);
/* Is it the name, number or id of a container that lives, or of several? */
bool which_known(struct ctable *t, const char *word);
/* Offers the names of those that live. */
struct nearest;
void which_offer(struct ctable *t, struct nearest *near);
/* Does word mean any container that lives: one of the system's, or by its number another? */
bool which_any(struct ctable *t, const char *word);
/*
 * Finds the containers of the pod that word means, or if ns is set, of all pods of that namespace. The
 * system's pods come before users', who may give their pods any name. CLI_OK, and the caller frees w->v; or
 * the exit status after a message: there are none, or they are of several pods, or of several owners.
 */
int which_pod(struct ctable *t, const char *word, bool ns, struct which *w);
/* The living container of this number, or NULL. */
struct centry *which_cid(struct ctable *t, uint32_t cid);
/* Says that word means no container, and what it may mean. Returns the exit status. */
int which_none(struct ctable *t, const char *word);
/* Appends which units or other cgroups are called word, as targets; or nothing. uid: as of units_find(). */
void which_units(struct sbuf *b, const char *word, const uint32_t *uid);

#endif
