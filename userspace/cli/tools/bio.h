/* SPDX-License-Identifier: GPL-2.0-only */
/* ctrace bio: what its two files share. */
#ifndef CTRACE_BIO_H
#define CTRACE_BIO_H

#include "count/sums.h"
#include "names/io_limits.h"

/* Requests of a container on a disk. */
struct io {
	struct sum sum;		/* the first member, of all; total is bytes; borrows its texts */
	uint64_t reads, writes, flushes, discards, rbytes, wbytes;
	enum held {
		HELD_UNKNOWN,		/* it is no container's alone */
		HELD_LITTLE, HELD_LIMIT, HELD_QUEUE, HELD_DISK,
	} held;
	uint64_t period;	/* ns */
	const struct io_limits *limits;	/* of its container; NULL: not known */
};

/* The further sums: of durations, of the time before the issue, and of what limits took of that */
enum { IO_DURATION, IO_QUEUED, IO_THROTTLED };

/* The limits of all containers that were seen. */
struct bio_limits {
	struct seen *seen;	/* by cid */
	size_t n, room;
	char *v2, *v1;		/* root directories of the hierarchies, or NULL */
	bool ready;
};

/* Reads the files of new containers, each second: their cgroups may go before a row is shown. */
void bio_limits_look(struct view *v, struct bio_limits *l);
/* Fills limits and held of rows. */
void bio_limits_judge(struct view *v, struct bio_limits *l, struct io *ios, size_t n);
void bio_limits_free(struct bio_limits *l);

/* Prints what held up each of the rows where that matters, the one with the most time first. */
void bio_print_held(struct view *v, const struct io *ios, size_t n);
/* They write held_up_by, and limits. */
void json_held_up_by(struct json *j, const void *row);
void json_limits(struct json *j, const void *row);

#endif
