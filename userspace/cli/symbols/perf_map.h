/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CTRACE_PERF_MAP_H
#define CTRACE_PERF_MAP_H

#include <sys/types.h>
#include <time.h>
#include "symbols/symbols.h"

/* What a process told of its functions in /tmp/perf-PID.map; all zero: nothing yet. */
struct perf_map {
	struct symtab t;	/* by address; of two functions in one place, the newer */
	uint64_t looked;	/* CLOCK_MONOTONIC, ns */
	ino_t ino;		/* the file, as it was read */
	off_t size;
	struct timespec mtime;
};

/* The number of the task's process; 0: the task is gone, or the kernel does not tell (before Linux 4.1). */
int32_t perf_map_process(int32_t tid);
/* Reads the file of a living process, if it has changed; asks twice a second at most. True: it was read. */
bool perf_map_look(struct perf_map *p, int32_t tid);
void perf_map_free(struct perf_map *p);
size_t perf_map_bytes(const struct perf_map *p);

#endif
