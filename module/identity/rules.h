/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules of identity: which container a place (cgroups, pid namespace) belongs to, and what is
 * recorded when that is asked.
 */
#ifndef CTRACE_RULES_H
#define CTRACE_RULES_H

#include "identity/look.h"

/* Process context. forgot: see struct ctrace_rules; nodes: how many nodes the pool keeps ready. */
int ctrace_rules_init(struct ctrace_rules *r, const struct ctrace_kernel *view,
		      void (*forgot)(void), unsigned int nodes);
void ctrace_rules_exit(struct ctrace_rules *r);

/*
 * A place, and what must be known of it before ident_lock is taken: names are read, and deep cgroups are
 * climbed up from, without the lock (look.h).
 */
struct ctrace_question {
	struct ctrace_seen p;
	struct ctrace_boundary b;	/* p's, as long as r->learned is `learned` */
	u32 learned;
	/*
	 * where the init of p's pid namespace is, if p is in no container's cgroup and the namespace nobody's
	 * yet
	 */
	struct ctrace_seen init;
	bool asks_init, has_init;
};

/*
 * How many sections under ident_lock one question may take: each makes at most one container, and levels are
 * bounded.
 */
#define CTRACE_SECTIONS		(CTRACE_NS_LEVELS + 8)

/* Any context, preemption off. Fills in the rest of q, of which q->p.at is filled in. Needs no lock. */
void ctrace_rules_look(struct ctrace_rules *r, struct ctrace_question *q);
/*
 * ident_lock held. Returns the container that q's place belongs to, and records what is seen for the first
 * time. NULL with r->again set: it has recorded what it may in one section. The caller unlocks, and asks
 * again from ctrace_rules_look() on. NULL without: the pools are empty. The unknown container: as below.
 */
struct ctrace_container *ctrace_rules_learn(struct ctrace_rules *r, struct ctrace_question *q);
/* The same without a lock, recording nothing. NULL: something must be recorded first. */
struct ctrace_container *ctrace_rules_known(struct ctrace_rules *r, struct ctrace_question *q);
/* Is p inside a container's boundary? Any context, preemption off; needs no lock. */
bool ctrace_rules_bounded(struct ctrace_rules *r, const struct ctrace_place *p);

/*
 * Any context, preemption off. Returns the container that p belongs to. Cgroups that sessions
 * named do not matter. change: the caller holds ident_lock, and what is seen for the first time
 * is recorded. NULL: something must be recorded first and cannot be (change is false, or
 * the pools are empty). The unknown container: there is no room for p's (container.h), or p is too deep in
 * the cgroups to decide (look.h).
 *
 * All the above in one. With change it does in one section what may take many: so it is for tests.
 */
struct ctrace_container *ctrace_rules_decide(struct ctrace_rules *r, const struct ctrace_place *p,
					     bool change);

/*
 * Context, change and NULL as above. base: the container of p. Returns base, or, if p is in or below
 * cgroups that sessions named, base's part for exactly those sessions.
 */
struct ctrace_container *ctrace_rules_part(struct ctrace_rules *r, const struct ctrace_place *p,
					   struct ctrace_container *base, bool change);

/*
 * Context and change as above, but for a cgroup, without looking at a task: s->at has that one alone, and
 * ctrace_look_names() has filled in the rest. Returns the container of the nearest boundary, or the host if
 * there is no boundary. With change, a container known by the same path in another hierarchy gets this
 * boundary, too. NULL: not known.
 */
struct ctrace_container *ctrace_rules_cgroup(struct ctrace_rules *r, const struct ctrace_seen *s, bool change);

/*
 * ident_lock held. Returns what takes the place of a part that ends: the part of the same container for
 * the remaining sessions that chose it; the container itself if none remain or the pools are
 * empty; NULL if the container is dying.
 */
struct ctrace_container *ctrace_rules_heir(struct ctrace_rules *r, const struct ctrace_container *part);

/*
 * Any context, preemption off; takes ident_lock, unless p is inside a boundary. The task at p is in a cgroup
 * namespace that holds a container (scan.c, made_from_outside()). Its n roots, none of them a hierarchy's
 * root, become boundaries of that container, unless p already is inside a boundary.
 */
void ctrace_rules_cgroup_ns(struct ctrace_rules *r, const struct ctrace_place *p,
			    const void *const *roots, int n);

/*
 * ident_lock held; the caller then calls ctrace_learn_forget() before it unlocks. n must stay
 * allocated until a grace period after ctrace_rules_unname().
 */
void ctrace_rules_name(struct ctrace_rules *r, struct ctrace_named *n);
void ctrace_rules_unname(struct ctrace_rules *r, struct ctrace_named *n);
/* ident_lock held. Has a session named a cgroup of that hierarchy? */
bool ctrace_rules_names(const struct ctrace_rules *r, u32 hierarchy);

#endif /* CTRACE_RULES_H */
