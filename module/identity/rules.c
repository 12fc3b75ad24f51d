// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/random.h>
#include <linux/string.h>
#include "identity/learn.h"
#include "identity/rules.h"

/* --- learning: only with change, under ident_lock ------------------------------ */

/* The pid namespace that a container first seen comes from. */
struct origin {
	const void *ns;
	/* its own namespace was made in ns. Else its first task only is in ns, and may have joined it */
	bool made;
};

/* May this section make one more container? */
static bool may_make(struct ctrace_rules *r)
{
	r->again |= r->made;
	return !r->made;
}

/*
 * Does cg lie where the init of ns is, or below? Then the container of ns, which has no boundary, holds cg.
 */
static bool below_init(struct ctrace_rules *r, const void *cg, const void *ns)
{
	struct ctrace_place at;
	s32 pid;

	return r->view->ns_init(ns, &at, &pid) && ctrace_look_below_place(r, cg, &at);
}

/*
 * Returns the owner of from.ns or of its nearest ancestor that has one, else the host. A task that has only
 * joined a namespace is in its owner's container if the cgroup says so, too: a debugger in web's pid
 * namespace is beside web, not in it.
 */
static struct ctrace_container *parent_by_ns(struct ctrace_rules *r, const struct ctrace_boundary *b, struct origin from)
{
	struct ctrace_container *c = NULL;
	int i;

	for (i = 0; !c && i < CTRACE_NS_LEVELS && !ctrace_look_initial(r, from.ns); i++) {
		c = ctrace_look_owner(r, from.ns);
		if (c && !from.made && (c->key || !below_init(r, b->cg, from.ns)))
			c = NULL;
		from.ns = r->view->ns_parent(from.ns);
	}
	return c ?: &ctrace_container_host;
}

/* Makes a container with the boundary b and, for now, no pid namespace; NULL: pools empty, or r->again. */
static struct ctrace_container *new_boundary(struct ctrace_rules *r, const struct ctrace_boundary *b,
					     struct ctrace_container *parent)
{
	if (!may_make(r))
		return NULL;
	r->made = true;
	return ctrace_learn_new_boundary(r, parent, b->cg);
}

#define PARENTS		4	/* unknown boundaries above one first seen that are recorded, too */

/*
 * Returns the parent of a container first seen at b, which is one of s's boundaries: the container of the
 * next boundary above, else that of its pid namespace. If the next ones above are unknown, the uppermost of
 * them is recorded first, and in this section nothing else: NULL, with r->again set. NULL without it: pools
 * empty.
 */
static struct ctrace_container *parent_of(struct ctrace_rules *r, const struct ctrace_seen *s,
					  const struct ctrace_boundary *b, struct origin from)
{
	struct ctrace_boundary above = ctrace_look_above(r, s, b), top, up;
	struct ctrace_container *c;
	int n;

	if (above.node)
		return ctrace_lfnode_get(above.node);
	if (!above.cg)
		return parent_by_ns(r, b, from);
	for (n = 1, top = above; n < PARENTS; n++, top = up) {
		up = ctrace_look_above(r, s, &top);
		if (!up.cg || up.node)
			break;
	}
	c = r->v1 ? ctrace_look_by_path(r, &top) : NULL;
	if (c) {
		r->again = ctrace_learn_boundary(r, c, top.cg);
		return NULL;
	}
	up = ctrace_look_above(r, s, &top);
	c = new_boundary(r, &top, up.node ? ctrace_lfnode_get(up.node) : parent_by_ns(r, &top, from));
	r->again |= !!c;
	return NULL;
}

static struct origin origin(struct ctrace_rules *r, const void *own, const void *ns)
{
	return (struct origin) { .ns = own ? r->view->ns_parent(own) : ns, .made = own };
}

/*
 * c was recorded as the host's child before its boundary, or its pid namespace, was known: now its parent is.
 * Another parent stays.
 */
static void adopt(struct ctrace_container *c, struct ctrace_container *parent)
{
	struct ctrace_charge to;

	if (!parent || c->parent || parent == c || parent->cid == CTRACE_CID_HOST)
		return;
	c->parent = parent->cid;
	to = ctrace_charge_inside(&parent->charge, c->cid);
	ctrace_container_recharge(c, &to);
	ctrace_container_inherit(c, parent);
	ctrace_container_changed(c);
}

static struct ctrace_container *first_seen_at(struct ctrace_rules *r, const struct ctrace_seen *s,
					      const struct ctrace_boundary *b, const void *own)
{
	struct ctrace_container *parent = parent_of(r, s, b, origin(r, own, s->at.ns)), *c;

	if (!parent)
		return NULL;
	c = r->v1 ? ctrace_look_by_path(r, b) : NULL;
	if (!c && own && ctrace_look_waits(ctrace_look_owner(r, own)))
		c = ctrace_look_owner(r, own);
	if (c) {
		if (!ctrace_learn_boundary(r, c, b->cg))
			return NULL;
		adopt(c, parent);
		return c;
	}
	c = new_boundary(r, b, parent);
	if (c)
		WRITE_ONCE(c->runtime_mnt, CTRACE_MNT_UNKNOWN);
	return c;
}

/* A container with the pid namespace ns, which nobody has, like `like`; NULL: pools empty, or r->again. */
static struct ctrace_container *new_ns(struct ctrace_rules *r, u32 parent, struct ctrace_container *like, const void *ns)
{
	if (!may_make(r))
		return NULL;
	r->made = true;
	return ctrace_learn_new_ns(r, parent, like, ns);
}

/*
 * own was made inside cb's boundary b: is it cb's own? Returns the container that has b afterwards; NULL: not
 * yet, as r->again says.
 */
static struct ctrace_container *meet_ns(struct ctrace_rules *r, const struct ctrace_seen *s, const struct ctrace_boundary *b,
					struct ctrace_container *cb, const void *own)
{
	struct ctrace_container *c = ctrace_look_owner(r, own), *parent = NULL;

	if (cb->ns_fixed || cb->ns == own)
		return cb;
	if (!cb->ns) {
		if (ctrace_look_waits(c) && c != cb) {
			ctrace_learn_take_over(r, cb, c);
			return c;
		}
		if (!c && !cb->parent)
			parent = parent_of(r, s, b, origin(r, own, NULL));
		if (r->again)
			return NULL;
		if (!c && ctrace_learn_own_ns(r, cb, own))
			adopt(cb, parent);
		return cb;
	}
	/* The init of cb's namespace has gone for good, and another takes its place: a new container. */
	if (cb->ns == CTRACE_NS_PAST ||
	    (r->view->ns_closed(cb->ns) && !ctrace_look_descends(r, own, cb->ns))) {
		if (!c)
			c = new_ns(r, cb->parent, cb, own);
		if (r->again)
			return NULL;
		if (ctrace_look_waits(c)) {
			ctrace_learn_take_over(r, cb, c);
			return c;
		}
	}
	return cb;
}

/*
 * The runtime's mount namespace is that of who puts the first task into the boundary. (The task may have been
 * seen there a moment before.) If that was not seen, it is taken for the machine's first one.
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
			next = new_ns(r, c->cid, c, levels[n]);
		if (!next)
			return NULL;
		/*
		 * next may have been made elsewhere, and moved into c since. Masks change under ident_lock
		 * only.
		 */
		if (change && c != &ctrace_container_host)
			ctrace_container_inherit(next, c);
		c = next;
	}
	return c;
}

static struct ctrace_container *inside(struct ctrace_rules *r, const struct ctrace_seen *s,
				       const struct ctrace_boundary *b, bool change)
{
	struct ctrace_container *cb = b->node ? ctrace_lfnode_get(b->node) : NULL;
	const struct ctrace_place *p = &s->at;
	const void *own = ctrace_look_own_ns(r, b, cb, p->ns), *cb_ns;

	if (change) {
		if (!cb)
			cb = first_seen_at(r, s, b, own);
		if (cb)
			meet_runtime(cb, p);
		if (cb && own)
			cb = meet_ns(r, s, b, cb, own);
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

void ctrace_rules_look(struct ctrace_rules *r, struct ctrace_question *q)
{
	const void *ns = q->p.at.ns;
	s32 pid;

	ctrace_look_names(r, &q->p);
	q->learned = READ_ONCE(r->learned);	/* before the look: later changes show under ident_lock */
	smp_rmb();
	q->b = ctrace_look_boundary(r, &q->p);
	q->has_init = false;
	q->asks_init = !ctrace_look_initial(r, ns) && !q->b.cg && !ctrace_look_owner(r, ns);
	if (!q->asks_init)
		return;
	q->has_init = r->view->ns_init(ns, &q->init.at, &pid);
	if (q->has_init) {
		q->init.at.ns = ns;
		q->init.at.exec = false;
		ctrace_look_names(r, &q->init);
	}
}

static struct ctrace_container *decide(struct ctrace_rules *r, struct ctrace_question *q, bool change)
{
	const struct ctrace_place *p = &q->p.at;
	struct ctrace_boundary b = READ_ONCE(r->learned) == q->learned ? q->b : ctrace_look_boundary(r, &q->p);
	struct ctrace_container *c;

	if (change)
		r->told_by = b.cg ? r->view->cg_hierarchy(b.cg) : 0;
	if (b.cg)
		return inside(r, &q->p, &b, change);
	if (ctrace_look_initial(r, p->ns))
		return b.deep ? &ctrace_container_unknown : &ctrace_container_host;
	c = ctrace_look_owner(r, p->ns);
	if (c)
		return c;
	if (!q->asks_init) {	/* it has lost its container since ctrace_rules_look() */
		if (change)
			r->again = true;
		return NULL;
	}
	/* p is in no container's cgroup, but may be in a container's pid namespace: init's place decides. */
	if (q->has_init) {
		b = ctrace_look_boundary(r, &q->init);
		if (b.cg)
			return inside(r, &q->init, &b, change);
	}
	return nested(r, &ctrace_container_host, NULL, p->ns, change);
}

static void begin_section(struct ctrace_rules *r)
{
	r->full = r->made = r->again = false;
	r->path_of = NULL;
}

struct ctrace_container *ctrace_rules_learn(struct ctrace_rules *r, struct ctrace_question *q)
{
	struct ctrace_container *c;

	begin_section(r);
	c = decide(r, q, true);
	if (c || !r->full)
		return c;
	r->again = false;
	r->refused = true;
	return &ctrace_container_unknown;
}

struct ctrace_container *ctrace_rules_known(struct ctrace_rules *r, struct ctrace_question *q)
{
	return decide(r, q, false);
}

struct ctrace_container *ctrace_rules_decide(struct ctrace_rules *r, const struct ctrace_place *p,
					     bool change)
{
	struct ctrace_question q = { .p.at = *p };
	struct ctrace_container *c;
	int sections = CTRACE_SECTIONS;

	if (!change) {
		ctrace_rules_look(r, &q);
		return decide(r, &q, false);
	}
	do {
		q.p.at = *p;
		ctrace_rules_look(r, &q);
		c = ctrace_rules_learn(r, &q);
	} while (r->again && --sections);
	return c;
}

bool ctrace_rules_bounded(struct ctrace_rules *r, const struct ctrace_place *p)
{
	struct ctrace_seen s = { .at = *p };

	ctrace_look_names(r, &s);
	return ctrace_look_boundary(r, &s).cg;
}

struct ctrace_container *ctrace_rules_cgroup(struct ctrace_rules *r, const struct ctrace_seen *s, bool change)
{
	struct ctrace_boundary b = ctrace_look_boundary(r, s);
	struct ctrace_container *c;

	if (!b.cg)
		return b.deep ? &ctrace_container_unknown : &ctrace_container_host;
	if (b.node)
		return ctrace_lfnode_get(b.node);
	if (!change)
		return NULL;
	begin_section(r);
	c = r->v1 ? ctrace_look_by_path(r, &b) : NULL;
	return c && ctrace_learn_boundary(r, c, b.cg) ? c : NULL;
}

/* A cgroup namespace that holds a container. */
struct cgroup_ns {
	struct ctrace_seen p, roots;
	int n;
	const void *own;	/* the outermost pid namespace whose init is below the roots, or NULL */
};

static const void *ns_below_roots(struct ctrace_rules *r, const void *ns, const void *const *roots, int n)
{
	const void *own = NULL;
	struct ctrace_place at;
	s32 pid;
	int i;

	for (; !ctrace_look_initial(r, ns); ns = r->view->ns_parent(ns)) {
		if (!r->view->ns_init(ns, &at, &pid))
			break;
		for (i = 0; i < n; i++)
			if (ctrace_look_place_below(r, &at, roots[i]))
				break;
		if (i == n)
			break;
		own = ns;
	}
	return own;
}

/* The container whose first root b is; NULL: it cannot be made, or r->again. */
static struct ctrace_container *first_root(struct ctrace_rules *r, const struct cgroup_ns *of, const struct ctrace_boundary *b)
{
	struct origin from = origin(r, of->own, of->p.at.ns);
	struct ctrace_container *parent = parent_of(r, &of->roots, b, from);
	struct ctrace_container *c = parent ? new_boundary(r, b, parent) : NULL;

	if (!c) {
		if (!r->again)
			ctrace_container_count_unknown();
		return NULL;
	}
	if (of->own)
		ctrace_learn_own_ns(r, c, of->own);
	else
		settle_ns(r, c, of->p.at.ns);
	return c;
}

/* ident_lock held. r->again: once more. */
static void learn_roots(struct ctrace_rules *r, const struct cgroup_ns *of)
{
	struct ctrace_container *c = of->own ? ctrace_look_owner(r, of->own) : NULL;
	const void *ns = of->p.at.ns;
	struct ctrace_lfnode *node;
	int i;

	begin_section(r);
	if ((c && !ctrace_look_waits(c)) || ctrace_look_boundary(r, &of->p).cg)
		return;
	for (i = 0; i < of->n; i++) {
		struct ctrace_boundary b = {
			.cg = of->roots.at.cg[i], .key = ctrace_look_key(r, of->roots.at.cg[i]), .of = i,
		};

		/* Too deep, or known: p may be outside the roots. */
		if (of->roots.deep >> i & 1 || ctrace_lftable_find(&r->boundaries, b.key, 0, NULL))
			continue;
		if (!c) {
			if (!of->own && !ctrace_look_initial(r, ns) && ctrace_look_owner(r, ns))
				return;	/* a process of another container, which came in from there */
			c = first_root(r, of, &b);
			if (!c)
				return;
		} else if (!ctrace_learn_boundary(r, c, b.cg)) {
			break;
		}
		node = ctrace_lftable_find(&r->boundaries, b.key, 0, NULL);
		if (node)
			ctrace_learn_void_below(r, node);
	}
	r->forgot();
}

void ctrace_rules_cgroup_ns(struct ctrace_rules *r, const struct ctrace_place *p,
			    const void *const *roots, int n)
{
	struct cgroup_ns of = { .p.at = *p, .n = n };
	int sections = CTRACE_SECTIONS;
	unsigned long flags;
	bool again;

	ctrace_look_names(r, &of.p);
	if (!n || ctrace_look_boundary(r, &of.p).cg)
		return;
	of.own = ns_below_roots(r, p->ns, roots, n);
	memcpy(of.roots.at.cg, roots, n * sizeof(*roots));
	ctrace_look_names(r, &of.roots);
	do {
		if (!ctrace_ident_lock(&flags))
			return;
		learn_roots(r, &of);
		again = r->again;
		ctrace_ident_unlock(flags);
	} while (again && --sections);
}

/* --- life -------------------------------------------------------------------- */

int ctrace_rules_init(struct ctrace_rules *r, const struct ctrace_kernel *view,
		      void (*forgot)(void), unsigned int nodes)
{
	int err;

	r->view = view;
	r->forgot = forgot;
	r->gen = r->broad = 1;
	r->room = r->learned = 0;
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
