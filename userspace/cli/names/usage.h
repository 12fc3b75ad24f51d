/* SPDX-License-Identifier: GPL-2.0-only */
/* What a container has used: the files of its cgroup say so. */
#ifndef CTRACE_USAGE_H
#define CTRACE_USAGE_H

#include <libctrace.h>

struct usage;

/* Finds where the hierarchies are mounted. The caller frees the result. */
struct usage *usage_new(void);
void usage_free(struct usage *u);
/*
 * CPU time in ns, memory in bytes, of the container's cgroup and those below. false: it has no cgroup of its own,
 * or no controller counts there.
 */
bool usage_cpu(const struct usage *u, const struct ctrace_container *c, uint64_t *ns);
bool usage_memory(const struct usage *u, const struct ctrace_container *c, uint64_t *bytes);

#endif
