// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose is a cgroup? For events that no task stands behind any more, of which the
 * kernel remembers the cgroup: a block request written back, a packet of a socket.
 *
 * The answer is the container that has the nearest boundary. What shares
 * a cgroup with others and differs in its pid namespace alone cannot be told
 * from it there: that is its outer container's, or the host's. A container that is not
 * known yet is not made known: there is no task to learn its namespace from.
 * Targets that name a cgroup want these events as they want the tasks' (on v1, of their own hierarchy).
 */
#include "identity/identity.h"
#include "identity/rules.h"
#include "identity/rules_internal.h"
#include "identity/scan.h"

/* whole: it is known, and so is the part of it that cgrp is in. */
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
	/* On v1 it may be known by its cgroup in another hierarchy; or it is the first event of a part. */
	if (!whole && (READ_ONCE(ctrace_ident_state.nr_v1) || READ_ONCE(ctrace_rules.nr_named)) &&
	    ctrace_ident_lock(&flags)) {
		who->container = whose(cgrp, true, &whole);
		ctrace_ident_unlock(flags);
	}
}

/* RCU is all that protects the names: see ctrace_compat_cgroup_name(). */
void ctrace_identity_cgroup_path(const struct cgroup *cgrp, char *buf, size_t size)
{
	ctrace_learn_path(&ctrace_rules, cgrp, buf, size);
}

void ctrace_identity_path(const struct task_struct *p, char *buf, size_t size)
{
	struct ctrace_place at;

	ctrace_identity_place(ctrace_compat_task_cset(p), NULL, &at);
	if (at.cg[1] && !ctrace_compat_cgroup_parent(at.cg[0]))
		at.cg[0] = at.cg[1];
	ctrace_identity_cgroup_path(at.cg[0], buf, size);
}
