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
	const void *levels[CTRACE_CGROUP_DEPTH + 1];
	const void *up = lowest(r, cg);
	char copy[CTRACE_CGROUP_NAME];
	u32 hash = r->seed;
	const char *name;
	size_t at = 0, len;
	int n = 0;

	if (up != cg)
		levels[n++] = NULL;
	for (; up && n <= CTRACE_CGROUP_DEPTH && r->view->cg_parent(up); up = r->view->cg_parent(up))
		levels[n++] = up;
	if (!n)
		strscpy(buf, "/", size);
	while (n--) {
		name = levels[n] ? r->view->cg_name(levels[n], copy) : "...";
		len = strnlen(name, CTRACE_CGROUP_NAME - 1);
		hash = jhash(name, len, hash + 1);
		if (at + 1 < size)
			buf[at++] = '/';
		len = min(len, size - 1 - at);
		memcpy(buf + at, name, len);
		at += len;
		buf[at] = 0;
	}
	return hash;
}

u32 ctrace_look_path_kept(struct ctrace_rules *r, const void *cg)
{
	if (r->path_of != cg) {
		r->path_hash = ctrace_look_path(r, cg, r->path, sizeof(r->path));
		r->path_of = cg;
	}
	return r->path_hash;
}

const void *ctrace_look_init_cgroup(struct ctrace_rules *r, const struct ctrace_place *at)
{
	return at->cg[1] && !r->view->cg_parent(at->cg[0]) ? at->cg[1] : at->cg[0];
}

/* A cgroup that is too deep is not climbed up from: for callers with ident_lock, who look at many. */
static bool below(struct ctrace_rules *r, const void *cg, u64 root_key)
{
	int depth;

	for (depth = 0; cg && depth <= CTRACE_CGROUP_DEPTH; depth++, cg = r->view->cg_parent(cg))
		if (ctrace_look_key(r, cg) == root_key)
			return true;
	return false;
}

bool ctrace_look_below(struct ctrace_rules *r, const void *cg, u64 root_key)
{
	return below(r, lowest(r, cg), root_key);
}

/* The place's cgroup in that hierarchy, or NULL. */
static const void *cg_in(struct ctrace_rules *r, const struct ctrace_place *at, u32 hierarchy)
{
	int i;

	for (i = 0; at->cg[i]; i++)
		if (r->view->cg_hierarchy(at->cg[i]) == hierarchy)
			return at->cg[i];
	return NULL;
}

bool ctrace_look_below_place(struct ctrace_rules *r, const void *cg, const struct ctrace_place *at)
{
	const void *of = cg_in(r, at, r->view->cg_hierarchy(cg));

	return of && below(r, cg, ctrace_look_key(r, of));
}

bool ctrace_look_place_below(struct ctrace_rules *r, const struct ctrace_place *at, const void *root)
{
	const void *cg = cg_in(r, at, r->view->cg_hierarchy(root));

	return cg && ctrace_look_below(r, cg, ctrace_look_key(r, root));
}

/* The container that cgroup is known to be a boundary of, or NULL. */
static struct ctrace_lfnode *known_boundary(struct ctrace_rules *r, u64 key)
{
	struct ctrace_lfnode *n = ctrace_lftable_find(&r->boundaries, key, 0, NULL);

	return n && ctrace_lfnode_get(n) ? n : NULL;	/* without: another CPU has just pushed it */
}

static noinline void look_names(struct ctrace_rules *r, struct ctrace_seen *s, int i)
{
	const void *cg = lowest(r, s->at.cg[i]), *up;
	enum ctrace_boundary_kind kind = CTRACE_BOUNDARY_NONE;
	char copy[2][CTRACE_CGROUP_NAME];
	const char *name, *above;
	bool supervised;
	int depth;

	s->named[i] = 0;
	s->skip[i] = CTRACE_NO_SKIP;
	if (cg != s->at.cg[i])
		s->deep |= 1u << i;
	if (!cg) {
		s->blind |= 1u << i;
		return;
	}
	s->at.cg[i] = cg;
	name = r->view->cg_name(cg, copy[0]);
	for (depth = 0; depth < CTRACE_CGROUP_DEPTH; depth++, cg = up, name = above) {
		up = r->view->cg_parent(cg);
		if (!up)
			break;
		above = r->view->cg_name(up, copy[(depth + 1) & 1]);
		supervised = kind == CTRACE_BOUNDARY_SUPERVISOR;
		kind = ctrace_boundary_parse(above, name, NULL);
		/* the container's own cgroup, which its supervisor is not in */
		if (supervised && s->skip[i] == CTRACE_NO_SKIP)
			s->skip[i] = depth;
		if (kind == CTRACE_BOUNDARY_CONTAINER)
			s->named[i] |= 1ull << depth;
	}
}

void ctrace_look_names(struct ctrace_rules *r, struct ctrace_seen *s)
{
	int i;

	s->deep = s->blind = 0;
	for (i = 0; s->at.cg[i]; i++)
		look_names(r, s, i);
}

/* From cg on, which is `depth` levels above s's i-th cgroup. all: counts those above the nearest one, too. */
static struct ctrace_boundary boundary_from(struct ctrace_rules *r, const struct ctrace_seen *s, int i,
					    const void *cg, int depth, bool all)
{
	const struct ctrace_kernel *v = r->view;
	struct ctrace_boundary b = { .deep = s->deep >> i & 1, .of = i };
	struct ctrace_lfnode *n;
	const void *up;
	u64 key;

	if (s->blind >> i & 1)
		return b;
	for (; depth < CTRACE_CGROUP_DEPTH; depth++, cg = up) {
		up = v->cg_parent(cg);
		if (!up)
			break;
		if (depth == s->skip[i])
			continue;
		key = ctrace_look_key(r, cg);
		n = known_boundary(r, key);
		if (!n && !(s->named[i] >> depth & 1))
			continue;
		if (!b.nested++) {
			b.cg = cg;
			b.key = key;
			b.node = n;
			b.depth = depth;
			b.deep = false;
			if (!all)
				break;
		}
	}
	return b;
}

struct ctrace_boundary ctrace_look_above(struct ctrace_rules *r, const struct ctrace_seen *s, const struct ctrace_boundary *b)
{
	return boundary_from(r, s, b->of, r->view->cg_parent(b->cg), b->depth + 1, false);
}

/*
 * Of the boundaries that several hierarchies show, the one inside most others counts, and of two that are
 * equally deep v2's, which comes first. Why that is right: a runtime moves a container's processes in every
 * hierarchy that it uses. A hierarchy that it does not use still shows where the runtime itself is. If that
 * is the host, there is no boundary. If it is a container, the new boundary lies inside that one's, where the
 * runtime has its cgroups, and is deeper. All others are the same path, so the same container
 * (ctrace_look_by_path()).
 *
 * Equally deep and of two containers they are only if a runtime in a container A was given the host's own
 * cgroups, makes B beside A, and leaves a hierarchy alone: runc before 1.1 leaves v2, which then says A. B's
 * pid namespace was made in A's, so B still is a container of its own, inside A, but without its id. Only if
 * B has no pid namespace either, nothing distinguishes it from A. To prefer v1 would be no better: systemd
 * leaves v1's controllers alone, and moves machines and scopes in v2 and in its own hierarchy.
 */
struct ctrace_boundary ctrace_look_boundary(struct ctrace_rules *r, const struct ctrace_seen *s)
{
	struct ctrace_boundary b = { NULL }, of;
	bool deep = false;
	int i;

	for (i = 0; s->at.cg[i]; i++) {
		/* with one hierarchy there is nothing to compare with */
		of = boundary_from(r, s, i, s->at.cg[i], 0, s->at.cg[1]);
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
	u32 hash = ctrace_look_path_kept(r, b->cg);

	hlist_for_each_entry(c, &r->paths[ctrace_hash(hash, CTRACE_PATHS_BITS)], by_path)
		if (c->path_hash == hash && c->hierarchy != hierarchy &&
		    !strncmp(c->path, r->path, 127))
			return c;
	return NULL;
}

u32 ctrace_look_account(struct ctrace_rules *r, const void *cg)
{
	char none[1];

	cg = r->view->cg_ancestor(cg, 2);
	return ctrace_charge_account(cg ? ctrace_look_path(r, cg, none, sizeof(none)) : 0);
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

/* Has a boundary at cg or above become one, or passed to another container, since that generation? */
static bool void_since(struct ctrace_rules *r, const void *cg, u32 was)
{
	const struct ctrace_lfnode *n;
	int depth;
	u32 gen;

	cg = lowest(r, cg);
	for (depth = 0; cg && depth <= CTRACE_CGROUP_DEPTH; depth++, cg = r->view->cg_parent(cg)) {
		n = ctrace_lftable_find(&r->boundaries, ctrace_look_key(r, cg), 0, NULL);
		gen = n ? READ_ONCE(n->gen) : 0;
		if (gen && (s32)(gen - was) > 0)
			return true;
	}
	return false;
}

struct ctrace_container *ctrace_look_alias_again(struct ctrace_rules *r, struct ctrace_lfnode *n,
						 const struct ctrace_place *at)
{
	u32 was = smp_load_acquire(&n->gen);	/* as above */
	/* pairs with ctrace_learn_void_below(): then its node shows its gen */
	u32 now = smp_load_acquire(&r->gen);
	struct ctrace_container *c = ctrace_lfnode_get(n);
	int i;

	/* half of all generations ago: it is not known any more which of the two is later */
	if (now - was > U32_MAX / 2 || (s32)(was - READ_ONCE(r->broad)) < 0 || alias_void(r, n, c))
		return NULL;
	for (i = 0; at->cg[i]; i++)
		if (void_since(r, at->cg[i], was))
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

/* Is the place in cb by a boundary in another hierarchy? */
static bool below_others(struct ctrace_rules *r, const struct ctrace_place *at, const struct ctrace_container *cb)
{
	const struct ctrace_lfnode *n = READ_ONCE(cb->boundary_nodes);
	const void *cg;
	int i;

	/* the newest one of each hierarchy is among the first */
	for (i = 0; n && i <= CTRACE_PLACE_V1; i++, n = READ_ONCE(n->mate)) {
		cg = cg_in(r, at, READ_ONCE(n->flags) >> CTRACE_NODE_HIERARCHY);
		if (cg && below(r, cg, n->a))
			return true;
	}
	return false;
}

#define OTHERS_LEVELS	3

/*
 * Is the init of ns inside the boundary? On v1 it may, for the moment, be in the same container (cb) in
 * another hierarchy only, if ns is cb's own: that is not many levels (`up`) above the task, as a stranger may
 * nest 32.
 */
static bool init_inside(struct ctrace_rules *r, const struct ctrace_boundary *b,
			const struct ctrace_container *cb, const void *ns, int up)
{
	struct ctrace_place at;
	const void *cg;
	s32 pid;

	if (!r->view->ns_init(ns, &at, &pid))
		return false;
	cg = cg_in(r, &at, r->view->cg_hierarchy(b->cg));
	return (cg && below(r, cg, b->key)) ||
	       (r->v1 && cb && up < OTHERS_LEVELS && below_others(r, &at, cb));
}

const void *ctrace_look_own_ns(struct ctrace_rules *r, const struct ctrace_boundary *b,
			       const struct ctrace_container *cb, const void *ns)
{
	const void *own = NULL;
	int i;

	for (i = 0; i < CTRACE_NS_LEVELS && !ctrace_look_initial(r, ns);
	     i++, ns = r->view->ns_parent(ns))
		if (init_inside(r, b, cb, ns, i))
			own = ns;
	return own;
}
