/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the descriptors lead to at which threads sleep, as /proc shows it: for why. A thread that waits for
 * the answer of a server is held up; one that waits for the next request of a client is at rest, in the same
 * call.
 */
#ifndef CTRACE_COUNT_DESCRIPTORS_H
#define CTRACE_COUNT_DESCRIPTORS_H

#include "net/sockets.h"

enum leads {
	LEADS_UNKNOWN,
	LEADS_SERVER,	/* a socket that the process connected, or one of a pair */
	LEADS_CLIENTS,	/* a socket that listens, or that was accepted */
	LEADS_PIPE,
	LEADS_EVENTS,	/* a terminal, eventfd, timerfd, inotify, ... */
	LEADS_FILE,
	LEADS_GO,	/* of DESCRIPTOR_FUTEX: the waits of a Go program, where goroutines hand over */
	LEADS_N
};

#define DESCRIPTOR_FUTEX	(-1)	/* stands for the process's futexes */

/* The other end of a TCP connection. */
struct other_end {
	char address[64];	/* 10.0.0.2:5432; "": not known */
	uint32_t cid;		/* CTRACE_CID_UNKNOWN: not known, or on another machine */
};

struct descriptor {
	int32_t pid, fd;
	enum leads leads;
	uint32_t cid;		/* the process's container */
	struct sock_ends ends;	/* of a TCP connection, if is_tcp */
	bool is_tcp;
	struct other_end far;
};

struct descriptors {
	struct descriptor *v;	/* by pid and fd */
	size_t n;
	struct netns *ns;	/* sockets, read in this look */
	size_t nns;
};

/*
 * Looks a descriptor up once, whether or not that succeeds; later changes are not noticed. Bounded: at most
 * DESCRIPTORS_MAX are kept, the others stay unknown, and a look reads the sockets of at most four network
 * namespaces.
 */
#define DESCRIPTORS_MAX	8192u
void descriptors_look(struct descriptors *d, uint32_t cid, int32_t pid, int32_t fd);
/* Adds a copy, unless the descriptor is known already or there is no room. */
void descriptors_add(struct descriptors *d, const struct descriptor *x);
/* NULL: it is not known. */
const struct descriptor *descriptors_at(const struct descriptors *d, int32_t pid, int32_t fd);
/* Finds the containers at the other ends of connections: live. clients: also of those that were accepted */
void descriptors_far(struct descriptors *d, struct ctable *t, bool clients);
enum leads descriptors_find(const struct descriptors *d, int32_t pid, int32_t fd);
/* The look has ended: the next one reads sockets anew. */
void descriptors_end(struct descriptors *d);
void descriptors_free(struct descriptors *d);

/* In JSON. */
const char *leads_word(enum leads l);
enum leads leads_of(const char *word);

#endif
