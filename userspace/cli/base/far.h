/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A separate process that reads files which others chose. Their file system may never answer: FUSE whose
 * server sleeps, NFS without a network. A process that waits for it may be beyond even SIGKILL, so the
 * separate process waits in our place. If it does not answer in time, it is killed and abandoned, and the
 * next request makes a new one. It dies with us.
 *
 * It is a fork of ours, made at the first request, or at the first one after the last process was given up.
 * It has none of our descriptors, none of our mappings of rings, and a limit to its memory.
 */
#ifndef CTRACE_FAR_H
#define CTRACE_FAR_H

#include "base/util.h"

struct far;

enum far_end {
	FAR_DONE,
	FAR_LATE,	/* it did not answer in time: far_place() */
	/* the same, and the file system at fault is known and left alone from now on: ask again without it */
	FAR_AGAIN,
	FAR_DIED,	/* it ended, or said more than it may: far_place() */
	/* not asked: late requests took too much time, or too many processes have not ended */
	FAR_NOT,
	FAR_NONE,	/* there can be no process: errno */
};

/* Serves a request, in that process: answers with any number of far_tell(). arg is as it was at the fork. */
typedef void far_serve_fn(struct far *f, void *arg, const char *request);
/* Takes one far_tell() of the answer. */
typedef void far_take_fn(void *arg, const char *told, size_t n);

struct far_limits {
	size_t memory;	/* bytes of address space that the process may add to those that it has at the fork */
	uint64_t quiet;	/* ns: it is given up after this time without looking at another file or computing, */
	uint64_t longest;	/* ns: or if a request takes longer; twice that while its answer arrives */
	bool once;	/* a file system that did not answer is not asked again; see FAR_AGAIN */
};

struct far *far_new(far_serve_fn *serve, void *arg, struct far_limits limits);
void far_free(struct far *f);
/*
 * Passes the answer to take(), at most `most` bytes of it. known: such a request was answered before, so it
 * is made however much time late ones took.
 */
enum far_end far_ask(struct far *f, const char *request, size_t most, bool known, far_take_fn *take, void *arg);
/* The last path that the process looked at before it was given up; raw. */
const char *far_place(const struct far *f);

/* In that process: the path that it looks at now, for far_place(). Elsewhere it does nothing. */
void far_at(const char *path);
/*
 * Call it before an operation that may wait for a file system. dev: its device; 0: not known, or one that
 * always answers. False: it did not answer before, leave it alone. Outside that process it does nothing and
 * returns true.
 */
bool far_touch(uint64_t dev);
bool far_is_here(void);		/* this is such a process */
#define FAR_TELL_MAX	((size_t)1 << 20)	/* bytes of one far_tell() */
void far_tell(struct far *f, const char *what, size_t n);

#endif
