// SPDX-License-Identifier: GPL-2.0-only
/* Rules of what sessions chose by naming cgroups: which part of its container a place belongs to. */
#include <linux/kernel.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include "identity/learn.h"
#include "identity/parts.h"
#include "identity/rules.h"
#include "compat/hash.h"

static void named_around(struct ctrace_rules *r, const void *cg, u32 *want, u32 *deny)
{
	const struct ctrace_kernel *v = r->view;
	const struct ctrace_named *n;
	const void *up;
	int depth;
	u64 key;

	cg = v->cg_ancestor(cg, CTRACE_CGROUP_DEPTH);
	for (depth = 0; cg && depth < CTRACE_CGROUP_DEPTH; depth++, cg = up) {
		up = v->cg_parent(cg);
		if (!up)
			break;		/* a root cannot be named */
		key = ctrace_look_key(r, cg);
		hlist_for_each_entry_rcu(n, &r->named[ctrace_hash(key, CTRACE_NAMED_BITS)], node)
			if (n->key == key) {
				*want |= n->want;
				*deny |= n->deny;
			}
	}
}

static struct ctrace_container *part_for(struct ctrace_rules *r, struct ctrace_container *base,
					 u32 want, u32 deny, bool change)
{
	struct ctrace_container *part;
	struct ctrace_lfnode *n;

	if (!want && !deny)
		return base;
	n = ctrace_lftable_find(&r->parts, base->cid, ctrace_part_key(want, deny), NULL);
	part = n ? ctrace_lfnode_get(n) : NULL;
	if (part && !ctrace_part_ends(part))
		return part;
	/* A dying container gets no new part: all its parts end. */
	return change && !base->dying ? ctrace_learn_part(r, base, want, deny) : NULL;
}

struct ctrace_container *ctrace_rules_part(struct ctrace_rules *r, const struct ctrace_place *p,
					   struct ctrace_container *base, bool change)
{
	u32 want = 0, deny = 0;
	int i;

	if (likely(!READ_ONCE(r->nr_named)))
		return base;
	for (i = 0; p->cg[i]; i++)
		named_around(r, p->cg[i], &want, &deny);
	return part_for(r, base, want, deny, change);
}

struct ctrace_container *ctrace_rules_heir(struct ctrace_rules *r, const struct ctrace_container *part)
{
	if (part->base->dying)
		return NULL;
	return part_for(r, part->base, part->want & ~part->ended, part->deny & ~part->ended, true) ?:
	       part->base;
}

void ctrace_rules_name(struct ctrace_rules *r, struct ctrace_named *n)
{
	hlist_add_head_rcu(&n->node, &r->named[ctrace_hash(n->key, CTRACE_NAMED_BITS)]);
	WRITE_ONCE(r->nr_named, r->nr_named + 1);
}

void ctrace_rules_unname(struct ctrace_rules *r, struct ctrace_named *n)
{
	hlist_del_rcu(&n->node);
	WRITE_ONCE(r->nr_named, r->nr_named - 1);
}

bool ctrace_rules_names(const struct ctrace_rules *r, u32 hierarchy)
{
	const struct ctrace_named *n;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(r->named); i++)
		hlist_for_each_entry(n, &r->named[i], node)
			if (n->hierarchy == hierarchy)
				return true;
	return false;
}
