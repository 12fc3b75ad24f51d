// SPDX-License-Identifier: GPL-2.0-only
/* Records what becomes known of containers. ident_lock is held, except in ctrace_learn_path(), init and exit. */
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "identity/parts.h"
#include "identity/rules_internal.h"
#include "identity/runtime_name.h"

/* --- describing a container ------------------------------------------------ */

u32 ctrace_learn_path(struct ctrace_rules *r, const void *cg, char *buf, size_t size)
{
	const char *names[CTRACE_CGROUP_DEPTH];
	u32 hash = 0;
	size_t at = 0;
	int n = 0;

	for (; cg && n < CTRACE_CGROUP_DEPTH && r->view->cg_parent(cg);
	     cg = r->view->cg_parent(cg))
		names[n++] = r->view->cg_name(cg);
	if (!n)
		strscpy(buf, "/", size);
	while (n--) {
		size_t len = strnlen(names[n], 255);

		hash = jhash(names[n], len, hash + 1);
		if (at + 1 < size)
			buf[at++] = '/';
		len = min(len, size - 1 - at);
		memcpy(buf + at, names[n], len);
		at += len;
		buf[at] = 0;
	}
	return hash;
}

static void describe_boundary(struct ctrace_rules *r, struct ctrace_container *c, const void *cg)
{
	struct ctrace_boundary_name name;

	c->cgroup_id = r->view->cg_id(cg);
	c->hierarchy = r->view->cg_hierarchy(cg);
	c->path_hash = ctrace_learn_path(r, cg, c->path, sizeof(c->path));
	ctrace_boundary_parse(r->view->cg_name(r->view->cg_parent(cg)), r->view->cg_name(cg),
			      &name);
	c->runtime = name.runtime;
	if (name.id)
		memcpy(c->runtime_id, name.id, CTRACE_RUNTIME_ID_LEN);
	WRITE_ONCE(c->key, ctrace_rules_key(r, cg));
	ctrace_container_changed(c);
}

/*
 * Picks the cgroup whose path shows where the init at `at` is: v2's, or the v1 one if v2's is the root, as it
 * always is on a host with v1 alone.
 */
static const void *init_cgroup(struct ctrace_rules *r, const struct ctrace_place *at)
{
	return at->cg[1] && !r->view->cg_parent(at->cg[0]) ? at->cg[1] : at->cg[0];
}

void ctrace_rules_init_execs(struct ctrace_rules *r, const struct ctrace_place *p)
{
	struct ctrace_container *c = ctrace_rules_owner(r, p->ns);
	u32 hash;

	if (!ctrace_rules_waits(c))
		return;
	hash = c->path_hash;
	c->path_hash = ctrace_learn_path(r, init_cgroup(r, p), c->path, sizeof(c->path));
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
		c->path_hash = ctrace_learn_path(r, init_cgroup(r, &at), c->path,
						 sizeof(c->path));
	/* Pairs with the acquire in rules.c, inside(): a reader that sees ns sees it with a reference held. */
	smp_store_release(&c->ns, ns);
}

/* --- nodes ------------------------------------------------------------------ */

void ctrace_rules_forget(struct ctrace_rules *r)
{
	WRITE_ONCE(r->gen, r->gen + 1);
	r->forgot();
}

static void point(struct ctrace_lfnode *n, struct ctrace_container *c)
{
	struct ctrace_container *was = ctrace_lfnode_get(n);

	if (c)
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

	set_key(n, ctrace_rules_key(r, cg), 0, NULL, 0);
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

	n = ctrace_lftable_find(&r->boundaries, ctrace_rules_key(r, cg), 0, NULL, 0);
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
	ctrace_rules_forget(r);
}

void ctrace_rules_alias(struct ctrace_rules *r, u64 v2, u64 v1, const void *ns,
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

/* --- what cgroup namespaces and removals tell --------------------------------- */

void ctrace_rules_cgroup_ns(struct ctrace_rules *r, const struct ctrace_place *p,
			    const void *const *roots, int n)
{
	struct ctrace_container *c = NULL;
	const void *ns = p->ns;
	struct ctrace_place at;
	s32 pid;
	int i;

	if (!n || ctrace_rules_boundary(r, p).cg)
		return;
	/* c: the owner of the outermost pid namespace whose init is below the roots. */
	for (; !ctrace_rules_initial(r, ns); ns = r->view->ns_parent(ns)) {
		if (!r->view->ns_init(ns, &at, &pid))
			break;
		for (i = 0; i < n; i++)
			if (ctrace_rules_below(r, at.cg[0], ctrace_rules_key(r, roots[i])) ||
			    ctrace_rules_below(r, at.cg[1], ctrace_rules_key(r, roots[i])))
				break;
		if (i == n)
			break;
		c = ctrace_rules_owner(r, ns);
	}
	if (c && !ctrace_rules_waits(c))
		return;
	for (i = 0; i < n; i++) {
		struct ctrace_boundary b = {
			.cg = roots[i], .key = ctrace_rules_key(r, roots[i]),
		};

		if (!c) {
			if (!ctrace_rules_initial(r, p->ns) && ctrace_rules_owner(r, p->ns))
				return;	/* a process of another container, which came in from there */
			c = ctrace_rules_new_boundary(r, &b, p->ns, 4);
			if (!c)
				return;
			c->ns_fixed = true;
			c->flags |= CTRACE_CONTAINER_F_HOSTPID;
		} else if (!ctrace_learn_boundary(r, c, roots[i])) {
			break;
		}
	}
	ctrace_rules_forget(r);
}

void ctrace_rules_cgroup_gone(struct ctrace_rules *r, u64 key)
{
	struct ctrace_lfnode *n = ctrace_lftable_find(&r->boundaries, key, 0, NULL, 0);
	struct ctrace_container *c = n ? ctrace_lfnode_get(n) : NULL;

	if (!n || (n->flags & CTRACE_NODE_REMOVED))
		return;
	n->flags |= CTRACE_NODE_REMOVED;
	if (c && !--c->live_keys)
		ctrace_container_gone(c);
}

/* --- life -------------------------------------------------------------------- */

int ctrace_rules_init(struct ctrace_rules *r, const struct ctrace_view *view,
		      void (*forgot)(void), unsigned int nodes)
{
	int err;

	r->view = view;
	r->forgot = forgot;
	r->gen = 1;
	r->nr_named = 0;
	memset(r->named, 0, sizeof(r->named));
	err = ctrace_lftable_init(&r->boundaries, 10);
	if (!err)
		err = ctrace_lftable_init(&r->namespaces, 10);
	if (!err)
		err = ctrace_lftable_init(&r->aliases, 12);
	if (!err)
		err = ctrace_lftable_init(&r->parts, 8);
	if (!err)
		err = ctrace_lfpool_init(&r->nodes, nodes);
	if (err)
		ctrace_rules_exit(r, NULL);
	return err;
}

static bool all(struct ctrace_lfnode *n, void *arg)
{
	return true;
}

/* No reader is left. */
void ctrace_rules_exit(struct ctrace_rules *r, void (*put_ns)(const void *ns))
{
	struct ctrace_lftable *tables[] = {
		&r->boundaries, &r->namespaces, &r->aliases, &r->parts,
	};
	struct ctrace_lfnode *chain, *n;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		if (!tables[i]->heads)
			continue;
		chain = ctrace_lftable_sweep(tables[i], all, NULL);
		for (n = chain; n; n = n->chain) {
			if (n->p && put_ns)
				put_ns(n->p);
			point(n, NULL);
		}
		ctrace_lfpool_free_chain(&r->nodes, chain);
		ctrace_lftable_exit(tables[i]);
	}
	ctrace_lfpool_exit(&r->nodes);
}
