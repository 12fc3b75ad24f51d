/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What identity has recorded, the kernel as it sees it, and how the two are read. The kernel's structures
 * are seen through a view only, so that the rules can be tested on made-up trees. RCU read side.
 */
#ifndef CTRACE_LOOK_H
#define CTRACE_LOOK_H

#include <linux/types.h>
#include "identity/container.h"
#include "identity/lftable.h"

/*
 * Levels of cgroups below a hierarchy's root that are looked at, which bounds every walk up. A cgroup that is
 * deeper counts as its ancestor at this level. So nobody leaves a container by making more levels. A deeper
 * cgroup in no container is not taken for the host's, because it may be in a container that is deeper, too:
 * it is unknown, and counted.
 */
#define CTRACE_CGROUP_DEPTH	64
/* bytes of a cgroup's name, with the NUL: the kernel's NAME_MAX + 1 */
#define CTRACE_CGROUP_NAME	256
#define CTRACE_NS_LEVELS	34	/* levels of pid namespaces: the kernel allows 32 */
/* at least CTRACE_COMPAT_NR_SUBSYS: a controller is in one hierarchy */
#define CTRACE_PLACE_V1		16

/* Where a task is. */
struct ctrace_place {
	/* [0] v2's cgroup; then v1's that are not roots, in the order of the hierarchies; then NULL */
	const void *cg[1 + CTRACE_PLACE_V1 + 1];
	const void *ns;		/* the task's own pid namespace */
	/*
	 * It executes a program here, or has done so. With a mount namespace other than its runtime's, its
	 * start-up is over: every runtime gives a container mounts of its own before its program runs.
	 */
	bool exec;
	/* exec: the task's mount namespace; else that of who put it here. NULL: the machine's first one */
	const void *mnt;
};

/*
 * A place, and what the names of its cgroups say. Whoever may make cgroups chooses how deep they are and how
 * long their names: so names are read, and a cgroup that is too deep is climbed up from, before ident_lock is
 * taken. That nothing is wrong then: a cgroup's ancestors never change, and on v2 its name does not either. A
 * v1 cgroup may be renamed at any moment, and the rules see the name from before or from after that with the
 * lock, too.
 */
struct ctrace_seen {
	struct ctrace_place at;	/* no cgroup in it is deeper than CTRACE_CGROUP_DEPTH, unless it is blind */
	/* of each cgroup: bit n: the one n levels above is named as a container's */
	u64 named[1 + CTRACE_PLACE_V1];
	u8 skip[1 + CTRACE_PLACE_V1];	/* levels above: the container that the task supervises; or NO_SKIP */
	u32 deep;		/* bit n: at.cg[n] was deeper */
	u32 blind;		/* bit n: no level of at.cg[n] can be looked at */
};

#define CTRACE_NO_SKIP		255

/* A cgroup that a session named. Part of the session's target: made, listed and freed with it. */
struct ctrace_named {
	struct hlist_node node;	/* ident_lock to change, RCU to walk */
	u64 key;		/* of the cgroup. Invariant, as are the fields below */
	u32 hierarchy;		/* the hierarchy's number, 0 for v2 */
	u32 want, deny;		/* the session's bit, in one of the two */
};

/* Called in any context, in an RCU read-side section. Handles are valid until that ends. */
struct ctrace_kernel {
	const void *(*cg_parent)(const void *cg);	/* NULL above a root */
	/* cg, if it is no deeper than level; else its ancestor there, or NULL: too deep to find that */
	const void *(*cg_ancestor)(const void *cg, int level);
	u64 (*cg_id)(const void *cg);
	u32 (*cg_hierarchy)(const void *cg);
	/*
	 * Nobody changes what it returns. It may be a copy in buf, which has CTRACE_CGROUP_NAME bytes; never
	 * longer than that.
	 */
	const char *(*cg_name)(const void *cg, char *buf);
	bool (*cg_online)(const void *cg);
	const void *(*ns_parent)(const void *ns);	/* NULL above the initial one */
	bool (*ns_closed)(const void *ns);		/* no process can join it any more */
	/* fills in where the namespace's init is, and init's number on the host; false: it has no init */
	bool (*ns_init)(const void *ns, struct ctrace_place *at, s32 *pid);
	u32 (*ns_inum)(const void *ns);
	void (*ns_get)(const void *ns);
	void (*ns_put)(const void *ns);
};

#define CTRACE_NAMED_BITS	6
#define CTRACE_PATHS_BITS	12
/* flags of a boundary's node: the cgroup is gone. ident_lock */
#define CTRACE_NODE_REMOVED	(1u << 0)
#define CTRACE_NODE_HIERARCHY	8		/* from this bit on: the cgroup's hierarchy. Invariant */

/*
 * An alias is invalid at once when it may have become wrong. An alias has the generation in which it was true
 * (n->gen), and is true in a later one r->gen as well, unless
 *  - that is past r->broad, a generation in which all became void (sessions named a cgroup, or took that
 *    back);
 *  - a cgroup above the place became a boundary since, or the boundary passed to another container: then the
 *    boundary's node has a later generation (n->gen; 0: places below it were never void);
 *  - its container has been taken over;
 *  - it leads to the unknown container, and there is room since (n->flags is r->room then).
 * So a user who makes boundaries, any number of them, invalidates nothing but what lies below them: the other
 * places look for boundaries above them, without a lock, and get the new generation.
 *
 * mate: of a boundary's node, the container's next one.
 */
struct ctrace_rules {
	struct ctrace_lftable boundaries;	/* a = key -> container; NULL just after the push */
	struct ctrace_lftable namespaces;	/* p = pid namespace -> its first container */
	struct ctrace_lftable aliases;		/* a, b, p = v2 key, v1 key, namespace -> container or part */
	struct ctrace_lftable parts;		/* a = cid, b = ctrace_part_key() -> part */
	/* containers with a boundary by path_hash. ident_lock */
	struct hlist_head paths[1 << CTRACE_PATHS_BITS];
	u32 seed;				/* of path_hash; invariant after init */
	struct hlist_head named[1 << CTRACE_NAMED_BITS]; /* by key. ident_lock to change, RCU to walk */
	u32 nr_named;				/* ident_lock; READ_ONCE elsewhere */
	struct ctrace_lfpool nodes;
	u32 gen, broad;				/* of aliases. ident_lock; READ_ONCE elsewhere */
	u32 learned;				/* how often a boundary was made or passed on. Likewise */
	u32 room;				/* grows when there is room for containers again. Likewise */
	u32 nr_aliases;				/* ident_lock; READ_ONCE elsewhere */
	/* for this decision there was no room for a container. ident_lock */
	bool full;
	/*
	 * One section under ident_lock makes one container: with it, a path is put together of as many names,
	 * and as long ones, as a stranger chose. made: it has. again: more containers must be made, in a
	 * further section. ident_lock
	 */
	bool made, again;
	/* The path last looked at in this section, of the cgroup path_of, or NULL. ident_lock */
	const void *path_of;
	u32 path_hash;
	char path[CTRACE_CONTAINER_PATH];
	bool refused;				/* the same, since ctrace_learn_room(). ident_lock */
	/* the hierarchy whose boundary decided this; 0: v2, or none. ident_lock */
	u32 told_by;
	bool v1;				/* there are v1 hierarchies */
	void (*forgot)(void);			/* called under ident_lock when places have become void */
	const struct ctrace_kernel *view;
};

/* A cgroup's key: ids are unique within one hierarchy only. */
static inline u64 ctrace_key(u32 hierarchy, u64 id)
{
	return ((u64)hierarchy << 56) ^ id;
}

struct ctrace_boundary {
	const void *cg;			/* NULL: none */
	u64 key;
	struct ctrace_lfnode *node;	/* NULL: not recorded yet */
	bool deep;			/* no boundary was found, but not all levels were looked at */
	/* how many boundaries there are at cg and above, if that was asked for */
	u32 nested;
	u8 of, depth;			/* cg is this many levels above the place's cgroup of that index */
};

static inline u64 ctrace_look_key(struct ctrace_rules *r, const void *cg)
{
	return ctrace_key(r->view->cg_hierarchy(cg), r->view->cg_id(cg));
}

static inline bool ctrace_look_initial(struct ctrace_rules *r, const void *ns)
{
	return !r->view->ns_parent(ns);
}

/* Must it still be learned from a program that is executed in c which pid namespace c lives in? */
static inline bool ctrace_look_unsettled(const struct ctrace_container *c)
{
	return READ_ONCE(c->key) && !READ_ONCE(c->ns) && !READ_ONCE(c->ns_fixed);
}

/* Is c a live container that has a pid namespace and no boundary yet? */
static inline bool ctrace_look_waits(const struct ctrace_container *c)
{
	return c && !c->key && !c->gone;
}

/* Key b of a part; key a is the cid of its container. */
static inline u64 ctrace_part_key(u32 want, u32 deny)
{
	return (u64)deny << 32 | want;
}

/* --- cgroups --------------------------------------------------------------- */

/*
 * Writes cg's path into buf, cut to size including the NUL; "/..." stands for levels that are not looked at.
 * Returns a hash of the whole path.
 */
u32 ctrace_look_path(struct ctrace_rules *r, const void *cg, char *buf, size_t size);
/*
 * The cgroup whose path shows where the init at `at` is: v2's, or the v1 one if v2's is the root, as it
 * always is on a host with v1 alone.
 */
const void *ctrace_look_init_cgroup(struct ctrace_rules *r, const struct ctrace_place *at);
/* Is cg the cgroup with root_key, or below it? */
bool ctrace_look_below(struct ctrace_rules *r, const void *cg, u64 root_key);
/* Is one of a place's cgroups root, or below it? */
bool ctrace_look_place_below(struct ctrace_rules *r, const struct ctrace_place *at, const void *root);
/* Is cg, which is not deeper than CTRACE_CGROUP_DEPTH, one of the place's cgroups, or below it? */
bool ctrace_look_below_place(struct ctrace_rules *r, const void *cg, const struct ctrace_place *at);
/* Fills in the rest of s, of which s->at is filled in. No lock is needed. */
void ctrace_look_names(struct ctrace_rules *r, struct ctrace_seen *s);
/* The nearest boundary above b, which is at or above one of s's cgroups. */
struct ctrace_boundary ctrace_look_above(struct ctrace_rules *r, const struct ctrace_seen *s, const struct ctrace_boundary *b);
/*
 * The nearest boundary of s's cgroups; a cgroup named as a runtime's monitor is not one. Nearest is: the one
 * inside the most others, because a runtime in a container need not use each hierarchy. Of equals it is the
 * first hierarchy's, so that the answer is the same for all.
 */
struct ctrace_boundary ctrace_look_boundary(struct ctrace_rules *r, const struct ctrace_seen *s);
/* ident_lock held. ctrace_look_path() into r->path, unless it has it already; returns r->path_hash. */
u32 ctrace_look_path_kept(struct ctrace_rules *r, const void *cg);
/*
 * The live container that b's path has in another hierarchy, or NULL. On v1 a runtime enters the
 * hierarchies one by one, and a container's cgroup has another id in each: the same path in another
 * hierarchy is the same container. ident_lock held.
 */
struct ctrace_container *ctrace_look_by_path(struct ctrace_rules *r, const struct ctrace_boundary *b);

/*
 * The account (charge.h) of a container in no other one, in cg: by the path of its slice, as the slice of a
 * user to whom several v1 hierarchies were delegated is another cgroup in each. ident_lock held
 */
u32 ctrace_look_account(struct ctrace_rules *r, const void *cg);

/* --- aliases ---------------------------------------------------------------- */

/* Where the alias n leads, if it is true without another look. NULL: ask ctrace_look_alias_again() */
struct ctrace_container *ctrace_look_alias(const struct ctrace_rules *r, const struct ctrace_lfnode *n);
/* at: n's place. NULL: n is void, and the place must be decided anew. */
struct ctrace_container *ctrace_look_alias_again(struct ctrace_rules *r, struct ctrace_lfnode *n,
						 const struct ctrace_place *at);

/* --- pid namespaces --------------------------------------------------------- */

struct ctrace_container *ctrace_look_owner(struct ctrace_rules *r, const void *ns);	/* NULL: none */
/* Is ns `from`, or made inside it? */
bool ctrace_look_descends(struct ctrace_rules *r, const void *ns, const void *from);
/*
 * The outermost of ns and its ancestors that was made inside the boundary b of cb, or NULL. The outermost,
 * so that the answer does not depend on which task is seen first.
 */
const void *ctrace_look_own_ns(struct ctrace_rules *r, const struct ctrace_boundary *b,
			       const struct ctrace_container *cb, const void *ns);

#endif /* CTRACE_LOOK_H */
