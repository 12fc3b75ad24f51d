/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process of its own that reads what others chose. A file system may not answer: a FUSE file system whose server sleeps,
 * NFS without a network. Whoever waits for it may not even be killed, so not we wait, but that process. If it does not answer
 * in time, it is killed and left alone, and a new one is made for the next request. It dies with us.
 *
 * It is a copy of ours, as it is at the first request after the last one was given up, without our descriptors, without our
 * mappings of rings, and with a limit to its memory.
 */
#ifndef CTRACE_FAR_H
#define CTRACE_FAR_H

#include "base/util.h"

struct far;

enum far_end {
	FAR_DONE,
	FAR_LATE,	/* it did not answer in time: far_place() */
	FAR_AGAIN,	/* the same, and the file system at fault is known and left alone from now on: ask again without it */
	FAR_DIED,	/* it ended, or said more than it may: far_place() */
	FAR_NOT,	/* it was not asked: too much time was spent on what was late, or too many have not ended */
	FAR_NONE,	/* there can be no process: errno */
};

/* Serves a request: calls far_tell() as often as it likes. In that process; arg is as it was when the process was made. */
typedef void far_serve_fn(struct far *f, void *arg, const char *request);
/* Takes what far_tell() told. */
typedef void far_take_fn(void *arg, const char *told, size_t n);

struct far_limits {
	size_t memory;	/* bytes that the process may have more than we */
	uint64_t quiet;	/* ns: it is given up if it neither looks at another file nor computes for so long; */
	uint64_t longest;	/* ns: or if one request takes longer; twice that, while it tells something */
	bool once;	/* a file system that did not answer is not asked again; see FAR_AGAIN */
};

struct far *far_new(far_serve_fn *serve, void *arg, struct far_limits limits);
void far_free(struct far *f);
/*
 * Hands in what the process tells, at most `most` bytes of it. known: such a request was answered before, so it is made,
 * however much time others took.
 */
enum far_end far_ask(struct far *f, const char *request, size_t most, bool known, far_take_fn *take, void *arg);
/* The last path that it was at, when it was given up; raw. */
const char *far_place(const struct far *f);

/* In that process: the path that it looks at now, for far_place(). Elsewhere it does nothing. */
void far_at(const char *path);
/*
 * Call it before a file system may be waited for. dev: its device; 0: not known, or none that could fail to answer. False:
 * it did not answer before, leave it alone. Outside that process it does nothing and returns true.
 */
bool far_touch(uint64_t dev);
bool far_is_here(void);		/* this is such a process */
#define FAR_TELL_MAX	((size_t)1 << 20)	/* bytes that are told at once */
void far_tell(struct far *f, const char *what, size_t n);

#endif
