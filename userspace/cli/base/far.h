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
	FAR_DIED,	/* it ended, or said more than it may: far_place() */
	FAR_NOT,	/* it was not asked: too much time was spent on what was late, or there can be no process */
};

/* Serves a request: calls far_tell() as often as it likes. In that process; arg is as it was when the process was made. */
typedef void far_serve_fn(struct far *f, void *arg, const char *request);
/* Takes what far_tell() told. */
typedef void far_take_fn(void *arg, const char *told, size_t n);

struct far *far_new(far_serve_fn *serve, void *arg);
void far_free(struct far *f);
/*
 * Hands in what the process tells, at most `most` bytes of it. It is given up if it neither looks at another
 * file nor computes for FAR_QUIET, or after FAR_LONG. known: such a request was answered before, so it is made, however much time others took.
 */
#define FAR_QUIET	(2 * NSEC_PER_SEC)
#define FAR_LONG	(10 * NSEC_PER_SEC)
enum far_end far_ask(struct far *f, const char *request, size_t most, bool known, far_take_fn *take, void *arg);
/* The last path that it was at, when it was given up; raw. */
const char *far_place(const struct far *f);

/* In that process. The path that it looks at now; elsewhere, and if f is NULL, this does nothing. */
void far_at(struct far *f, const char *path);
void far_tell(struct far *f, const char *what, size_t n);

#endif
