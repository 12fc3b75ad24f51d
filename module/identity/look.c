// SPDX-License-Identifier: GPL-2.0-only
/* Looks at cgroups, pid namespaces, and what is recorded of them. Records nothing. */
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "identity/look.h"
#include "identity/runtime_name.h"

/* --- cgroups ---------------------------------------------------------------- */

u32 ctrace_look_path(struct ctrace_rules *r, const void *cg, char *buf, size_t size)
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

const void *ctrace_look_init_cgroup(struct ctrace_rules *r, const struct ctrace_place *at)
{
	return at->cg[1] && !r->view->cg_parent(at->cg[0]) ? at->cg[1] : at->cg[0];
}

bool ctrace_look_below(struct ctrace_rules *r, const void *cg, u64 root_key)
{
	int depth;

	for (depth = 0; cg && depth < CTRACE_CGROUP_DEPTH; depth++, cg = r->view->cg_parent(cg))
		if (ctrace_look_key(r, cg) == root_key)
			return true;
	return false;
}

struct ctrace_boundary ctrace_look_boundary_from(struct ctrace_rules *r, const void *cg)
{
	const struct ctrace_view *v = r->view;
	struct ctrace_boundary b = { NULL };
	const void *up;
	int depth;

	for (depth = 0; cg && depth < CTRACE_CGROUP_DEPTH; depth++, cg = up) {
		up = v->cg_parent(cg);
		if (!up)
			break;
		b.key = ctrace_look_key(r, cg);
		b.node = ctrace_lftable_find(&r->boundaries, b.key, 0, NULL, 0);
		if (b.node && !ctrace_lfnode_get(b.node))
			b.node = NULL;	/* another CPU has just pushed it, without its container */
		if (b.node || ctrace_boundary_parse(v->cg_name(up), v->cg_name(cg), NULL) ==
		    CTRACE_BOUNDARY_CONTAINER) {
			b.cg = cg;
			break;
		}
	}
	return b;
}

struct ctrace_boundary ctrace_look_boundary(struct ctrace_rules *r, const struct ctrace_place *p)
{
	struct ctrace_boundary b = ctrace_look_boundary_from(r, p->cg[0]);

	if (!b.cg && p->cg[1])
		b = ctrace_look_boundary_from(r, p->cg[1]);
	return b;
}

struct ctrace_container *ctrace_look_by_path(struct ctrace_rules *r, const struct ctrace_boundary *b)
{
	u32 hierarchy = r->view->cg_hierarchy(b->cg);
	struct ctrace_container *c;
	struct ctrace_lfnode *n;
	char path[128];
	unsigned long i;
	u32 hash;

	hash = ctrace_look_path(r, b->cg, path, sizeof(path));
	for (i = 0; i < 1ul << r->boundaries.bits; i++)
		for (n = READ_ONCE(r->boundaries.heads[i]); n; n = READ_ONCE(n->next)) {
			c = ctrace_lfnode_get(n);
			if (c && !c->gone && c->path_hash == hash && n->a >> 56 != hierarchy &&
			    c->hierarchy != hierarchy &&
			    !strncmp(c->path, path, sizeof(path) - 1))
				return c;
		}
	return NULL;
}

/* --- pid namespaces --------------------------------------------------------- */

struct ctrace_container *ctrace_look_owner(struct ctrace_rules *r, const void *ns)
{
	struct ctrace_lfnode *n = ctrace_lftable_find(&r->namespaces, 0, 0, ns, 0);

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
	if (ctrace_look_below(r, at.cg[0], b->key) || ctrace_look_below(r, at.cg[1], b->key))
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
