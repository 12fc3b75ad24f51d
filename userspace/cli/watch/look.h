/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the watch knows of each container besides its records: a look at its cgroup's files now and then, so
 * that a dump has numbers from before; and how its processes ended.
 */
#ifndef CTRACE_WATCH_LOOK_H
#define CTRACE_WATCH_LOOK_H

#include "base/json.h"
#include "names/cgroup_files.h"
#include "names/ctable.h"

#define LOOK_FILES	8u
#define LOOK_MAX	20000u	/* containers that are looked at; further ones are counted */

struct look_files {
	uint64_t time;			/* CLOCK_MONOTONIC, ns; 0: no look */
	char *text[LOOK_FILES];		/* NULL: there is no such file */
};

/* How a process ended, or what ended it. */
struct last_end {
	uint64_t time;			/* 0: none */
	int32_t status;			/* as wait() gives it */
	int32_t pid;
};

struct last_kill {
	uint64_t time;
	int32_t sig, sender_tid, tid;
	uint32_t sender_cid;
	char comm[16];			/* the sender's, if it was still there */
};

struct looked {
	struct looked *next;		/* of the same bucket */
	uint32_t cid;
	uint64_t due;			/* CLOCK_MONOTONIC, ns: of the next look */
	struct look_files before;
	struct cgroup_quota quota;	/* at that look */
	bool has_quota;
	struct last_end end;		/* of any process that failed */
	struct last_kill kill;		/* of its init */
	uint64_t oom;			/* when the OOM killer took one of its processes; 0: never */
	char oom_text[96];
	bool ended;			/* its end set a trigger off */
};

#define LOOK_BUCKETS	4096u

struct looks {
	char *v2, *cpu, *memory;	/* roots of hierarchies, or NULL */
	struct cgroup_files *files;
	struct looked *buckets[LOOK_BUCKETS];
	size_t n;
};

void looks_init(struct looks *l);
void looks_free(struct looks *l);
/* NULL: too many */
struct looked *looks_get(struct looks *l, uint32_t cid);
struct looked *looks_find(const struct looks *l, uint32_t cid);
void looks_forget(struct looks *l, uint32_t cid);

void look_files_read(const struct looks *l, const struct ctrace_container *c, struct look_files *f);
void look_files_free(struct look_files *f);
/* Writes them as a member. */
void look_files_put(struct json *j, const char *key, const struct look_files *f);
/*
 * What "some avg10=" or "full avg10=" says in the pressure file of a resource, PRESSURE_*. False: the
 * kernel has none.
 */
bool look_pressure(const struct look_files *f, int resource, bool full, double *percent);

#endif
