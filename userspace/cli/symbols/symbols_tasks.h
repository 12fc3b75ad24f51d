/* SPDX-License-Identifier: GPL-2.0-only */
/* Facts about each task, and the mappings of its process. */
#ifndef CTRACE_SYMBOLS_TASKS_H
#define CTRACE_SYMBOLS_TASKS_H

#include "symbols/perf_map.h"
#include "symbols/symbols.h"

struct map {
	uint64_t start, end, offset;
	char *name;		/* last part of the path; NULL: the file knows it */
	char *path;		/* of a mapping from /proc */
	struct mapped_file *file;
};

struct maps {
	struct map *v;
	size_t n, cap;
};

struct task {
	int32_t tid;
	int32_t pid;		/* its process, which has the mappings; 0: itself */
	uint64_t looked;
	/* a process's: its mappings could not be read in time, and are not read again */
	bool late;
	struct maps told, seen;	/* by records, in their order; in /proc */
	struct perf_map jit;	/* a process's */
};

/* All zero: none. */
struct tasks {
	struct task **v;	/* by tid */
	size_t n, nmaps;	/* nmaps: of all of them */
	size_t bytes;		/* of their names and paths */
};

void tasks_clear(struct tasks *ts);
/* True: they take more memory than they may, or would with three more; clear them all. */
bool tasks_many(const struct tasks *ts);
struct task *task_of(struct tasks *ts, int32_t tid);
/* NULL: nothing is known of it. */
struct task *task_known(const struct tasks *ts, int32_t tid);

void maps_clear(struct tasks *ts, struct maps *v);
#define MAPS_MAX	8192	/* mappings of one process; of those in records, the newest */
struct map *maps_append(struct tasks *ts, struct maps *v);
/* The same, with its path; the name is the last part of that, up to a space. */
struct map *maps_append_path(struct tasks *ts, struct maps *v, const char *path);
/* Adds a mapping, and drops the parts of older ones that it covers. */
void maps_tell(struct tasks *ts, struct maps *v, uint64_t start, uint64_t end, uint64_t offset, struct mapped_file *file);
/* from: mappings in records */
void maps_copy(struct tasks *ts, struct maps *to, const struct maps *from);
/* The newest mapping at addr; NULL: there was none. */
const struct map *maps_find(const struct maps *v, uint64_t addr);

#endif
