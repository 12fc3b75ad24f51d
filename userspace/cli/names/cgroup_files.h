/* SPDX-License-Identifier: GPL-2.0-only */
/* A container's use of resources and its limits, from the files of its cgroup. */
#ifndef CTRACE_CGROUP_FILES_H
#define CTRACE_CGROUP_FILES_H

#include <libctrace.h>

struct cgroup_files;

/* Finds where the hierarchies are mounted. The caller frees the result. */
struct cgroup_files *cgroup_files_new(void);
void cgroup_files_free(struct cgroup_files *f);

/*
 * All of these are about the container's cgroup and those below, on v2 and v1. false: it has no cgroup of its
 * own, or no controller counts there.
 */
bool cgroup_cpu_used(const struct cgroup_files *f, const struct ctrace_container *c, uint64_t *ns);
bool cgroup_memory_used(const struct cgroup_files *f, const struct ctrace_container *c, uint64_t *bytes);
/* false: it has no limit of its own, too. */
bool cgroup_memory_limit(const struct cgroup_files *f, const struct ctrace_container *c, uint64_t *bytes);

/* Is it frozen, or a cgroup around it? */
bool cgroup_frozen(const struct cgroup_files *f, const struct ctrace_container *c);
/* How many threads are in it. */
bool cgroup_threads(const struct cgroup_files *f, const struct ctrace_container *c, uint64_t *n);
/* How many processes are in it. each: NULL, or called for every one with its pid on the host. */
struct cgroup_each {
	void (*fn)(int32_t pid, void *arg);
	void *arg;
};
bool cgroup_processes(const struct cgroup_files *f, const struct ctrace_container *c, const struct cgroup_each *each,
		      uint64_t *n);

/* How much CPU time a cgroup may use in each period, and how often it ran out since the cgroup was made. */
struct cgroup_quota {
	uint64_t quota, period;		/* ns; quota 0: no limit */
	uint64_t periods;		/* that it ran in */
	uint64_t throttled;		/* of these: its quota ran out on some CPU */
	uint64_t throttled_ns;		/* of all CPUs, added up */
	uint64_t number;		/* of the directory; the lower half of the cgroup's id */
};
bool cgroup_quota_read(const struct cgroup_files *f, const struct ctrace_container *c, struct cgroup_quota *q);
/*
 * The same of a cgroup above or below the container's. path: from the root of the hierarchy, as the container
 * has its own.
 */
bool cgroup_quota_at(const struct cgroup_files *f, const struct ctrace_container *c, const char *path,
		     struct cgroup_quota *q);
/*
 * Calls fn with the path of each cgroup below the container's that has a quota. Most have none below: that
 * is one stat(). Of more than 256, only some are looked at.
 */
void cgroup_quota_below(const struct cgroup_files *f, const struct ctrace_container *c,
			void (*fn)(void *arg, const char *path, const struct cgroup_quota *q), void *arg);

/*
 * The weights by which two containers share the CPUs: of their cgroups, or the ones around them, that have
 * the same parent. Returns the name of the file that has them, cpu.weight (v2) or cpu.shares (v1); NULL: one
 * contains the other, or is the host, or the controller is not mounted.
 */
const char *cgroup_weights(const struct cgroup_files *f, const struct ctrace_container *a,
			   const struct ctrace_container *b, uint64_t *of_a, uint64_t *of_b);

/*
 * The share of time, in percent, that some of its tasks waited for a CPU in the last 10 s and 60 s. v2 alone
 * has it.
 */
bool cgroup_cpu_pressure(const struct cgroup_files *f, const struct ctrace_container *c, double *avg10, double *avg60);

#endif
