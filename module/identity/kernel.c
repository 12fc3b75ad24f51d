// SPDX-License-Identifier: GPL-2.0-only
/* The kernel, as look.c sees it, and where a task is in it. */
#include <linux/cgroup.h>
#include <linux/pid_namespace.h>
#include "identity/rules.h"
#include "identity/kernel.h"
#include "compat/pidns.h"
#include "compat/task.h"

struct ctrace_ident_state ctrace_ident_state __read_mostly = { .cache_gen = 1 };

static const void *cg_parent(const void *cg)
{
	return ctrace_compat_cgroup_parent(cg);
}

static const void *cg_ancestor(const void *cg, int level)
{
	return ctrace_compat_cgroup_ancestor(cg, level);
}

static u64 cg_id(const void *cg)
{
	return ctrace_compat_cgroup_id(cg);
}

static u32 cg_hierarchy(const void *cg)
{
	return ctrace_compat_cgroup_is_dfl(cg) ? 0 : ctrace_compat_cgroup_hierarchy(cg);
}

static const char *cg_name(const void *cg, char *buf)
{
	BUILD_BUG_ON(CTRACE_CGROUP_NAME != CTRACE_COMPAT_CGROUP_NAME);
	return ctrace_compat_cgroup_name(cg, buf);
}

static bool cg_online(const void *cg)
{
	return ctrace_compat_cgroup_online(cg);
}

static const void *ns_parent(const void *ns)
{
	return ((const struct pid_namespace *)ns)->parent;
}

static bool ns_closed(const void *ns)
{
	return ctrace_compat_pidns_closed(ns);
}

static u32 ns_inum(const void *ns)
{
	return ctrace_compat_pidns_inum(ns);
}

static void ns_get(const void *ns)
{
	get_pid_ns((struct pid_namespace *)ns);
}

static void ns_put(const void *ns)
{
	put_pid_ns((struct pid_namespace *)ns);
}

/*
 * The task's cgroup in the next v1 hierarchy from *i on, by order of controllers, where it is not at the
 * root.
 */
static __always_inline struct cgroup *v1_cgroup(const struct css_set *cset, u32 *i)
{
	/* pairs with the release in ctrace_identity_refresh() */
	u32 n = smp_load_acquire(&ctrace_ident_state.nr_v1);

	while (*i < n) {
		struct cgroup *cg;

		cg = ctrace_compat_cset_subsys(cset, READ_ONCE(ctrace_ident_state.v1_ssid[(*i)++]));
		if (cg && ctrace_compat_cgroup_parent(cg) && cg_hierarchy(cg))
			return cg;
	}
	return NULL;
}

/* The cgroup in the i-th of also_ssid[]'s hierarchies; NULL: it is the root, or is `first`. */
static const struct cgroup *also(const struct css_set *cset, u32 i, const struct cgroup *first)
{
	const struct cgroup *cg;

	cg = ctrace_compat_cset_subsys(cset, READ_ONCE(ctrace_ident_state.also_ssid[i]));
	return cg && cg != first && ctrace_compat_cgroup_parent(cg) ? cg : NULL;
}

/*
 * The first v1 cgroup's key, mixed with the keys of the cgroups that also() yields. For two places in the
 * same two hierarchies, the mixtures are equal only if the difference of the first cgroups' ids, times a
 * number close to 2^64 divided by the golden ratio, equals the difference of the other cgroups' ids (modulo
 * 2^64). That cannot happen while ids are below 2^30. With more hierarchies, or where ids have a serial
 * number in their upper half (compat/cgroup.h), it is only very improbable.
 */
u64 ctrace_identity_v1_key(const struct css_set *cset)
{
	u32 i = 0, n;
	const struct cgroup *cg = v1_cgroup(cset, &i), *other;
	u64 key = cg ? ctrace_key(cg_hierarchy(cg), cg_id(cg)) : 0;

	n = smp_load_acquire(&ctrace_ident_state.nr_also);	/* pairs with ctrace_kernel_look_also() */
	for (i = 0; i < n; i++) {
		other = also(cset, i, cg);
		if (other)
			key = key * 0x9e3779b97f4a7c15ull + ctrace_key(cg_hierarchy(other), cg_id(other));
	}
	return key;
}

void ctrace_identity_place(const struct css_set *cset, const void *ns, struct ctrace_place *at)
{
	u32 i = 0, n = 1;

	BUILD_BUG_ON(CTRACE_COMPAT_NR_SUBSYS > CTRACE_PLACE_V1);
	at->cg[0] = ctrace_compat_cset_dfl(cset);
	while ((at->cg[n] = v1_cgroup(cset, &i)))
		n++;
	at->ns = ns;
	at->exec = false;
	at->mnt = CTRACE_MNT_UNKNOWN;
}

/*
 * A reader may see a mixture of the old list and the new one, but has read the generations before: what it
 * caches is never found, and ctrace_identity_decide() makes the key anew before it records an alias.
 */
void ctrace_kernel_look_also(const struct ctrace_rules *r)
{
	struct ctrace_ident_state *st = &ctrace_ident_state;
	u32 i, n = 0;

	/* If the kernel does not report moves, only the key shows them. */
	for (i = 1; i < st->nr_v1; i++)
		if (!st->moves_told || st->tells[i] || ctrace_rules_names(r, st->v1_hierarchy[i]))
			WRITE_ONCE(st->also_ssid[n++], st->v1_ssid[i]);
	smp_store_release(&st->nr_also, n);	/* after the table; pairs with ctrace_identity_v1_key() */
}

bool ctrace_kernel_tells(const struct ctrace_rules *r, u32 hierarchy)
{
	struct ctrace_ident_state *st = &ctrace_ident_state;
	u32 i;

	for (i = 1; i < st->nr_v1; i++)
		if (st->v1_hierarchy[i] == hierarchy && !st->tells[i]) {
			st->tells[i] = true;
			ctrace_kernel_look_also(r);
			return true;
		}
	return false;
}

static bool ns_init(const void *ns, struct ctrace_place *at, s32 *pid)
{
	const struct task_struct *init = ctrace_compat_pidns_reaper(ns);

	if (!init)
		return false;
	ctrace_identity_place(ctrace_compat_task_cset(init), ns, at);
	*pid = init->pid;
	return true;
}

const struct ctrace_kernel ctrace_identity_kernel = {
	.cg_parent = cg_parent,
	.cg_ancestor = cg_ancestor,
	.cg_id = cg_id,
	.cg_hierarchy = cg_hierarchy,
	.cg_name = cg_name,
	.cg_online = cg_online,
	.ns_parent = ns_parent,
	.ns_closed = ns_closed,
	.ns_init = ns_init,
	.ns_inum = ns_inum,
	.ns_get = ns_get,
	.ns_put = ns_put,
};
