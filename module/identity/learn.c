// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/string.h>
#include "identity/learn.h"
#include "identity/parts.h"
#include "identity/runtime_name.h"
#include "compat/hash.h"

/* --- describing a container ------------------------------------------------ */

/* c lives, has a boundary, and has got its path_hash. */
static void hash_path(struct ctrace_rules *r, struct ctrace_container *c)
{
	hlist_del_init(&c->by_path);
	hlist_add_head(&c->by_path, &r->paths[ctrace_hash(c->path_hash, CTRACE_PATHS_BITS)]);
}

static void describe_boundary(struct ctrace_rules *r, struct ctrace_container *c, const void *cg)
{
	char copy[2][CTRACE_CGROUP_NAME];
	struct ctrace_boundary_name name;

	c->cgroup_id = r->view->cg_id(cg);
	c->hierarchy = r->view->cg_hierarchy(cg);
	c->path_hash = ctrace_look_path_kept(r, cg);
	strscpy(c->path, r->path, sizeof(c->path));
	ctrace_boundary_parse(r->view->cg_name(r->view->cg_parent(cg), copy[0]), r->view->cg_name(cg, copy[1]), &name);
	c->runtime = name.runtime;
	if (name.id)
		memcpy(c->runtime_id, name.id, CTRACE_RUNTIME_ID_LEN);
	WRITE_ONCE(c->key, ctrace_look_key(r, cg));
	hash_path(r, c);
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
	const struct ctrace_kernel *v = r->view;
	struct ctrace_place at;

	v->ns_get(ns);		/* put a grace period after ctrace_learn_ns_gone() */
	c->ns_inum = v->ns_inum(ns);
	if (v->ns_init(ns, &at, &c->init_pid) && !c->path[0])
		c->path_hash = ctrace_look_path(r, ctrace_look_init_cgroup(r, &at), c->path,
						 sizeof(c->path));
	/*
	 * Pairs with the acquire in rules.c, inside(): a reader that sees ns sees it with a reference held.
	 */
	smp_store_release(&c->ns, ns);
}

/* --- nodes ------------------------------------------------------------------ */

/* Never 0. */
static u32 next_gen(const struct ctrace_rules *r)
{
	return r->gen + 1 ?: 1;
}

void ctrace_learn_forget(struct ctrace_rules *r)
{
	u32 gen = next_gen(r);

	WRITE_ONCE(r->broad, gen);
	/* Release: a reader of the new gen sees the new broad. Pairs with ctrace_look_alias_again() */
	smp_store_release(&r->gen, gen);
	r->forgot();
	ctrace_ident_changed();
}

void ctrace_learn_void_below(struct ctrace_rules *r, struct ctrace_lfnode *boundary)
{
	u32 gen = next_gen(r);

	WRITE_ONCE(boundary->gen, gen);
	/*
	 * Release: a reader of the new gen sees the node, and that in it. Pairs with
	 * ctrace_look_alias_again()
	 */
	smp_store_release(&r->gen, gen);
}

/* A boundary has come, passed to another container or gone. Partner: ctrace_rules_look() */
static void boundaries_changed(struct ctrace_rules *r)
{
	WRITE_ONCE(r->learned, r->learned + 1);
}

static void point(struct ctrace_lfnode *n, struct ctrace_container *c)
{
	struct ctrace_container *was = ctrace_lfnode_get(n);

	ctrace_container_get(c);
	ctrace_lfnode_set(n, c);
	if (was)
		ctrace_container_put(was);
}

static void set_key(struct ctrace_lfnode *n, u64 a, u64 b, const void *p)
{
	n->a = a;
	n->b = b;
	n->p = p;
	n->gen = 0;
	n->flags = 0;
	n->mate = NULL;
	n->val = NULL;
}

/* The caller has taken n from the pool, so this cannot fail. */
static void know_ns(struct ctrace_rules *r, struct ctrace_lfnode *n, const void *ns,
		    struct ctrace_container *c)
{
	set_key(n, 0, 0, ns);
	r->view->ns_get(ns);
	point(n, c);
	c->node = n;
	/* returns n: ns had no owner, and ident_lock is held */
	ctrace_lftable_push(&r->namespaces, n);
}

static void know_boundary(struct ctrace_rules *r, struct ctrace_lfnode *n, const void *cg,
			  struct ctrace_container *c)
{
	set_key(n, ctrace_look_key(r, cg), 0, NULL);
	n->flags = r->view->cg_hierarchy(cg) << CTRACE_NODE_HIERARCHY;
	n->mate = c->boundary_nodes;
	WRITE_ONCE(c->boundary_nodes, n);
	/* returns n: cg was no boundary, and ident_lock is held */
	ctrace_lftable_push(&r->boundaries, n);
	point(n, c);
	boundaries_changed(r);
	/* Must follow the push: a removal that came too early to find the node shows here. */
	if (r->view->cg_online(cg))
		c->live_keys++;
	else
		n->flags |= CTRACE_NODE_REMOVED;
}

/* Takes a node and a container from the pools, or neither. to: who is charged with the container. */
static struct ctrace_lfnode *take_both(struct ctrace_rules *r, const struct ctrace_charge *to, struct ctrace_container **c)
{
	struct ctrace_lfnode *n = ctrace_lfpool_take(&r->nodes);

	*c = n ? ctrace_container_new(to, &r->full) : NULL;
	if (n && !*c) {
		ctrace_lfpool_return(&r->nodes, n);
		n = NULL;
	}
	return n;
}

/*
 * The accounts that are charged with a container with the pid namespace ns, as ctrace_learn_new_ns() makes
 * it.
 */
static struct ctrace_charge charge_of_ns(struct ctrace_rules *r, u32 parent, const struct ctrace_container *like,
					 const void *ns)
{
	struct ctrace_place at;
	u32 slice;
	s32 pid;

	if (like->cid != parent)
		return like->charge;	/* it takes the place of `like` */
	if (parent != CTRACE_CID_HOST)
		return ctrace_container_charge(0, like);
	slice = r->view->ns_init(ns, &at, &pid) ? ctrace_look_account(r, ctrace_look_init_cgroup(r, &at)) :
						  ctrace_charge_account(0);
	return ctrace_container_charge(slice, NULL);
}

struct ctrace_container *ctrace_learn_new_ns(struct ctrace_rules *r, u32 parent,
					     struct ctrace_container *like, const void *ns)
{
	struct ctrace_charge to = charge_of_ns(r, parent, like, ns);
	struct ctrace_container *c;
	struct ctrace_lfnode *n = take_both(r, &to, &c);

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
	struct ctrace_charge to = parent->cid == CTRACE_CID_HOST ?
		ctrace_container_charge(ctrace_look_account(r, r->view->cg_parent(cg)), NULL) :
		ctrace_container_charge(0, parent);
	struct ctrace_container *c;
	struct ctrace_lfnode *n = take_both(r, &to, &c);

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

	n = ctrace_lftable_find(&r->boundaries, ctrace_look_key(r, cg), 0, NULL);
	if (n)
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
	struct ctrace_container *part = n ? ctrace_part_new(base, want, deny) : NULL, *was;

	if (!part) {
		if (n)
			ctrace_lfpool_return(&r->nodes, n);
		return NULL;
	}
	set_key(n, base->cid, ctrace_part_key(want, deny), NULL);
	there = ctrace_lftable_push(&r->parts, n);
	if (there != n) {	/* the node of a part that ends: it gets the new part */
		ctrace_lfpool_return(&r->nodes, n);
		was = ctrace_lfnode_get(there);
		was->node = NULL;
	}
	point(there, part);
	part->node = there;
	return part;
}

void ctrace_learn_take_over(struct ctrace_rules *r, struct ctrace_container *from,
			    struct ctrace_container *to)
{
	struct ctrace_lfnode *n;

	while ((n = from->boundary_nodes)) {
		from->boundary_nodes = n->mate;
		n->mate = to->boundary_nodes;
		to->boundary_nodes = n;
		point(n, to);
		ctrace_learn_void_below(r, n);
	}
	to->live_keys += from->live_keys;
	if (!to->parent && from->parent != to->cid) {
		to->parent = from->parent;
		/* Containers made in `to` from now on are charged together with the containers in `from`. */
		ctrace_container_recharge(to, &from->charge);
	}
	to->cgroup_id = from->cgroup_id;
	to->hierarchy = from->hierarchy;
	to->path_hash = from->path_hash;
	to->runtime = from->runtime;
	memcpy(to->runtime_id, from->runtime_id, sizeof(to->runtime_id));
	memcpy(to->path, from->path, sizeof(to->path));
	WRITE_ONCE(to->key, from->key);
	hash_path(r, to);
	ctrace_container_changed(to);
	boundaries_changed(r);
	ctrace_container_inherit(to, from);
	if (ctrace_container_give_nets(from, to)) {
		ctrace_container_get(to);
		from->taken_by = to;
	}
	from->live_keys = 0;
	/* Places outside the boundaries may lead to `from`, too: of tasks in its init's pid namespace. */
	WRITE_ONCE(from->taken_over, true);
	ctrace_container_gone(from);
	r->forgot();
	/*
	 * A runtime does this at each start of a container: mostly nobody wants `to` who did not want `from`.
	 */
	if (to->wanted & ~from->wanted)
		ctrace_ident_changed();
}

void ctrace_learn_alias(struct ctrace_rules *r, u64 v2, u64 v1, const void *ns,
			struct ctrace_container *c)
{
	struct ctrace_lfnode *n, *new = NULL;

	if (c->dying)
		return;
	n = ctrace_lftable_find(&r->aliases, v2, v1, ns);
	/* Another CPU may have added the alias already. Under ident_lock the answer stays true. */
	if (n && ctrace_look_alias(r, n))
		return;
	if (!n) {
		n = new = ctrace_lfpool_take(&r->nodes);
		if (!n)
			return;		/* the place is then decided anew each time */
		set_key(n, v2, v1, ns);
		r->view->ns_get(ns);
		r->nr_aliases++;
	}
	/* flags before val before gen: pairs with ctrace_look_alias() */
	if (ctrace_container_base(c) == &ctrace_container_unknown)
		WRITE_ONCE(n->flags, r->room);
	point(n, c);
	smp_store_release(&n->gen, r->gen);	/* as above */
	if (new)
		ctrace_lftable_push(&r->aliases, n);
	/*
	 * An old node may just be leaving the table, because it was void or its container dying. Then c is
	 * remembered no longer than until the grace period that follows: ctrace_learn_free() puts c.
	 */
}

void ctrace_learn_cgroup_gone(struct ctrace_rules *r, u64 key)
{
	struct ctrace_lfnode *n = ctrace_lftable_find(&r->boundaries, key, 0, NULL);
	struct ctrace_container *c = n ? ctrace_lfnode_get(n) : NULL;

	if (!n || (n->flags & CTRACE_NODE_REMOVED))
		return;
	n->flags |= CTRACE_NODE_REMOVED;
	if (c && !--c->live_keys)
		ctrace_container_gone(c);
}

void ctrace_learn_init_exits(struct ctrace_rules *r, const void *ns)
{
	struct ctrace_container *c = ctrace_look_owner(r, ns);

	if (c)
		ctrace_container_suspect(c);
}

/* --- for the GC --------------------------------------------------------------- */

static void unlink_one(struct ctrace_lftable *t, struct ctrace_lfnode *n, struct ctrace_lfnode **chain)
{
	ctrace_lftable_unlink(t, n);
	n->chain = *chain;
	*chain = n;
}

void ctrace_learn_unlink(struct ctrace_rules *r, struct ctrace_container *c, struct ctrace_lfnode **chain)
{
	struct ctrace_lfnode *n;

	while ((n = c->boundary_nodes)) {
		c->boundary_nodes = n->mate;
		unlink_one(&r->boundaries, n, chain);
	}
	boundaries_changed(r);
	if (c->node)
		unlink_one(c->base ? &r->parts : &r->namespaces, c->node, chain);
	c->node = NULL;
}

const void *ctrace_learn_ns_gone(struct ctrace_rules *r, struct ctrace_container *c,
				 struct ctrace_lfnode **chain)
{
	const void *ns = c->ns;

	if (c->node)
		unlink_one(&r->namespaces, c->node, chain);
	c->node = NULL;
	WRITE_ONCE(c->ns, CTRACE_NS_PAST);
	return ns;
}

void ctrace_learn_room(struct ctrace_rules *r)
{
	if (!r->refused)
		return;
	r->refused = false;
	WRITE_ONCE(r->room, r->room + 1);
	r->forgot();
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
