/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the cgroup hierarchies are mounted. */
#ifndef CTRACE_CGROUPFS_H
#define CTRACE_CGROUPFS_H

/*
 * Returns the directory that path means: path itself, without links, if it is absolute and in a cgroup mount;
 * else path below the root of the first hierarchy that has it. v2 comes first. Hierarchies without a
 * controller come last, because the kernel does not tell tracers which task is where in them.
 * The caller frees the result; NULL: there is no such directory.
 */
char *cgroup_find(const char *path);

#endif
