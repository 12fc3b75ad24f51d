/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules of identity: which container a place (cgroups, pid namespace) belongs
 * to, and what is recorded when that is asked. The rules see kernel structures only
 * through a view, so that they can be tested on made-up trees.
 */
#ifndef CTRACE_RULES_H
#define CTRACE_RULES_H

#include <linux/types.h>
#include "identity/container.h"
#include "identity/lftable.h"

#define CTRACE_PLACE_ALSO	16	/* at least CTRACE_COMPAT_NR_SUBSYS: a controller is in one hierarchy */

/* Where a task is. */
struct ctrace_place {
	const void *cg[2];	/* [0] v2's cgroup; [1] the first v1 cgroup that is not a root, or NULL */
	const void *ns;		/* the task's own pid namespace */
	bool exec;		/* the task executes a program here, so its start-up is over */
	/* v1 cgroups in other hierarchies that targets name: for ctrace_rules_part() only, never for identity */
	u32 nr_also;
	const void *also[CTRACE_PLACE_ALSO];
};

/* A cgroup that a session named. Part of the session's target: made, listed and freed with it. */
struct ctrace_named {
	struct hlist_node node;	/* ident_lock to change, RCU to walk */
	u64 key;		/* of the cgroup. Invariant, as are the fields below */
	u32 hierarchy;		/* the hierarchy's number, 0 for v2 */
	u32 want, deny;		/* the session's bit, in one of the two */
};

/* Called in any context, in an RCU read-side section. Handles are valid until that ends. */
struct ctrace_view {
	const void *(*cg_parent)(const void *cg);	/* NULL above a root */
	u64 (*cg_id)(const void *cg);
	u32 (*cg_hierarchy)(const void *cg);
	const char *(*cg_name)(const void *cg);
	bool (*cg_online)(const void *cg);
	const void *(*ns_parent)(const void *ns);	/* NULL above the initial one */
	bool (*ns_closed)(const void *ns);		/* no process can join it any more */
	/* fills in where the namespace's init is, and init's number on the host; false: it has no init */
	bool (*ns_init)(const void *ns, struct ctrace_place *at, s32 *pid);
	u32 (*ns_inum)(const void *ns);
	void (*ns_get)(const void *ns);
};

#define CTRACE_NAMED_BITS	6
#define CTRACE_NODE_REMOVED	(1u << 0)	/* of a boundary's node: the cgroup is gone. ident_lock */

struct ctrace_rules {
	struct ctrace_lftable boundaries;	/* a = key -> container; NULL just after the push */
	struct ctrace_lftable namespaces;	/* p = pid namespace -> its first container */
	struct ctrace_lftable aliases;		/* a, b, p = v2 key, v1 key, namespace; gen -> container or part */
	struct ctrace_lftable parts;		/* a = cid, b = ctrace_part_key() -> part */
	struct hlist_head named[1 << CTRACE_NAMED_BITS]; /* by key. ident_lock to change, RCU to walk */
	u32 nr_named;				/* ident_lock; READ_ONCE elsewhere */
	struct ctrace_lfpool nodes;
	u32 gen;				/* of aliases. ident_lock; READ_ONCE elsewhere */
	bool v1;				/* there are v1 hierarchies */
	void (*forgot)(void);			/* called under ident_lock after gen has changed */
	const struct ctrace_view *view;
};

/* A cgroup's key: ids are unique within one hierarchy only. */
static inline u64 ctrace_key(u32 hierarchy, u64 id)
{
	return ((u64)hierarchy << 56) ^ id;
}

/* Process context. forgot: see struct ctrace_rules; nodes: how many nodes the pool keeps ready. */
int ctrace_rules_init(struct ctrace_rules *r, const struct ctrace_view *view,
		      void (*forgot)(void), unsigned int nodes);
void ctrace_rules_exit(struct ctrace_rules *r, void (*put_ns)(const void *ns));

/*
 * Any context, preemption off. Returns the container that p belongs to. Cgroups that sessions
 * named do not matter. change: the caller holds ident_lock, and what is seen for the first time
 * is recorded. NULL: something must be recorded first and cannot be (change is false, or
 * the pools are empty).
 */
struct ctrace_container *ctrace_rules_decide(struct ctrace_rules *r, const struct ctrace_place *p,
					     bool change);

/*
 * Context, change and NULL as above. base: the container of p. Returns base, or, if p is in or below
 * cgroups that sessions named, base's part for exactly those sessions.
 */
struct ctrace_container *ctrace_rules_part(struct ctrace_rules *r, const struct ctrace_place *p,
					   struct ctrace_container *base, bool change);

/*
 * Context and change as above, but for a cgroup, without looking at a task. Returns the container
 * of the nearest boundary, or the host if there is no boundary. With change, a container known by the
 * same path in another hierarchy gets this boundary, too. NULL: not known.
 */
struct ctrace_container *ctrace_rules_cgroup(struct ctrace_rules *r, const void *cg, bool change);

/*
 * ident_lock held. Returns what takes the place of a part that ends: the part of the same container for
 * the remaining sessions that chose it; the container itself if none remain or the pools are
 * empty; NULL if the container is dying.
 */
struct ctrace_container *ctrace_rules_heir(struct ctrace_rules *r, const struct ctrace_container *part);

/* ident_lock held. Remembers that places with these keys in ns belong to c, a container or a part. */
void ctrace_rules_alias(struct ctrace_rules *r, u64 v2, u64 v1, const void *ns,
			struct ctrace_container *c);

/*
 * ident_lock held. The task at p is in a cgroup namespace that holds a container (scan.c,
 * made_from_outside()). Its n roots, none of them a hierarchy's root, become boundaries of that
 * container, unless p already is inside a boundary.
 */
void ctrace_rules_cgroup_ns(struct ctrace_rules *r, const struct ctrace_place *p,
			    const void *const *roots, int n);

/*
 * ident_lock held. The init of p->ns executes a program at p, so the runtime has moved it to
 * where it stays. If its container has no boundary, p's path is the container's from now on.
 */
void ctrace_rules_init_execs(struct ctrace_rules *r, const struct ctrace_place *p);

/*
 * ident_lock held; the caller then calls ctrace_rules_forget() before it unlocks. n must stay
 * allocated until a grace period after ctrace_rules_unname().
 */
void ctrace_rules_name(struct ctrace_rules *r, struct ctrace_named *n);
void ctrace_rules_unname(struct ctrace_rules *r, struct ctrace_named *n);
/* ident_lock held. Has a session named a cgroup of that hierarchy? */
bool ctrace_rules_names(const struct ctrace_rules *r, u32 hierarchy);

/* ident_lock held. Invalidates what is remembered about places: aliases and, by forgot(), CPUs' caches. */
void ctrace_rules_forget(struct ctrace_rules *r);

/* ident_lock held. The cgroup with that key has been removed. */
void ctrace_rules_cgroup_gone(struct ctrace_rules *r, u64 key);

/* Is cg the cgroup with root_key, or below it? RCU read side. */
bool ctrace_rules_below(struct ctrace_rules *r, const void *cg, u64 root_key);

#endif /* CTRACE_RULES_H */
