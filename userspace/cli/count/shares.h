/* SPDX-License-Identifier: GPL-2.0-only */
/* What a container's own settings have to do with its waits for a CPU. For blame and why, live. */
#ifndef CTRACE_COUNT_SHARES_H
#define CTRACE_COUNT_SHARES_H

#include "count/blame.h"
#include "names/cgroup_files.h"

struct shares {
	uint32_t cid, culprit;		/* the neighbour with most of its waits; 0: there is none */
	/* of the two cgroups that share the CPUs: the container's, or one around it, and its neighbour's */
	const char *file;		/* cpu.weight or cpu.shares; NULL: not known */
	uint64_t own, other;
	/* of its first process */
	int nice;			/* 0: none of its own, or not known */
	bool idle;			/* SCHED_IDLE */
	/* how many CPUs it may run on, and how many are online; 0: not known */
	uint32_t cpus, online;
};

/*
 * Reads the settings, if they are worth a word: less weight, nice, SCHED_IDLE, fewer CPUs. false: none is, or
 * f is NULL, as for a recording, which is of another time.
 */
bool shares_read(const struct view *v, const struct cgroup_files *f, const struct blame_victim *x,
		 struct shares *s);
/* Appends a sentence for each, on a line of its own, without the last line's end. */
void shares_put(const struct view *v, struct sbuf *b, const struct shares *s);
/* An object `settings`. */
void shares_json(const struct view *v, struct json *j, const struct shares *s);

#endif
