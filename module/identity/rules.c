// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include "identity/learn.h"
#include "identity/parts.h"
#include "identity/rules.h"
#include "compat/hash.h"

/* --- learning: only with change, under ident_lock ------------------------------ */

/* The pid namespace that a container first seen comes from. */
struct origin {
	const void *ns;
	/* its own namespace was made in ns. Else its first task only is in ns, and may have joined it */
	bool made;
};

static struct ctrace_container *new_boundary(struct ctrace_rules *r, const struct ctrace_boundary *b,
					     struct origin from, int depth);

/* Does cg lie where the init of ns is, or below? Then the container of ns, which has no boundary, holds cg. */
static bool below_init(struct ctrace_rules *r, const void *cg, const void *ns)
{
	struct ctrace_place at;
	s32 pid;
	int i;

	if (!r->view->ns_init(ns, &at, &pid))
		return false;
	for (i = 0; at.cg[i]; i++)
		if (ctrace_look_below(r, cg, ctrace_look_key(r, at.cg[i])))
			return true;
	return false;
}

/*
 * Returns the parent of a container first seen at b: the container of the next boundary above, else the
 * owner of from.ns or of its nearest ancestor that has one, else the host. Who has only joined a namespace is in
 * its owner's container if the cgroup says so, too: a debugger in web's pid namespace is beside web, not in it.
 * depth: how many unknown boundaries above may be recorded.
 */
static struct ctrace_container *parent_of(struct ctrace_rules *r, const struct ctrace_boundary *b,
					  struct origin from, int depth)
{
	struct ctrace_boundary above = ctrace_look_boundary_from(r, r->view->cg_parent(b->cg));
	struct ctrace_container *c = NULL;
	int i;

	if (above.node)
		return ctrace_lfnode_get(above.node);
	if (above.cg && r->v1)
		c = ctrace_look_by_path(r, &above);
	if (!c && above.cg && depth)
		c = new_boundary(r, &above, from, depth - 1);
	for (i = 0; !c && i < CTRACE_NS_LEVELS && !ctrace_look_initial(r, from.ns); i++) {
		c = ctrace_look_owner(r, from.ns);
		if (c && !from.made && (c->key || !below_init(r, b->cg, from.ns)))
			c = NULL;
		from.ns = r->view->ns_parent(from.ns);
	}
	return c ?: &ctrace_container_host;
}

/*
 * Makes a container with the boundary b and, for now, no pid namespace; NULL: pools empty. depth: how many
 * unknown parents may be made first.
 */
static struct ctrace_container *new_boundary(struct ctrace_rules *r, const struct ctrace_boundary *b,
					     struct origin from, int depth)
{
	return ctrace_learn_new_boundary(r, parent_of(r, b, from, depth), b->cg);
}

static struct origin origin(struct ctrace_rules *r, const void *own, const void *ns)
{
	return (struct origin) { .ns = own ? r->view->ns_parent(own) : ns, .made = own };
}

/*
 * c was recorded as the host's child before its boundary, or its pid namespace, was known: now its parent is.
 * Another parent stays.
 */
static void adopt(struct ctrace_rules *r, struct ctrace_container *c,
		  struct ctrace_container *parent)
{
	struct ctrace_charge to = ctrace_charge_inside(&parent->charge, c->cid);

	if (c->parent || parent == c || parent->cid == CTRACE_CID_HOST)
		return;
	c->parent = parent->cid;
	ctrace_container_recharge(c, &to);
	ctrace_container_inherit(c, parent);
	ctrace_container_changed(c);
}

static struct ctrace_container *first_seen_at(struct ctrace_rules *r,
					      const struct ctrace_boundary *b,
					      const void *own, const struct ctrace_place *p)
{
	struct ctrace_container *c = r->v1 ? ctrace_look_by_path(r, b) : NULL;

	if (!c && own && ctrace_look_waits(ctrace_look_owner(r, own)))
		c = ctrace_look_owner(r, own);
	if (c) {
		if (!ctrace_learn_boundary(r, c, b->cg))
			return NULL;
		adopt(r, c, parent_of(r, b, origin(r, own, p->ns), 4));
		return c;
	}
	c = new_boundary(r, b, origin(r, own, p->ns), 4);
	if (c)
		WRITE_ONCE(c->runtime_mnt, CTRACE_MNT_UNKNOWN);
	return c;
}

/* own was made inside cb's boundary b: is it cb's own? Returns the container that has b afterwards. */
static struct ctrace_container *meet_ns(struct ctrace_rules *r, const struct ctrace_boundary *b,
					struct ctrace_container *cb, const void *own)
{
	struct ctrace_container *c = ctrace_look_owner(r, own);

	if (cb->ns_fixed || cb->ns == own)
		return cb;
	if (!cb->ns) {
		if (ctrace_look_waits(c) && c != cb) {
			ctrace_learn_take_over(r, cb, c);
			return c;
		}
		if (!c && ctrace_learn_own_ns(r, cb, own) && !cb->parent)
			adopt(r, cb, parent_of(r, b, origin(r, own, NULL), 4));
		return cb;
	}
	/* The init of cb's namespace has gone for good, and another takes its place: a new container. */
	if (cb->ns == CTRACE_NS_PAST ||
	    (r->view->ns_closed(cb->ns) && !ctrace_look_descends(r, own, cb->ns))) {
		if (!c)
			c = ctrace_learn_new_ns(r, cb->parent, cb, own);
		if (ctrace_look_waits(c)) {
			ctrace_learn_take_over(r, cb, c);
			return c;
		}
	}
	return cb;
}

/*
 * The runtime's mount namespace is that of who puts the first task into the boundary. (The task may have been seen
 * there a moment before.) If that was not seen, it is taken for the machine's first one.
 */
static void meet_runtime(struct ctrace_container *cb, const struct ctrace_place *p)
{
	if (!p->exec && cb->runtime_mnt == CTRACE_MNT_UNKNOWN)
		WRITE_ONCE(cb->runtime_mnt, p->mnt);
}

static bool own_program(const struct ctrace_container *cb, const struct ctrace_place *p)
{
	const void *runtime = cb->runtime_mnt == CTRACE_MNT_UNKNOWN ? NULL : cb->runtime_mnt;

	return p->exec && p->mnt != runtime;
}

/* A program is executed in cb, in ns, which was made outside: so cb has no pid namespace of its own. */
static void settle_ns(struct ctrace_rules *r, struct ctrace_container *cb, const void *ns)
{
	cb->ns_fixed = true;
	if (ctrace_look_initial(r, ns))
		cb->flags |= CTRACE_CONTAINER_F_HOSTPID;
	else
		ctrace_learn_ns(r, cb, ns);
}

/*
 * Returns the container of ns. above is an ancestor of ns that belongs to base (NULL: the initial one);
 * each level between the two is a container, too.
 */
static struct ctrace_container *nested(struct ctrace_rules *r, struct ctrace_container *base,
				       const void *above, const void *ns, bool change)
{
	const void *levels[CTRACE_NS_LEVELS];
	struct ctrace_container *c = base;
	int n = 0;

	for (; ns && ns != above && !ctrace_look_initial(r, ns) && n < CTRACE_NS_LEVELS;
	     ns = r->view->ns_parent(ns))
		levels[n++] = ns;
	while (n--) {
		struct ctrace_container *next = ctrace_look_owner(r, levels[n]);

		if (!next && change)
			next = ctrace_learn_new_ns(r, c->cid, c, levels[n]);
		if (!next)
			return NULL;
		/* next may have been made elsewhere, and moved into c since. Masks change under ident_lock only. */
		if (change && c != &ctrace_container_host)
			ctrace_container_inherit(next, c);
		c = next;
	}
	return c;
}

static struct ctrace_container *inside(struct ctrace_rules *r, const struct ctrace_boundary *b,
				       const struct ctrace_place *p, bool change)
{
	struct ctrace_container *cb = b->node ? ctrace_lfnode_get(b->node) : NULL;
	const void *own = ctrace_look_own_ns(r, b, cb, p->ns), *cb_ns;

	if (change) {
		if (!cb)
			cb = first_seen_at(r, b, own, p);
		if (cb)
			meet_runtime(cb, p);
		if (cb && own)
			cb = meet_ns(r, b, cb, own);
		if (cb && !own && own_program(cb, p) && !cb->ns && !cb->ns_fixed)
			settle_ns(r, cb, p->ns);
	}
	if (!cb)
		return NULL;
	cb_ns = smp_load_acquire(&cb->ns);	/* pairs with ctrace_learn_ns() */
	if (ctrace_look_initial(r, p->ns) || p->ns == cb_ns)
		return cb;
	if (cb_ns)
		return ctrace_look_descends(r, p->ns, cb_ns) ? nested(r, cb, cb_ns, p->ns, change) : cb;
	if (cb->ns_fixed && own)
		return nested(r, cb, r->view->ns_parent(own), p->ns, change);
	return cb;	/* the task came in from outside, and belongs to cb by its cgroup */
}

static struct ctrace_container *decide(struct ctrace_rules *r, const struct ctrace_place *p, bool change)
{
	struct ctrace_boundary b = ctrace_look_boundary(r, p);
	struct ctrace_container *c;
	struct ctrace_place init;
	s32 pid;

	if (change)
		r->told_by = b.cg ? r->view->cg_hierarchy(b.cg) : 0;
	if (b.cg)
		return inside(r, &b, p, change);
	if (ctrace_look_initial(r, p->ns))
		return b.deep ? &ctrace_container_unknown : &ctrace_container_host;
	c = ctrace_look_owner(r, p->ns);
	if (c)
		return c;
	/* p is in no container's cgroup, but may be in a container's pid namespace: init's place tells. */
	if (r->view->ns_init(p->ns, &init, &pid)) {
		b = ctrace_look_boundary(r, &init);
		if (b.cg) {
			init.ns = p->ns;
			init.exec = false;
			return inside(r, &b, &init, change);
		}
	}
	return nested(r, &ctrace_container_host, NULL, p->ns, change);
}

struct ctrace_container *ctrace_rules_decide(struct ctrace_rules *r, const struct ctrace_place *p,
					     bool change)
{
	struct ctrace_container *c;

	if (!change)
		return decide(r, p, false);
	r->full = false;
	c = decide(r, p, true);
	if (c || !r->full)
		return c;
	r->refused = true;
	return &ctrace_container_unknown;
}

struct ctrace_container *ctrace_rules_cgroup(struct ctrace_rules *r, const void *cg, bool change)
{
	struct ctrace_boundary b = ctrace_look_boundary_from(r, cg);
	struct ctrace_container *c;

	if (!b.cg)
		return b.deep ? &ctrace_container_unknown : &ctrace_container_host;
	if (b.node)
		return ctrace_lfnode_get(b.node);
	c = change && r->v1 ? ctrace_look_by_path(r, &b) : NULL;
	return c && ctrace_learn_boundary(r, c, b.cg) ? c : NULL;
}

void ctrace_rules_cgroup_ns(struct ctrace_rules *r, const struct ctrace_place *p,
			    const void *const *roots, int n)
{
	struct ctrace_container *c;
	const void *ns = p->ns, *own = NULL;
	struct ctrace_place at;
	s32 pid;
	int i;

	if (!n || ctrace_look_boundary(r, p).cg)
		return;
	/* own: the outermost pid namespace whose init is below the roots. */
	for (; !ctrace_look_initial(r, ns); ns = r->view->ns_parent(ns)) {
		if (!r->view->ns_init(ns, &at, &pid))
			break;
		for (i = 0; i < n; i++)
			if (ctrace_look_place_below(r, &at, ctrace_look_key(r, roots[i])))
				break;
		if (i == n)
			break;
		own = ns;
	}
	c = own ? ctrace_look_owner(r, own) : NULL;
	if (c && !ctrace_look_waits(c))
		return;
	for (i = 0; i < n; i++) {
		struct ctrace_boundary b = {
			.cg = roots[i], .key = ctrace_look_key(r, roots[i]),
		};

		/* Too deep, or known: p may be outside the roots. */
		if (ctrace_look_boundary_from(r, b.cg).deep ||
		    ctrace_lftable_find(&r->boundaries, b.key, 0, NULL))
			continue;
		if (!c) {
			if (!own && !ctrace_look_initial(r, p->ns) && ctrace_look_owner(r, p->ns))
				return;	/* a process of another container, which came in from there */
			c = new_boundary(r, &b, origin(r, own, p->ns), 4);
			if (!c) {
				ctrace_container_count_unknown();
				return;
			}
			if (own)
				ctrace_learn_own_ns(r, c, own);
			else
				settle_ns(r, c, p->ns);
		} else if (!ctrace_learn_boundary(r, c, roots[i])) {
			break;
		}
		ctrace_learn_void_below(r, b.key);
	}
	r->forgot();
}

/* --- what sessions chose ------------------------------------------------------- */

static void named_around(struct ctrace_rules *r, const void *cg, u32 *want, u32 *deny)
{
	const struct ctrace_view *v = r->view;
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

/* --- life -------------------------------------------------------------------- */

int ctrace_rules_init(struct ctrace_rules *r, const struct ctrace_view *view,
		      void (*forgot)(void), unsigned int nodes)
{
	int err;

	r->view = view;
	r->forgot = forgot;
	r->gen = r->broad = 1;
	r->room = 0;
	r->refused = false;
	r->nr_named = r->nr_aliases = 0;
	memset(r->named, 0, sizeof(r->named));
	memset(r->paths, 0, sizeof(r->paths));
	get_random_bytes(&r->seed, sizeof(r->seed));
	/* Lists of some 8 nodes if there are as many containers, and as many places, as there may be. */
	err = ctrace_lftable_init(&r->boundaries, 14);
	if (!err)
		err = ctrace_lftable_init(&r->namespaces, 14);
	if (!err)
		err = ctrace_lftable_init(&r->aliases, 14);
	if (!err)
		err = ctrace_lftable_init(&r->parts, 12);
	if (!err)
		err = ctrace_lfpool_init(&r->nodes, nodes);
	if (err)
		ctrace_rules_exit(r);
	return err;
}

static bool all(struct ctrace_lfnode *n, void *arg)
{
	return true;
}

/* No reader is left. */
void ctrace_rules_exit(struct ctrace_rules *r)
{
	struct ctrace_lftable *tables[] = {
		&r->boundaries, &r->namespaces, &r->aliases, &r->parts,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		if (!tables[i]->heads)
			continue;
		ctrace_learn_free(r, ctrace_lftable_sweep(tables[i], all, NULL));
		ctrace_lftable_exit(tables[i]);
	}
	for (i = 0; i < ARRAY_SIZE(r->paths); i++)
		while (!hlist_empty(&r->paths[i]))
			hlist_del_init(r->paths[i].first);
	ctrace_lfpool_exit(&r->nodes);
}
