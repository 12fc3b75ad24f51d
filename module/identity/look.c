// SPDX-License-Identifier: GPL-2.0-only
/* Looks at cgroups, pid namespaces, and what is recorded of them. Records nothing. */
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "identity/look.h"
#include "identity/runtime_name.h"
#include "compat/hash.h"

/* --- cgroups ---------------------------------------------------------------- */

/* Where walks up from cg begin. NULL: they see no level at all. */
static const void *lowest(struct ctrace_rules *r, const void *cg)
{
	return cg ? r->view->cg_ancestor(cg, CTRACE_CGROUP_DEPTH) : NULL;
}

u32 ctrace_look_path(struct ctrace_rules *r, const void *cg, char *buf, size_t size)
{
	const char *names[CTRACE_CGROUP_DEPTH + 1];
	const void *up = lowest(r, cg);
	u32 hash = r->seed;
	size_t at = 0;
	int n = 0;

	if (up != cg)
		names[n++] = "...";
	for (; up && n <= CTRACE_CGROUP_DEPTH && r->view->cg_parent(up); up = r->view->cg_parent(up))
		names[n++] = r->view->cg_name(up);
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

const void *ctrace_look_init_cgroup(struct ctrace_rules *r, const struct ctrace_place *at)
{
	return at->cg[1] && !r->view->cg_parent(at->cg[0]) ? at->cg[1] : at->cg[0];
}

bool ctrace_look_below(struct ctrace_rules *r, const void *cg, u64 root_key)
{
	int depth;

	cg = lowest(r, cg);
	for (depth = 0; cg && depth <= CTRACE_CGROUP_DEPTH; depth++, cg = r->view->cg_parent(cg))
		if (ctrace_look_key(r, cg) == root_key)
			return true;
	return false;
}

bool ctrace_look_place_below(struct ctrace_rules *r, const struct ctrace_place *at, u64 root_key)
{
	int i;

	for (i = 0; at->cg[i]; i++)
		if (ctrace_look_below(r, at->cg[i], root_key))
			return true;
	return false;
}

/* The container that cgroup is known to be a boundary of, or NULL. */
static struct ctrace_lfnode *known_boundary(struct ctrace_rules *r, u64 key)
{
	struct ctrace_lfnode *n = ctrace_lftable_find(&r->boundaries, key, 0, NULL);

	return n && ctrace_lfnode_get(n) ? n : NULL;	/* without: another CPU has just pushed it */
}

struct ctrace_boundary ctrace_look_boundary_from(struct ctrace_rules *r, const void *cg)
{
	const struct ctrace_view *v = r->view;
	enum ctrace_boundary_kind kind = CTRACE_BOUNDARY_NONE;
	struct ctrace_boundary b = { NULL };
	const void *up, *low = lowest(r, cg);
	struct ctrace_lfnode *n;
	bool supervised;
	int depth;
	u64 key;

	b.deep = low != cg;
	cg = low;
	for (depth = 0; cg && depth < CTRACE_CGROUP_DEPTH; depth++, cg = up) {
		up = v->cg_parent(cg);
		if (!up)
			break;
		supervised = kind == CTRACE_BOUNDARY_SUPERVISOR;
		kind = ctrace_boundary_parse(v->cg_name(up), v->cg_name(cg), NULL);
		if (supervised)
			continue;	/* the container's own cgroup, which its supervisor is not in */
		key = ctrace_look_key(r, cg);
		n = known_boundary(r, key);
		if (!n && kind != CTRACE_BOUNDARY_CONTAINER)
			continue;
		if (!b.nested++) {
			b.cg = cg;
			b.key = key;
			b.node = n;
			b.deep = false;
		}
	}
	return b;
}

/*
 * Of the boundaries that several hierarchies show, the one inside most others counts, and of two that are equally deep
 * v2's, which comes first. Why that is right: a runtime moves a container's processes in every hierarchy that it uses.
 * A hierarchy that it does not use still shows where the runtime itself is. If that is the host, there is no
 * boundary. If it is a container, the new boundary lies inside that one's, where the runtime has its cgroups, and is
 * deeper. All others are the same path, so the same container (ctrace_look_by_path()).
 *
 * Equally deep and of two containers they are only if a runtime in a container A was given the host's own
 * cgroups, makes B beside A, and leaves a hierarchy alone: runc before 1.1 leaves v2, which then says A. B's
 * pid namespace was made in A's, so B still is a container of its own, inside A, but without its id. Only if B has no
 * pid namespace either, nothing tells it from A. To prefer v1 would be no better: systemd leaves v1's
 * controllers alone, and moves machines and scopes in v2 and in its own hierarchy.
 */
struct ctrace_boundary ctrace_look_boundary(struct ctrace_rules *r, const struct ctrace_place *p)
{
	struct ctrace_boundary b = { NULL }, of;
	bool deep = false;
	int i;

	for (i = 0; p->cg[i]; i++) {
		of = ctrace_look_boundary_from(r, p->cg[i]);
		deep |= of.deep;
		if (of.nested > b.nested)
			b = of;
	}
	b.deep = deep && !b.cg;
	return b;
}

struct ctrace_container *ctrace_look_by_path(struct ctrace_rules *r, const struct ctrace_boundary *b)
{
	u32 hierarchy = r->view->cg_hierarchy(b->cg);
	struct ctrace_container *c;
	char path[128];
	u32 hash;

	hash = ctrace_look_path(r, b->cg, path, sizeof(path));
	hlist_for_each_entry(c, &r->paths[ctrace_hash(hash, CTRACE_PATHS_BITS)], by_path)
		if (c->path_hash == hash && c->hierarchy != hierarchy &&
		    !strncmp(c->path, path, sizeof(path) - 1))
			return c;
	return NULL;
}

u32 ctrace_look_account(struct ctrace_rules *r, const void *cg)
{
	cg = r->view->cg_ancestor(cg, 2);
	return ctrace_charge_account(cg ? ctrace_look_key(r, cg) : 0);
}

/* --- aliases ---------------------------------------------------------------- */

/* Void whatever its generation? */
static bool alias_void(const struct ctrace_rules *r, const struct ctrace_lfnode *n, struct ctrace_container *c)
{
	const struct ctrace_container *base = ctrace_container_base(c);

	return READ_ONCE(base->taken_over) ||
	       (base == &ctrace_container_unknown && READ_ONCE(n->flags) != READ_ONCE(r->room));
}

struct ctrace_container *ctrace_look_alias(const struct ctrace_rules *r, const struct ctrace_lfnode *n)
{
	/* gen before val: pairs with ctrace_learn_alias() */
	bool now = smp_load_acquire(&n->gen) == READ_ONCE(r->gen);
	struct ctrace_container *c = now ? ctrace_lfnode_get(n) : NULL;

	return c && !alias_void(r, n, c) ? c : NULL;
}

/* Does all of r->below[] still tell what became void since `was`? The entry after the last is being written. */
static bool told_since(const struct ctrace_rules *r, u32 was, u32 now)
{
	return now - was < CTRACE_VOID_BELOW && (s32)(was - READ_ONCE(r->broad)) >= 0;
}

struct ctrace_container *ctrace_look_alias_again(struct ctrace_rules *r, struct ctrace_lfnode *n,
						 const struct ctrace_place *at)
{
	u32 was = smp_load_acquire(&n->gen);	/* as above */
	u32 now = smp_load_acquire(&r->gen);	/* pairs with ctrace_learn_void_below() */
	struct ctrace_container *c = ctrace_lfnode_get(n);
	u32 gen;
	u64 key;

	if (!told_since(r, was, now) || alias_void(r, n, c))
		return NULL;
	for (gen = was; gen != now; ) {
		key = READ_ONCE(r->below[++gen % CTRACE_VOID_BELOW]);
		if (ctrace_look_place_below(r, at, key))
			return NULL;
	}
	smp_rmb();	/* pairs with the smp_wmb() in ctrace_learn_void_below() */
	if (!told_since(r, was, READ_ONCE(r->gen)))
		return NULL;
	/* If it fails, another CPU was here before, or n has been decided anew. */
	cmpxchg(&n->gen, was, now);
	return c;
}

/* --- pid namespaces --------------------------------------------------------- */

struct ctrace_container *ctrace_look_owner(struct ctrace_rules *r, const void *ns)
{
	struct ctrace_lfnode *n = ctrace_lftable_find(&r->namespaces, 0, 0, ns);

	return n ? ctrace_lfnode_get(n) : NULL;
}

bool ctrace_look_descends(struct ctrace_rules *r, const void *ns, const void *from)
{
	int i;

	for (i = 0; ns && i < CTRACE_NS_LEVELS; i++, ns = r->view->ns_parent(ns))
		if (ns == from)
			return true;
	return false;
}

/*
 * Is the init of ns inside the boundary? On v1 init's boundary may, for the moment, be
 * a cgroup of the same container (cb) in another hierarchy.
 */
static bool init_inside(struct ctrace_rules *r, const struct ctrace_boundary *b,
			const struct ctrace_container *cb, const void *ns)
{
	struct ctrace_place at;
	struct ctrace_boundary of_init;
	s32 pid;

	if (!r->view->ns_init(ns, &at, &pid))
		return false;
	if (ctrace_look_place_below(r, &at, b->key))
		return true;
	of_init = ctrace_look_boundary(r, &at);
	return cb && of_init.node && ctrace_lfnode_get(of_init.node) == cb;
}

const void *ctrace_look_own_ns(struct ctrace_rules *r, const struct ctrace_boundary *b,
			       const struct ctrace_container *cb, const void *ns)
{
	const void *own = NULL;
	int i;

	for (i = 0; i < CTRACE_NS_LEVELS && !ctrace_look_initial(r, ns);
	     i++, ns = r->view->ns_parent(ns))
		if (init_inside(r, b, cb, ns))
			own = ns;
	return own;
}
