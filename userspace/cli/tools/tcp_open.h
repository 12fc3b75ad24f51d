/* SPDX-License-Identifier: GPL-2.0-only */
/* ctrace tcp: connections that began before the session, and the open ones at the end of a period. */
#ifndef CTRACE_TCP_OPEN_H
#define CTRACE_TCP_OPEN_H

#include "count/view.h"
#include "net/sockets.h"
#include "run/recording.h"

/* A connection that the last look saw. */
struct tcp_known {
	uint64_t ns, cookie;		/* by which they are in order: no two have both */
	uint32_t cid;
	uint64_t tx, rx;
	bool before;			/* it began before the session */
	bool seen;			/* by the look that is under way, too */
};

/* Connections of a container and their bytes. */
struct tcp_bytes {
	uint64_t n, tx, rx;
};

/* Of a container, in a period. */
struct tcp_sum {
	uint32_t cid;
	uint64_t open, tx, rx;
	/* of connections that began before: bytes of all their lives, by events; when a look saw them last */
	struct tcp_bytes ended, gone;
};

struct tcp_open {
	struct sockets s;
	struct tcp_known *v;
	size_t n;
	struct tcp_sum *sums;
	size_t nsums;
	uint64_t before, left_before;	/* connections that had begun before; how many of them are open */
	uint64_t shared, left, left_ns;	/* of the first look, as in struct sockets */
	int refused;
	struct json_object *recorded;	/* the looks of a recording; NULL: live */
};

/* Before the session starts. r outlives the looks. others: for the other ends of connections, too */
void tcp_open_begin(struct tcp_open *o, struct run *r, bool others);
/* The same of a recording. False: it has no looks. */
bool tcp_open_load(struct tcp_open *o, const struct recording *r);
/* At the end of a run that shows lines. */
void tcp_open_end(struct tcp_open *o);
/* Each second. */
void tcp_open_tick(struct tcp_open *o);
/* Before the end of a period: n connections of cid that had begun before the session ended in it. */
void tcp_open_ended(struct tcp_open *o, uint32_t cid, uint64_t n, uint64_t tx, uint64_t rx);
/* At the end of a period: completes the sums. last: it is that of the run */
void tcp_open_period(struct tcp_open *o, bool last);
/* The sums were used: the next period begins. */
void tcp_open_next(struct tcp_open *o);
/* Prints lines to standard error. bytes: also what connections carried that are still open */
void tcp_open_print(const struct tcp_open *o, bool bytes);
void tcp_open_free(struct tcp_open *o);

#endif
