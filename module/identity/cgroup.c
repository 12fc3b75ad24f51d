// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which container does a cgroup belong to? For events that have no task any more, but a cgroup that
 * the kernel remembers: a block request written back, a packet of a socket.
 *
 * The answer is the container with the nearest boundary at the cgroup or above. A container without
 * a boundary, which differs from its surroundings only in its pid namespace, cannot be recognised by a
 * cgroup: its events go to its outer container, or to the host. A container that is not known yet is
 * not made known, because there is no task to learn its pid namespace from.
 *
 * A target that names a cgroup wants these events as it wants those of tasks; on v1, only if the
 * event's cgroup is in the target's hierarchy.
 */
#include "identity/cgroup.h"
#include "identity/identity_internal.h"
#include "identity/rules.h"
#include "identity/look.h"
#include "identity/view.h"

/* *whole: the container is known, and so is the part of it that cgrp is in. */
static struct ctrace_container *whose(const struct cgroup *cgrp, bool change, bool *whole)
{
	struct ctrace_container *c = ctrace_rules_cgroup(&ctrace_rules, cgrp, change), *part;
	struct ctrace_place at = { .cg = { cgrp } };

	*whole = c;
	c = c ?: &ctrace_container_host;
	part = ctrace_rules_part(&ctrace_rules, &at, c, change);
	*whole &= !!part;
	return part ?: c;
}

void ctrace_identity_resolve_cgroup(const struct cgroup *cgrp, struct ctrace_who *who)
{
	unsigned long flags;
	bool whole;

	ctrace_identity_host(who);
	who->container = whose(cgrp, false, &whole);
	/* On v1 the container may be known by a cgroup of another hierarchy. Or its part is not made yet. */
	if (!whole && (READ_ONCE(ctrace_ident_state.nr_v1) || READ_ONCE(ctrace_rules.nr_named)) &&
	    ctrace_ident_lock(&flags)) {
		who->container = whose(cgrp, true, &whole);
		ctrace_ident_unlock(flags);
	}
	if (ctrace_container_base(who->container) == &ctrace_container_unknown)
		ctrace_container_count_unknown();
}

/* Only RCU protects the names: see ctrace_compat_cgroup_name(). */
void ctrace_identity_cgroup_path(const struct cgroup *cgrp, char *buf, size_t size)
{
	ctrace_look_path(&ctrace_rules, cgrp, buf, size);
}

void ctrace_identity_path(const struct task_struct *p, char *buf, size_t size)
{
	struct ctrace_place at;

	ctrace_identity_place(ctrace_compat_task_cset(p), NULL, &at);
	if (at.cg[1] && !ctrace_compat_cgroup_parent(at.cg[0]))
		at.cg[0] = at.cg[1];
	ctrace_identity_cgroup_path(at.cg[0], buf, size);
}
