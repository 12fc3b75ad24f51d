/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_PERF_MAP_H
#define CTRACE_PERF_MAP_H

#include "symbols/symbols.h"

struct symbols_far;

/* A file as it was read; all zero: none. */
struct perf_map_file {
	unsigned long long ino;
	long long size, sec, nsec;	/* sec, nsec: when it was changed */
};

/* A process's functions from /tmp/perf-PID.map; all zero: none yet. */
struct perf_map {
	struct symtab t;	/* by address; of two functions in one place, the newer */
	uint64_t looked;	/* CLOCK_MONOTONIC, ns */
	bool never;		/* it did not answer */
	struct perf_map_file file;
};

/*
 * The pid of the task's process in its own namespace; 0: the task is gone, or the kernel is older than Linux
 * 4.1.
 */
int32_t perf_map_process(int32_t tid);
/*
 * Has the file of a living process read, if it has changed; asks twice a second at most. True: it was read.
 */
bool perf_map_look(struct perf_map *p, struct symbols_far *far, int32_t tid);
void perf_map_free(struct perf_map *p);
size_t perf_map_bytes(const struct perf_map *p);

/* Whose file: the process, its number in its own pid namespace, and its user. */
struct perf_map_of {
	int32_t pid, inner;
	uint32_t uid;
};
/* In the process that reads. False: the file is still what *f says, or there is none. */
bool perf_map_read(const struct perf_map_of *of, struct perf_map_file *f, struct symtab *t);

#endif
