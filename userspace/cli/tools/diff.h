/* SPDX-License-Identifier: GPL-2.0-only */
/* ctrace diff: what its two files share. */
#ifndef CTRACE_DIFF_H
#define CTRACE_DIFF_H

#include "count/digest.h"
#include "export/export.h"
#include "run/window.h"

/* The numbers that are compared, times first; the first three of these say how much a container changed. */
enum what {
	RAN, WAITED, NO_QUOTA, SLEPT, CALL_TIME, TIMES,
	CALLS = TIMES, ERRORS, DISK_IOS, DISK_BYTES, TCP_ENDED, TCP_SENT, TCP_RECEIVED, NUMBERS,
};

struct diff_what {
	const char *text, *key;
	size_t part;		/* compared if this was recorded in both */
};
extern const struct diff_what diff_whats[NUMBERS];

enum { A, B, SIDES };

struct call {
	char *name;
	uint64_t n[SIDES], errors[SIDES], total[SIDES], p99[SIDES];
};

struct culprit {
	char *name;
	uint64_t ns[SIDES];
};

struct row {
	char *name;			/* of the container */
	uint64_t events[SIDES];
	uint64_t n[NUMBERS][SIDES];
	uint64_t p99[2][SIDES];		/* of waits for a CPU, and of disk requests */
	struct call *calls;
	size_t ncalls;
	struct culprit *culprits;
	size_t nculprits;
	double change;			/* seconds in a second */
};

struct side {
	const char *dir;
	struct window window;
	struct digest digest;
	uint64_t realtime;
};

struct diff {
	struct side side[SIDES];
	int now;			/* the side that is read */
	uint32_t top;
	struct row *v;
	size_t n;
};

/* Was this recorded in both? */
bool diff_both(const struct diff *d, enum what w);
double diff_seconds(const struct diff *d, int side);
/* n in a second. */
double diff_rate(const struct diff *d, int side, uint64_t n);
/* diff_json.c */
void diff_print_json(const struct diff *d);
/* One object, with at most so many rows, culprits and calls of each. */
void diff_put_json(const struct diff *d, size_t most, struct json *j);
/* The same of an earlier recording and this one. Status after a message. */
int diff_json(const char *old, const struct export_opts *now, size_t most, struct json *j);

#endif
