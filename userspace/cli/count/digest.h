/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording has of each container: its calls, its time on and waiting for CPUs, disk and network. */
#ifndef CTRACE_COUNT_DIGEST_H
#define CTRACE_COUNT_DIGEST_H

#include "count/blame.h"
#include "count/view.h"

/* The parts that are counted, each if it was recorded. */
enum { OF_CALLS, OF_RUN, OF_WAIT, OF_BLOCK, OF_THROTTLED, OF_DISK, OF_TCP, NPARTS };
extern const char *const digest_events[NPARTS];

struct digest_line {
	uint64_t id;		/* of a call */
	char name[CTRACE_COMM_LEN + 1];	/* of a task */
	uint64_t n, errors, total, max;
	uint64_t hist[CTRACE_TABLE_BUCKETS];
};

struct digest_part {
	struct digest_line all, *v;	/* v: by call, or by name of a task */
	size_t n;
	uint64_t second;	/* the sum of the second field: received bytes */
};

struct digest_box {
	uint32_t cid;
	uint64_t events, lost;
	struct digest_part part[NPARTS];
};

struct digest_lost {
	uint32_t cid;
	uint64_t n;
};

struct digest {
	bool blames;		/* asks for culprits, too */
	bool has[NPARTS], has_blame;
	size_t group[NPARTS], blame_group;
	struct digest_box *v;
	size_t n;
	struct blame blame;	/* by container */
	uint64_t events, lost, began, ended;	/* of the period; CLOCK_MONOTONIC */
	uint64_t lost_of_all;
	struct digest_lost *lost_before;	/* of containers, when the period began */
	size_t nlost;
};

/* A view's groups, and after each period its containers, from the one with most events. */
int digest_groups(struct view *v, struct digest *d);
void digest_add_up(struct view *v, struct digest *d);
/* Forgets the period, before the next one. */
void digest_next(struct view *v, struct digest *d);
void digest_free(struct digest *d);

#endif
