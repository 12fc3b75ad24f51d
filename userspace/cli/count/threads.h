/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples of containers' threads from /proc: for why, live and of a recording. */
#ifndef CTRACE_VIEW_THREADS_H
#define CTRACE_VIEW_THREADS_H

#include "count/descriptors.h"
#include "events/probes.h"
#include "names/ctable.h"

/* What a thread's time goes to. From SPENT_REQUESTS to SPENT_STOPPED it is at rest. */
enum spent {
	SPENT_RAN, SPENT_WAITED, SPENT_THROTTLED, SPENT_DISK, SPENT_KERNEL, SPENT_LOCKS, SPENT_NETWORK,
	SPENT_REQUESTS, SPENT_EVENTS, SPENT_IO_URING, SPENT_FILES, SPENT_HANDOVER, SPENT_CHILDREN,
	SPENT_YIELDED, SPENT_SLEPT, SPENT_OTHER, SPENT_STOPPED, SPENT_UNKNOWN, SPENT_N
};

struct thread {
	uint32_t cid;
	int32_t tid, pid;		/* pid 0: not known */
	/* CLOCK_MONOTONIC, ns: its beginning, to 10 ms; the last look that saw it */
	uint64_t start, seen;
	bool old;			/* the first look saw it */
	enum spent first, last;		/* what it was at, when it was seen; SPENT_UNKNOWN: it could run */
	int32_t fd;			/* at which it was last, if that is SPENT_NETWORK; -1: none */
	/* ns on a CPU, and waiting for one, by the kernel's account, last and first seen; 0: it keeps none */
	uint64_t ran, ran_first, waited, waited_first;
	/* for tools/cmd_why.c: what its spans say, in ns */
	uint64_t covered, covered_ran, covered_waited;	/* of the period */
	uint64_t all, all_ran, all_waited, before;	/* of the whole recording, and before the period */
};

struct threads {
	struct thread *v;		/* by cid and tid */
	size_t n;
	uint64_t looked;		/* CLOCK_MONOTONIC, ns: the last look; 0: none */
	struct descriptors fds;		/* at which they were seen asleep */
};

/* Looks at the threads of those containers. 0, or -errno: /proc cannot be read. */
int threads_look(struct threads *t, struct ctable *table, const struct ctrace_schema *s,
		 bool (*wants)(const void *arg, uint32_t cid), const void *arg);
/* NULL: no look saw it. */
struct thread *threads_find(const struct threads *t, uint32_t cid, int32_t tid);
/* A thread that no look saw. */
struct thread *threads_add(struct threads *t, uint32_t cid, int32_t tid);
void threads_free(struct threads *t);

/* --- threads_file.c: in a recording, beside its streams --- */

/* The events that why counts, up to NULL. A recording of all of them gets the threads, too. */
extern const char *const threads_events[];
bool threads_asked(const struct probes *p);
void threads_put(struct sbuf *b, const struct threads *t);
/* Adds the threads of cid. 0, or -errno: as of side_load(), side_*() in ctf/sink_ctf.h. */
int threads_load(struct threads *t, const char *dir, uint32_t cid);

/*
 * What a thread does that sleeps in this native system call; arg: as sched_block's, -1: not known. x NULL: no
 * look saw the thread.
 */
enum spent threads_in_call(const struct threads *t, const struct thread *x, const struct ctrace_schema *s,
			   long nr,
			   int32_t arg);
/* The call that a thread sleeps in. */
struct thread_call {
	long nr;			/* -1: none, or not known */
	uint64_t args[6];
};
/* Of the thread with that directory in /proc. */
struct thread_call thread_call_read(const char *dir);
/* What it does in there. A descriptor that it waits at is looked up in t. */
enum spent threads_at_call(struct threads *t, const struct thread *x, const struct ctrace_schema *s,
			   const struct thread_call *c);
/* In JSON. */
const char *spent_word(enum spent s);
/* What a sleep in this call is for, if nothing but its name is known: "openat", "compat_accept4". */
enum spent spent_of_call(const char *name);

#endif
