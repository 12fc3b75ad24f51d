/* SPDX-License-Identifier: GPL-2.0-only */
/* Which container does a cgroup belong to? */
#ifndef CTRACE_IDENTITY_CGROUP_H
#define CTRACE_IDENTITY_CGROUP_H

#include <linux/types.h>

struct cgroup;
struct ctrace_who;
struct task_struct;

/*
 * For an event of a cgroup rather than a task: the known container that the cgroup lies in, or its
 * part, else the host; or, if the cgroup is too deep to decide, the unknown container. cgrp: of any
 * hierarchy; must not be freed during the call. Slower than the others, because it walks up the cgroups. Any
 * context incl. NMI; preemption off.
 */
void ctrace_identity_resolve_cgroup(const struct cgroup *cgrp, struct ctrace_who *who);

/*
 * Writes a cgroup's path below its hierarchy's root into buf, cut to size including the NUL. RCU read
 * side; any context. ctrace_identity_path(): of p's v2 cgroup; if that is the root, of the v1 cgroup
 * that identity looks at, if there is one.
 */
void ctrace_identity_cgroup_path(const struct cgroup *cgrp, char *buf, size_t size);
void ctrace_identity_path(const struct task_struct *p, char *buf, size_t size);

#endif /* CTRACE_IDENTITY_CGROUP_H */
