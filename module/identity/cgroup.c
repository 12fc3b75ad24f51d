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
 * A target that names a cgroup wants these events as it wants events of tasks; on v1, only if the event's
 * cgroup is in the target's hierarchy.
 */
#include "identity/cgroup.h"
#include "identity/identity_internal.h"
#include "identity/rules.h"
#include "identity/look.h"
#include "identity/kernel.h"
#include "compat/hash.h"

/* *known: the container is. *whole: and so is the part of it that the cgroup is in. */
static struct ctrace_container *whose(const struct ctrace_seen *of, bool change, bool *known, bool *whole)
{
	struct ctrace_container *c = ctrace_rules_cgroup(&ctrace_rules, of, change), *part;

	*known = c;
	c = c ?: &ctrace_container_host;
	part = ctrace_rules_part(&ctrace_rules, &of->at, c, change);
	*whole = *known && part;
	return part ?: c;
}

/*
 * Cgroups of containers that are not known under ident_lock either. Each entry is one word: a cgroup's key,
 * mixed with how many boundaries had been learned by then; so it is forgotten as soon as another one is
 * learned, which may be the cgroup's. Any CPU writes any entry at any time. At the worst the lock is taken
 * once more.
 */
#define UNKNOWN_BITS	6
static u64 unknown[1 << UNKNOWN_BITS];

static u64 unknown_word(u64 key, u32 learned)
{
	return key ^ ((u64)learned + 1) * 0x9e3779b97f4a7c15ull;
}

void ctrace_identity_resolve_cgroup(const struct cgroup *cgrp, struct ctrace_who *who)
{
	u32 learned = READ_ONCE(ctrace_rules.learned);
	struct ctrace_seen of = { .at.cg = { cgrp } };
	bool known, whole;
	unsigned long flags;
	u64 key, *place;

	ctrace_identity_host(who);
	ctrace_look_names(&ctrace_rules, &of);
	who->container = whose(&of, false, &known, &whole);
	/* On v1 the container may be known by a cgroup of another hierarchy. Or its part is not made yet. */
	if (!whole && (READ_ONCE(ctrace_ident_state.nr_v1) || READ_ONCE(ctrace_rules.nr_named))) {
		key = ctrace_kernel_key(cgrp);
		place = &unknown[ctrace_hash(key, UNKNOWN_BITS)];
		if ((known || READ_ONCE(*place) != unknown_word(key, learned)) && ctrace_ident_lock(&flags)) {
			who->container = whose(&of, true, &known, &whole);
			if (!known)
				WRITE_ONCE(*place, unknown_word(key, learned));
			ctrace_ident_unlock(flags);
		}
	}
	if (ctrace_container_base(who->container) == &ctrace_container_unknown)
		ctrace_container_count_unknown();
}

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
