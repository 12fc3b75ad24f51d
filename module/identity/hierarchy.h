/* SPDX-License-Identifier: GPL-2.0-only */
/* Which cgroup hierarchies are looked at. Process context. */
#ifndef CTRACE_HIERARCHY_H
#define CTRACE_HIERARCHY_H

#include <linux/types.h>

struct cgroup;
struct ctrace_named;

/* Looks which v1 hierarchies exist. The GC calls it each time it looks for the dead. May sleep. */
void ctrace_identity_refresh(void);
/* The hooks that report each move are registered. */
void ctrace_identity_moves_told(void);
/*
 * The GC calls it about once a second: before 4.9 these hooks are kprobes, and those may be blind
 * (compat/heartbeat.h).
 */
void ctrace_identity_moves_beat(void);

/*
 * Makes n, with want and deny set, name cgrp, to which the caller holds a reference: what is in cgrp or
 * below is wanted or denied from now on. path gets cgrp's path. -ENOENT: cgrp is being removed;
 * -EINVAL: it is a hierarchy's root; -EOPNOTSUPP: it is in a v1 hierarchy without a controller, where a
 * task's cgroup cannot be read without locks; -ENAMETOOLONG: it is deeper than CTRACE_CGROUP_DEPTH.
 */
int ctrace_identity_name(const struct cgroup *cgrp, struct ctrace_named *n, char *path, size_t size);
/*
 * Undoes ctrace_identity_name(). Events may still be wanted or denied because of n: by probes that are
 * running, and through what is remembered of dead tasks and requests. To end that, wait for a grace period,
 * then call ctrace_parts_unchoose() for every container. Then n may be freed.
 */
void ctrace_identity_unname(struct ctrace_named *n);

/* enum ctrace_cgroup_mode */
u32 ctrace_identity_cgroup_mode(void);

#endif /* CTRACE_HIERARCHY_H */
