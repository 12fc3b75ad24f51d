/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The TCP connections and listening sockets of containers, as they are at a look: which connections began
 * before a session, what they have carried, and which container is at the other end of one. They are read in
 * the network namespace of each container, by a separate process (base/far.h).
 *
 * A socket belongs to the container in whose v2 cgroup it was made, as the module sees it, too. Without that
 * (v1, before Linux 5.9), it belongs to the container whose processes alone are in the namespace; else its
 * container is not known.
 *
 * Containers may have very many sockets and namespaces. A look takes what it finds until it has SOCKETS_MAX
 * or NAMESPACES_MAX, or SOCKETS_TIME is over. It begins with the namespaces of targets, and counts the rest.
 */
#ifndef CTRACE_SOCKETS_H
#define CTRACE_SOCKETS_H

#include "names/ctable.h"
#include "net/sock_diag.h"

#define SOCKETS_MAX	65536u
#define SOCKETS_OTHER	8192u		/* of a namespace that no target is in */
#define NAMESPACES_MAX	1024u		/* half of them for targets */
#define ADDRESSES_MAX	16384u		/* of all namespaces */
#define SOCKETS_TIME	(2 * NSEC_PER_SEC)

struct socket_at {
	struct sock_ends ends;		/* first: by which they are in order */
	uint32_t ns;			/* its namespace, in sockets.ns */
	uint32_t cid;			/* CTRACE_CID_UNKNOWN: the namespace is shared */
	bool listens;
	bool wanted;			/* a target's */
	bool answers;			/* SYN_RECV; else, after a look at such connections, SYN_SENT */
	uint32_t again;			/* as in struct sock_told */
	uint64_t cookie, cgroup, tx, rx, age;
};

struct socket_address {
	uint8_t at[16];
	uint32_t bits;			/* of its network */
	uint32_t ns;
};

struct socket_ns {
	uint64_t inode;
	int32_t pid;			/* a process in it */
	uint32_t *cids;			/* the containers that have processes in it, and the host; sorted */
	size_t ncids;
	bool wanted;			/* a target has processes in it */
	bool host;			/* the machine's first */
};

/* The container at the local end of a connection that an event was about. */
struct socket_note {
	struct sock_ends ends;
	uint32_t cid;
	bool used;
};
#define SOCKET_NOTES	4096u

struct sockets {
	struct ctable *table;
	bool (*wants)(const void *arg, uint32_t cid);	/* targets; NULL: only the other ends are asked for */
	const void *wants_arg;
	bool opening;			/* looks are at connections that are not established yet */
	struct far *far;
	struct socket_at *v;		/* by ends */
	size_t n;
	struct socket_address *addresses;
	size_t naddresses;
	struct socket_ns *ns;
	size_t nns;
	struct socket_note *notes;
	uint64_t looked, took;		/* CLOCK_MONOTONIC, ns: the last look, 0: none; how long it took */
	size_t shared;			/* connections in targets' namespaces whose container is not known */
	size_t left_ns;			/* namespaces that were not read, or not to their end */
	uint64_t left;			/* sockets in them; of those beyond NAMESPACES_MAX it is not known */
	int refused;			/* errno: why one could not be entered, or read; 0: none */
};

struct json;
struct json_object;

void sockets_free(struct sockets *s);
/* Forgets what a look has found. */
void sockets_forget(struct sockets *s);
/* Looks anew, at namespaces of targets; others: at all, for the other ends of connections. */
void sockets_look(struct sockets *s, bool others);
/* Was the last look at least `least` ns ago, and ten times as long as it took? */
bool sockets_rested(const struct sockets *s, uint64_t least);

/* How a look adds to what it has found: */
void sockets_add_cid(struct socket_ns *n, uint32_t cid);
void sockets_sort(struct sockets *s);

/* --- sockets_file.c: in a recording --- */

/* Writes a look, as an object. */
void sockets_put(struct json *j, const char *key, const struct sockets *s);
/* Adds a look; NULL: nothing. */
void sockets_load(struct sockets *s, struct json_object *look);

/* --- peers.c --- */

/* The first of the first n sockets with these ends, or where it would be. */
size_t sockets_first(const struct sockets *s, size_t n, const struct sock_ends *e);

/* The socket that listens where x's local end is, in its namespace; NULL: none, or it is not known which. */
const struct socket_at *sockets_listener(const struct sockets *s, const struct socket_at *x);

/*
 * The container at the other end of cid's connection, or the host; CTRACE_CID_UNKNOWN: it is not on this
 * machine, or not known. *local: the other end may be on this machine, so a new look may find it.
 */
uint32_t sockets_peer(const struct sockets *s, uint32_t cid, const struct sock_ends *e, bool *local);
/* Remembers the container at the local end, for when the other end is asked for. */
void sockets_note(struct sockets *s, uint32_t cid, const struct sock_ends *e);
/* An address of 4 or 16 bytes, as struct sock_ends has it. False: n is neither. */
bool sock_address(uint8_t *to, const void *from, size_t n);
/* The same connection, as its other end has it. */
struct sock_ends sock_turned(const struct sock_ends *e);
/* Appends 10.0.0.2:5432 or [::1]:5432, the remote end. */
void sock_put_remote(struct sbuf *b, const struct sock_ends *e);

#endif
