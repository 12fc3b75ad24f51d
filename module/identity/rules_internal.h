/* SPDX-License-Identifier: GPL-2.0-only */
/* Between rules.c (what a place means) and learn.c (what becomes known). */
#ifndef CTRACE_RULES_INTERNAL_H
#define CTRACE_RULES_INTERNAL_H

#include "identity/rules.h"

#define CTRACE_CGROUP_DEPTH	64	/* levels of cgroups looked at: every walk is bounded */
#define CTRACE_NS_LEVELS	34	/* of pid namespaces: the kernel allows 32 */

struct ctrace_boundary {
	const void *cg;			/* NULL: none */
	u64 key;
	struct ctrace_lfnode *node;	/* NULL: not known yet */
};

static inline u64 ctrace_rules_key(struct ctrace_rules *r, const void *cg)
{
	return ctrace_key(r->view->cg_hierarchy(cg), r->view->cg_id(cg));
}

static inline bool ctrace_rules_initial(struct ctrace_rules *r, const void *ns)
{
	return !r->view->ns_parent(ns);
}

/* A container that has a namespace and waits for its boundary. */
static inline bool ctrace_rules_waits(const struct ctrace_container *c)
{
	return c && !c->key && !c->gone;
}

/* rules.c. RCU read side */
struct ctrace_container *ctrace_rules_owner(struct ctrace_rules *r, const void *ns);
struct ctrace_boundary ctrace_rules_boundary(struct ctrace_rules *r, const struct ctrace_place *p);
/*
 * Lock held. A container with a boundary and, for now, nothing else; NULL: pools
 * empty. outer: the namespace it is made from; depth: of parents not known yet.
 */
struct ctrace_container *ctrace_rules_new_boundary(struct ctrace_rules *r,
						   const struct ctrace_boundary *b,
						   const void *outer, int depth);

/* learn.c. Lock held */
u32 ctrace_learn_path(struct ctrace_rules *r, const void *cg, char *buf, size_t size);
void ctrace_learn_ns(struct ctrace_rules *r, struct ctrace_container *c, const void *ns);
/* A container for b alone, and one for ns alone; NULL: pools empty. */
struct ctrace_container *ctrace_learn_new_boundary(struct ctrace_rules *r,
						   struct ctrace_container *parent,
						   const void *cg);
struct ctrace_container *ctrace_learn_new_ns(struct ctrace_rules *r, u32 parent,
					     struct ctrace_container *like, const void *ns);
/* cg is (one more of) c's boundary; false: pool empty. */
bool ctrace_learn_boundary(struct ctrace_rules *r, struct ctrace_container *c, const void *cg);
/* base's part for these sessions, of which there is none that does not end; NULL: pools empty. */
struct ctrace_container *ctrace_learn_part(struct ctrace_rules *r, struct ctrace_container *base,
					   u32 want, u32 deny);
/* The key of it, beside base's cid. */
static inline u64 ctrace_part_key(u32 want, u32 deny)
{
	return (u64)deny << 32 | want;
}
/* ns, which no container owns, is c's; false: pool empty. */
bool ctrace_learn_own_ns(struct ctrace_rules *r, struct ctrace_container *c, const void *ns);
/* Everything that led to `from` leads to `to`; `from` ends. */
void ctrace_learn_take_over(struct ctrace_rules *r, struct ctrace_container *from,
			    struct ctrace_container *to);

#endif
