/* SPDX-License-Identifier: GPL-2.0-only */
/* How many processes are in which cgroup. */
#ifndef CTRACE_PROCESSES_H
#define CTRACE_PROCESSES_H

#include <libctrace.h>

/*
 * Looks at all processes once, not at each cgroup: a host may have many more cgroups than processes. NULL:
 * this program does not see the whole host (it is in a cgroup namespace or a pid namespace, or has no /proc).
 * The caller frees the result with processes_free(), which takes NULL, too.
 */
struct processes *processes_read(void);
void processes_free(struct processes *p);
/*
 * The number of processes in the container's cgroup and below, or in its pid namespace if it has no cgroup of
 * its own. -ENOENT: p is NULL, or neither is known.
 */
long processes_in(const struct processes *p, const struct ctrace_container *c);

#endif
