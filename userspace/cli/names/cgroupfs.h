/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the cgroup hierarchies are mounted, and what is in a cgroup. */
#ifndef CTRACE_CGROUPFS_H
#define CTRACE_CGROUPFS_H

#include <libctrace.h>
#include <stddef.h>

/*
 * The directory that PATH means: itself if it is an absolute one in a cgroup
 * mount, else PATH below the root of the first hierarchy that has it (v2 first, and last
 * one without a controller, of which the kernel tells no tracer who is where).
 * malloc()ed; NULL if there is none.
 */
char *cgroup_find(const char *path);
/* Processes in the container's cgroup and below; -errno if that cannot be told. */
long cgroup_processes(const struct ctrace_container *c);

#endif
