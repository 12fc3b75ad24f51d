/* SPDX-License-Identifier: GPL-2.0-only */
/* ctrace stuck: block requests, and TCP connections that are not established yet. */
#ifndef CTRACE_STUCK_H
#define CTRACE_STUCK_H

#include "base/json.h"
#include "net/sockets.h"
#include "run/run.h"

struct stuck_disk;

/* Of the targets, those that are at least as old as was asked for; the oldest first. */
struct stuck_requests {
	struct ctrace_request_info *v;
	size_t n;
	uint64_t longer;		/* ns */
	struct stuck_disk *disks;	/* with requests in them that ctrace does not know */
	size_t ndisks;
};

/*
 * Looks, in r's session; 0 or -errno. n rows at most are printed, after: below another table. account()
 * prints what cannot be seen to standard error.
 */
int stuck_requests_look(struct stuck_requests *q, struct run *r);
void stuck_requests_print(const struct stuck_requests *q, struct run *r, size_t n, bool after);
void stuck_requests_json(const struct stuck_requests *q, struct run *r, struct json *j, size_t n);
void stuck_requests_account(const struct stuck_requests *q);
void stuck_requests_free(struct stuck_requests *q);

struct stuck_connections {
	struct sockets s;
	const struct socket_at **v;	/* in s; the oldest first, then those whose age is not known */
	size_t n;
	uint64_t longer;		/* ns */
};

void stuck_connections_look(struct stuck_connections *c, struct run *r);
void stuck_connections_print(const struct stuck_connections *c, struct run *r, size_t n, bool after);
void stuck_connections_json(const struct stuck_connections *c, struct run *r, struct json *j, size_t n);
void stuck_connections_account(const struct stuck_connections *c);
void stuck_connections_free(struct stuck_connections *c);

#endif
