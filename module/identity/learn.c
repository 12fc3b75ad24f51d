// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/string.h>
#include "identity/learn.h"
#include "identity/parts.h"
#include "identity/runtime_name.h"

/* --- describing a container ------------------------------------------------ */

static void describe_boundary(struct ctrace_rules *r, struct ctrace_container *c, const void *cg)
{
	struct ctrace_boundary_name name;

	c->cgroup_id = r->view->cg_id(cg);
	c->hierarchy = r->view->cg_hierarchy(cg);
	c->path_hash = ctrace_look_path(r, cg, c->path, sizeof(c->path));
	ctrace_boundary_parse(r->view->cg_name(r->view->cg_parent(cg)), r->view->cg_name(cg),
			      &name);
	c->runtime = name.runtime;
	if (name.id)
		memcpy(c->runtime_id, name.id, CTRACE_RUNTIME_ID_LEN);
	WRITE_ONCE(c->key, ctrace_look_key(r, cg));
	ctrace_container_changed(c);
}

void ctrace_learn_init_execs(struct ctrace_rules *r, const struct ctrace_place *p)
{
	struct ctrace_container *c = ctrace_look_owner(r, p->ns);
	u32 hash;

	if (!ctrace_look_waits(c))
		return;
	hash = c->path_hash;
	c->path_hash = ctrace_look_path(r, ctrace_look_init_cgroup(r, p), c->path, sizeof(c->path));
	if (c->path_hash != hash)
		ctrace_container_changed(c);
}

void ctrace_learn_ns(struct ctrace_rules *r, struct ctrace_container *c, const void *ns)
{
	const struct ctrace_view *v = r->view;
	struct ctrace_place at;

	v->ns_get(ns);		/* put when c is swept */
	c->ns_inum = v->ns_inum(ns);
	if (v->ns_init(ns, &at, &c->init_pid) && !c->path[0])
		c->path_hash = ctrace_look_path(r, ctrace_look_init_cgroup(r, &at), c->path,
						 sizeof(c->path));
	/* Pairs with the acquire in rules.c, inside(): a reader that sees ns sees it with a reference held. */
	smp_store_release(&c->ns, ns);
}

/* --- nodes ------------------------------------------------------------------ */

void ctrace_learn_forget(struct ctrace_rules *r)
{
	WRITE_ONCE(r->gen, r->gen + 1);
	r->forgot();
}

static void point(struct ctrace_lfnode *n, struct ctrace_container *c)
{
	struct ctrace_container *was = ctrace_lfnode_get(n);

	ctrace_container_get(c);
	ctrace_lfnode_set(n, c);
	if (was)
		ctrace_container_put(was);
}

static void set_key(struct ctrace_lfnode *n, u64 a, u64 b, const void *p, u32 gen)
{
	n->a = a;
	n->b = b;
	n->p = p;
	n->gen = gen;
	n->flags = 0;
	n->val = NULL;
}

/* The caller has taken n from the pool, so this cannot fail. */
static void know_ns(struct ctrace_rules *r, struct ctrace_lfnode *n, const void *ns,
		    struct ctrace_container *c)
{
	set_key(n, 0, 0, ns, 0);
	r->view->ns_get(ns);
	point(n, c);
	ctrace_lftable_push(&r->namespaces, n);		/* returns n: ns had no owner, and ident_lock is held */
}

static void know_boundary(struct ctrace_rules *r, struct ctrace_lfnode *n, const void *cg,
			  struct ctrace_container *c)
{
	struct ctrace_lfnode *there;

	set_key(n, ctrace_look_key(r, cg), 0, NULL, 0);
	there = ctrace_lftable_push(&r->boundaries, n);
	if (there != n)
		ctrace_lfpool_return(&r->nodes, n);
	point(there, c);
	/* Must follow the push: a removal that came too early to find the node shows here. */
	if (r->view->cg_online(cg)) {
		there->flags &= ~CTRACE_NODE_REMOVED;
		c->live_keys++;
	} else {
		there->flags |= CTRACE_NODE_REMOVED;
	}
}

/* Takes a node and a container from the pools, or neither. */
static struct ctrace_lfnode *take_both(struct ctrace_rules *r, struct ctrace_container **c)
{
	struct ctrace_lfnode *n = ctrace_lfpool_take(&r->nodes);

	*c = n ? ctrace_container_new() : NULL;
	if (n && !*c) {
		ctrace_lfpool_return(&r->nodes, n);
		n = NULL;
	}
	return n;
}

struct ctrace_container *ctrace_learn_new_ns(struct ctrace_rules *r, u32 parent,
					     struct ctrace_container *like, const void *ns)
{
	struct ctrace_container *c;
	struct ctrace_lfnode *n = take_both(r, &c);

	if (!n)
		return NULL;
	c->parent = parent;
	ctrace_learn_ns(r, c, ns);
	ctrace_container_publish(c, like);
	know_ns(r, n, ns, c);
	return c;
}

struct ctrace_container *ctrace_learn_new_boundary(struct ctrace_rules *r,
						   struct ctrace_container *parent,
						   const void *cg)
{
	struct ctrace_container *c;
	struct ctrace_lfnode *n = take_both(r, &c);

	if (!n)
		return NULL;
	c->parent = parent->cid;
	describe_boundary(r, c, cg);
	ctrace_container_publish(c, parent);
	know_boundary(r, n, cg, c);
	if (!c->live_keys)
		ctrace_container_gone(c);
	return c;
}

bool ctrace_learn_boundary(struct ctrace_rules *r, struct ctrace_container *c, const void *cg)
{
	struct ctrace_lfnode *n;

	n = ctrace_lftable_find(&r->boundaries, ctrace_look_key(r, cg), 0, NULL, 0);
	if (n && ctrace_lfnode_get(n))
		return true;	/* cg is a container's boundary already */
	n = ctrace_lfpool_take(&r->nodes);
	if (!n)
		return false;
	if (!c->key)
		describe_boundary(r, c, cg);
	know_boundary(r, n, cg, c);
	return true;
}

bool ctrace_learn_own_ns(struct ctrace_rules *r, struct ctrace_container *c, const void *ns)
{
	struct ctrace_lfnode *n = ctrace_lfpool_take(&r->nodes);

	if (!n)
		return false;
	ctrace_learn_ns(r, c, ns);
	know_ns(r, n, ns, c);
	return true;
}

struct ctrace_container *ctrace_learn_part(struct ctrace_rules *r, struct ctrace_container *base,
					   u32 want, u32 deny)
{
	struct ctrace_lfnode *n = ctrace_lfpool_take(&r->nodes), *there;
	struct ctrace_container *part = n ? ctrace_part_new(base, want, deny) : NULL;

	if (!part) {
		if (n)
			ctrace_lfpool_return(&r->nodes, n);
		return NULL;
	}
	set_key(n, base->cid, ctrace_part_key(want, deny), NULL, 0);
	there = ctrace_lftable_push(&r->parts, n);
	if (there != n)		/* the node of a part that ends: it gets the new part */
		ctrace_lfpool_return(&r->nodes, n);
	point(there, part);
	return part;
}

void ctrace_learn_take_over(struct ctrace_rules *r, struct ctrace_container *from,
			    struct ctrace_container *to)
{
	struct ctrace_lfnode *n;
	unsigned long i;

	for (i = 0; i < 1ul << r->boundaries.bits; i++)
		for (n = READ_ONCE(r->boundaries.heads[i]); n; n = READ_ONCE(n->next))
			if (ctrace_lfnode_get(n) == from)
				point(n, to);
	to->live_keys += from->live_keys;
	if (!to->parent && from->parent != to->cid)
		to->parent = from->parent;
	to->cgroup_id = from->cgroup_id;
	to->hierarchy = from->hierarchy;
	to->path_hash = from->path_hash;
	to->runtime = from->runtime;
	memcpy(to->runtime_id, from->runtime_id, sizeof(to->runtime_id));
	memcpy(to->path, from->path, sizeof(to->path));
	WRITE_ONCE(to->key, from->key);
	ctrace_container_changed(to);
	ctrace_container_inherit(to, from);
	from->live_keys = 0;
	ctrace_container_gone(from);
	ctrace_learn_forget(r);
}

void ctrace_learn_alias(struct ctrace_rules *r, u64 v2, u64 v1, const void *ns,
			struct ctrace_container *c)
{
	struct ctrace_lfnode *n;

	/* Another CPU may have added the alias already. Under ident_lock the answer stays true. */
	if (c->dying || ctrace_lftable_find(&r->aliases, v2, v1, ns, r->gen))
		return;
	n = ctrace_lfpool_take(&r->nodes);
	if (!n)
		return;		/* the place is then decided anew each time */
	set_key(n, v2, v1, ns, r->gen);
	r->view->ns_get(ns);
	point(n, c);
	ctrace_lftable_push(&r->aliases, n);
}

void ctrace_learn_cgroup_gone(struct ctrace_rules *r, u64 key)
{
	struct ctrace_lfnode *n = ctrace_lftable_find(&r->boundaries, key, 0, NULL, 0);
	struct ctrace_container *c = n ? ctrace_lfnode_get(n) : NULL;

	if (!n || (n->flags & CTRACE_NODE_REMOVED))
		return;
	n->flags |= CTRACE_NODE_REMOVED;
	if (c && !--c->live_keys)
		ctrace_container_gone(c);
}

void ctrace_learn_free(struct ctrace_rules *r, struct ctrace_lfnode *chain)
{
	struct ctrace_lfnode *n;

	for (n = chain; n; n = n->chain) {
		if (n->p)
			r->view->ns_put(n->p);
		if (n->val)
			ctrace_container_put(n->val);
	}
	ctrace_lfpool_free_chain(&r->nodes, chain);
}
