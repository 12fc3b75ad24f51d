/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules of identity: which container a place (cgroups, pid namespace) belongs
 * to, and what becomes known by asking. No kernel structure is looked at here but
 * through a view, so that the rules can be tested on made-up trees.
 */
#ifndef CTRACE_RULES_H
#define CTRACE_RULES_H

#include <linux/types.h>
#include "identity/container.h"
#include "identity/lftable.h"

#define CTRACE_PLACE_ALSO	16	/* there are not so many v1 hierarchies */

/* Where a task is. */
struct ctrace_place {
	const void *cg[2];	/* v2's cgroup; the first v1 one that is no root, or NULL */
	const void *ns;		/* its own pid namespace */
	bool exec;		/* it executes a program here, so its start-up is over */
	/* other v1 cgroups, of the hierarchies that targets name: a selection asks for them, identity never */
	u32 nr_also;
	const void *also[CTRACE_PLACE_ALSO];
};

/* That a session named a cgroup. Its target's: made, listed, and freed with it. */
struct ctrace_named {
	struct hlist_node node;	/* Lock to change, RCU to walk */
	u64 key;		/* the cgroup's. Invariant, as all below */
	u32 hierarchy;		/* its hierarchy's number, 0 for v2 */
	u32 want, deny;		/* the session, in one of them */
};

/* Any context, RCU read side; handles are good as long as that lasts. */
struct ctrace_view {
	const void *(*cg_parent)(const void *cg);	/* NULL above a root */
	u64 (*cg_id)(const void *cg);
	u32 (*cg_hierarchy)(const void *cg);
	const char *(*cg_name)(const void *cg);
	bool (*cg_online)(const void *cg);
	const void *(*ns_parent)(const void *ns);	/* NULL above the initial one */
	bool (*ns_closed)(const void *ns);		/* gets no further process */
	/* where its init is, and init's number on the host; false: has none */
	bool (*ns_init)(const void *ns, struct ctrace_place *at, s32 *pid);
	u32 (*ns_inum)(const void *ns);
	void (*ns_get)(const void *ns);
};

#define CTRACE_NAMED_BITS	6
#define CTRACE_NODE_REMOVED	(1u << 0)	/* boundary's node: the cgroup is gone. Lock */

struct ctrace_rules {
	struct ctrace_lftable boundaries;	/* a = key -> container, NULL: in a moment */
	struct ctrace_lftable namespaces;	/* p = pid namespace -> its first container */
	struct ctrace_lftable aliases;		/* a, b, p = v2 key, v1 key, namespace; gen */
	struct ctrace_lftable parts;		/* a, b = cid, who denies << 32 | who wants -> part */
	struct hlist_head named[1 << CTRACE_NAMED_BITS]; /* by key. Lock to change, RCU to walk */
	u32 nr_named;				/* Lock; READ_ONCE elsewhere */
	struct ctrace_lfpool nodes;
	u32 gen;				/* of aliases. Lock; READ_ONCE elsewhere */
	bool v1;				/* there are v1 hierarchies */
	void (*forgot)(void);			/* Lock held; gen has changed */
	const struct ctrace_view *view;
};

/* A cgroup's key: ids are unique within one hierarchy only. */
static inline u64 ctrace_key(u32 hierarchy, u64 id)
{
	return ((u64)hierarchy << 56) ^ id;
}

/* Process context. forgot: see above; nodes: how many the pool keeps ready. */
int ctrace_rules_init(struct ctrace_rules *r, const struct ctrace_view *view,
		      void (*forgot)(void), unsigned int nodes);
void ctrace_rules_exit(struct ctrace_rules *r, void (*put_ns)(const void *ns));

/*
 * Any context, preemption off. With change, Lock is held, and what is seen for the first
 * time becomes known. NULL: it would have to become known, and cannot (no
 * change allowed, or the pools are empty). What sessions name has no say in it.
 */
struct ctrace_container *ctrace_rules_decide(struct ctrace_rules *r, const struct ctrace_place *p,
					     bool change);

/*
 * Likewise: what is of p, which is base's. That is base, or where sessions have named a cgroup
 * that p is in or below, the part of it that these and no others chose. NULL as above.
 */
struct ctrace_container *ctrace_rules_part(struct ctrace_rules *r, const struct ctrace_place *p,
					   struct ctrace_container *base, bool change);

/*
 * Likewise for a cgroup in which no task is looked at: the container of its
 * nearest boundary, the host if there is none. With change, one that is known by the same
 * path in another hierarchy becomes known by this one too. NULL: not known.
 */
struct ctrace_container *ctrace_rules_cgroup(struct ctrace_rules *r, const void *cg, bool change);

/*
 * Lock held. For a part that ends: the part of the same container for the sessions that chose it and stay,
 * the container if there are none, NULL if that is dying.
 */
struct ctrace_container *ctrace_rules_heir(struct ctrace_rules *r, const struct ctrace_container *part);

/* Lock held. Remembers that places of these keys in ns are c's, or that part's. */
void ctrace_rules_alias(struct ctrace_rules *r, u64 v2, u64 v1, const void *ns,
			struct ctrace_container *c);

/*
 * Lock held. The task at p is in a cgroup namespace of its own, whose roots (no
 * hierarchy's root among them) hold nobody else: they are a boundary, unless a
 * runtime's name has drawn one already.
 */
void ctrace_rules_cgroup_ns(struct ctrace_rules *r, const struct ctrace_place *p,
			    const void *const *roots, int n);

/*
 * Lock held. The init of p->ns executes a program at p: the runtime has put it where it
 * stays. A container without a boundary shows that path from now on.
 */
void ctrace_rules_init_execs(struct ctrace_rules *r, const struct ctrace_place *p);

/*
 * Lock held; ctrace_rules_forget() and unlocking follow. n stays until a grace period after
 * it was taken out.
 */
void ctrace_rules_name(struct ctrace_rules *r, struct ctrace_named *n);
void ctrace_rules_unname(struct ctrace_rules *r, struct ctrace_named *n);
/* Lock held. Has a session named a cgroup of that hierarchy? */
bool ctrace_rules_names(const struct ctrace_rules *r, u32 hierarchy);

/* Lock held. Whatever was remembered about places may be wrong now. */
void ctrace_rules_forget(struct ctrace_rules *r);

/* Lock held. The cgroup has been removed. */
void ctrace_rules_cgroup_gone(struct ctrace_rules *r, u64 key);

/* cg is root or below it. RCU */
bool ctrace_rules_below(struct ctrace_rules *r, const void *cg, u64 root_key);

#endif /* CTRACE_RULES_H */
