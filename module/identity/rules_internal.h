/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by rules.c, which decides what a place means, and learn.c, which records it. */
#ifndef CTRACE_RULES_INTERNAL_H
#define CTRACE_RULES_INTERNAL_H

#include "identity/rules.h"

#define CTRACE_CGROUP_DEPTH	64	/* levels of cgroups: bounds every walk up */
#define CTRACE_NS_LEVELS	34	/* levels of pid namespaces: the kernel allows 32 */

struct ctrace_boundary {
	const void *cg;			/* NULL: none */
	u64 key;
	struct ctrace_lfnode *node;	/* NULL: not recorded yet */
};

static inline u64 ctrace_rules_key(struct ctrace_rules *r, const void *cg)
{
	return ctrace_key(r->view->cg_hierarchy(cg), r->view->cg_id(cg));
}

static inline bool ctrace_rules_initial(struct ctrace_rules *r, const void *ns)
{
	return !r->view->ns_parent(ns);
}

/* Is c a live container that has a pid namespace and no boundary yet? */
static inline bool ctrace_rules_waits(const struct ctrace_container *c)
{
	return c && !c->key && !c->gone;
}

/* rules.c. RCU read side */
struct ctrace_container *ctrace_rules_owner(struct ctrace_rules *r, const void *ns);
struct ctrace_boundary ctrace_rules_boundary(struct ctrace_rules *r, const struct ctrace_place *p);
/*
 * ident_lock held. Makes a container with the boundary b and, for now, no pid namespace; NULL: pools
 * empty. outer: the pid namespace it is made from; depth: how many unknown parents may be made first.
 */
struct ctrace_container *ctrace_rules_new_boundary(struct ctrace_rules *r,
						   const struct ctrace_boundary *b,
						   const void *outer, int depth);

/* learn.c. ident_lock held, except for ctrace_learn_path(): RCU read side */
u32 ctrace_learn_path(struct ctrace_rules *r, const void *cg, char *buf, size_t size);
void ctrace_learn_ns(struct ctrace_rules *r, struct ctrace_container *c, const void *ns);
/*
 * Make a container that has only the boundary cg, or only the pid namespace ns; NULL: pools empty.
 * like: the container whose masks the new one takes.
 */
struct ctrace_container *ctrace_learn_new_boundary(struct ctrace_rules *r,
						   struct ctrace_container *parent,
						   const void *cg);
struct ctrace_container *ctrace_learn_new_ns(struct ctrace_rules *r, u32 parent,
					     struct ctrace_container *like, const void *ns);
/* Makes cg a boundary of c, which may have others, unless cg already is a container's. false: pool empty. */
bool ctrace_learn_boundary(struct ctrace_rules *r, struct ctrace_container *c, const void *cg);
/* Makes base's part for these sessions, for a caller that found none or one that ends. NULL: pools empty. */
struct ctrace_container *ctrace_learn_part(struct ctrace_rules *r, struct ctrace_container *base,
					   u32 want, u32 deny);
/* Key b of a part; key a is the cid of its container. */
static inline u64 ctrace_part_key(u32 want, u32 deny)
{
	return (u64)deny << 32 | want;
}
/* Makes ns, which has no owner, c's own; false: pool empty. */
bool ctrace_learn_own_ns(struct ctrace_rules *r, struct ctrace_container *c, const void *ns);
/* Gives all boundaries of `from` to `to`, with what they tell of a container; then `from` is gone. */
void ctrace_learn_take_over(struct ctrace_rules *r, struct ctrace_container *from,
			    struct ctrace_container *to);

#endif
