/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of a container's cgroup, and of those above it, say about its share of disks. */
#ifndef CTRACE_IO_LIMITS_H
#define CTRACE_IO_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IO_LIMITS	64u	/* are read at most: a container may make cgroups inside its own */

struct io_limit {
	char *cgroup;		/* its path, from the root of the hierarchy */
	const char *file;	/* io.max, io.weight, ... */
	const char *word;	/* what it limits: rbps, wbps, riops, wiops; of other files "" */
	uint32_t dev;		/* as events have it; 0: all disks */
	enum io_limit_kind {
		IO_RBPS, IO_WBPS, IO_RIOPS, IO_WIOPS,	/* bytes and requests in a second, at most */
		IO_WEIGHT,		/* its part of a busy disk, beside its neighbours */
		/* us: if its requests take longer, neighbours with a larger number wait */
		IO_LATENCY,
	} kind;
	uint64_t value;
};

struct io_limits {
	struct io_limit *v;
	size_t n;
};

/*
 * Reads the limits of cgroup path; on v2 of those above it, too, which hold it back as well (on v1 each
 * cgroup has only its own). Weights, if they are not the default, and latencies are path's own. v2, v1: the
 * root directories of v2 and of v1's blkio, or NULL. False: there is no such cgroup, and *l is as it was. *l
 * is zeroed before the first time, and freed after the last.
 */
bool io_limits_read(struct io_limits *l, const char *v2, const char *v1, const char *path);
void io_limits_free(struct io_limits *l);

#endif
