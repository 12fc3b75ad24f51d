/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the cgroup hierarchies are mounted, and who owns a cgroup. */
#ifndef CTRACE_CGROUPFS_H
#define CTRACE_CGROUPFS_H

#include <libctrace.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Returns the directory that path means: path itself, without links, if it is absolute and in a cgroup mount;
 * else path below the root of the first hierarchy that has it. v2 comes first. Hierarchies without a
 * controller come last, because tracers cannot learn from the kernel which task is where in them.
 * The caller frees the result; NULL: there is no such directory.
 */
char *cgroup_find(const char *path);
/*
 * The path of the cgroup that path means, as in /proc/PID/cgroup, and its hierarchy's number (0: v2); NULL:
 * none.
 */
char *cgroup_path(const char *path, uint32_t *hierarchy);
/*
 * The root directory of the hierarchy where systemd keeps units: v2, or v1's own. The caller frees it; NULL:
 * none.
 */
char *cgroup_of_systemd(void);
/*
 * The root directory of v2 (controller NULL), or of the v1 hierarchy that has it. The caller frees it; NULL:
 * none.
 */
char *cgroup_root(const char *controller);
/*
 * Could only root make the container's cgroup? Yes if root owns every directory above it. The cgroup's own
 * directory may have another owner: runtimes give it away for user namespaces.
 */
bool cgroup_only_roots(const struct ctrace_container *c);
/* Does path exist, and could only root make or change it and the directories above it? */
bool path_only_roots(const char *path);

#endif
