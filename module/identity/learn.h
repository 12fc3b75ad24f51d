/* SPDX-License-Identifier: GPL-2.0-only */
/* Records what becomes known of containers. ident_lock is held, unless said. */
#ifndef CTRACE_LEARN_H
#define CTRACE_LEARN_H

#include "identity/look.h"

void ctrace_learn_ns(struct ctrace_rules *r, struct ctrace_container *c, const void *ns);
/*
 * Make a container that has only the boundary cg, or only the pid namespace ns; NULL: pools empty.
 * like: the container whose masks the new one takes.
 */
struct ctrace_container *ctrace_learn_new_boundary(struct ctrace_rules *r,
						   struct ctrace_container *parent,
						   const void *cg);
struct ctrace_container *ctrace_learn_new_ns(struct ctrace_rules *r, u32 parent,
					     struct ctrace_container *like, const void *ns);
/* Makes cg a boundary of c, which may have others, unless cg already is a container's. false: pool empty. */
bool ctrace_learn_boundary(struct ctrace_rules *r, struct ctrace_container *c, const void *cg);
/* Makes ns, which has no owner, c's own; false: pool empty. */
bool ctrace_learn_own_ns(struct ctrace_rules *r, struct ctrace_container *c, const void *ns);
/* Makes base's part for these sessions, for a caller that found none or one that ends. NULL: pools empty. */
struct ctrace_container *ctrace_learn_part(struct ctrace_rules *r, struct ctrace_container *base,
					   u32 want, u32 deny);
/* Gives all boundaries of `from` to `to`, with what they say of a container; then `from` is gone. */
void ctrace_learn_take_over(struct ctrace_rules *r, struct ctrace_container *from,
			    struct ctrace_container *to);
/*
 * The init of p->ns executes a program at p, so the runtime has moved it to
 * where it stays. If its container has no boundary, p's path is the container's from now on.
 */
void ctrace_learn_init_execs(struct ctrace_rules *r, const struct ctrace_place *p);
/* Remembers that places with these keys in ns belong to c, a container or a part. */
void ctrace_learn_alias(struct ctrace_rules *r, u64 v2, u64 v1, const void *ns,
			struct ctrace_container *c);
/* The cgroup with that key has been removed. */
void ctrace_learn_cgroup_gone(struct ctrace_rules *r, u64 key);
/* The init of ns begins to exit. */
void ctrace_learn_init_exits(struct ctrace_rules *r, const void *ns);
/*
 * Invalidates all that is remembered about places: aliases and, by forgot(), CPUs' caches. For what sessions
 * do.
 */
void ctrace_learn_forget(struct ctrace_rules *r);
/* The same for places in or below the cgroup with that boundary. The caller then calls r->forgot(). */
void ctrace_learn_void_below(struct ctrace_rules *r, struct ctrace_lfnode *boundary);
/* For the GC: takes out the nodes of c, which is dying, or of a part that ends, and adds them to *chain. */
void ctrace_learn_unlink(struct ctrace_rules *r, struct ctrace_container *c, struct ctrace_lfnode **chain);
/*
 * For the GC: the last process of c->ns has gone. Takes out its node, as above. The caller drops the
 * reference to what is returned, a grace period later.
 */
const void *ctrace_learn_ns_gone(struct ctrace_rules *r, struct ctrace_container *c,
				 struct ctrace_lfnode **chain);
/* For the GC: containers have been swept. Places that were refused one may ask again. */
void ctrace_learn_room(struct ctrace_rules *r);
/* Frees nodes that no reader has any more, and puts what they refer to. Process context; needs no lock. */
void ctrace_learn_free(struct ctrace_rules *r, struct ctrace_lfnode *chain);

#endif /* CTRACE_LEARN_H */
