/* SPDX-License-Identifier: GPL-2.0-only */
/* Containers: what ctrace knows of each, how long it is kept. */
#ifndef CTRACE_CONTAINER_H
#define CTRACE_CONTAINER_H

#include <linux/types.h>
#include <linux/atomic.h>
#include <linux/list.h>
#include "../uapi/ctrace.h"
#include "../uapi/ctrace_netlink.h"

#define CTRACE_CONTAINER_PATH	512

struct pid_namespace;

struct ctrace_news {
	struct list_head list;
	bool born;
};

/*
 * From a pool, so that a probe can make one. Found through RCU (preemption
 * off is enough); whoever keeps a pointer longer takes a reference with
 * ctrace_container_get(). "Lock" is identity's raw lock (identity.c).
 *
 * Life: made (Lock) -> published: resolvable, in the list, announced -> dead:
 * gone is set, announced, still resolvable for stragglers -> swept by the GC
 * once its cgroup and pid namespace have gone -> pool, after a grace period
 * and the last reference. The cid is never given again.
 *
 * A part of one is what sessions chose of it by naming cgroups: the container again, with the
 * same cid and masks of its own, for the places in it that the same of these cgroups are around. It is a
 * selection, never an identity: whose an event is, a part says with its container's cid, and nobody
 * is told of it. It is in no list but the two of parts, so whoever looks up a cid finds the container.
 *
 * Its life: made when a place of it is first looked at (Lock) -> resolvable -> ending: dying is set,
 * because the container is dying or a session that chose it takes a target back -> pool, after the GC
 * has swept it, and the last reference.
 */
struct ctrace_container {
	/* hot: what the filter reads for each event */
	u32 cid;		/* invariant once published */
	/* bit n: wanted by the session of index n; not wanted, whatever else is. Lock; READ_ONCE */
	u32 wanted, denied;

	u32 parent;		/* cid; set again only if it was the host's. Lock */
	u32 hierarchy;		/* of the boundary: 0 v2, else the v1 hierarchy's number. Lock */
	u64 key;		/* boundary's key, 0 none; Lock, READ_ONCE elsewhere */
	u64 cgroup_id;		/* its id, 0 none. Lock */
	/* pid namespace (struct pid_namespace *), reference held; NULL: not known. Lock, once */
	const void *ns;
	u32 ns_inum;		/* 0 not known */
	s32 init_pid;		/* host's number of its init, 0 not known */
	u64 first_seen;		/* CLOCK_MONOTONIC ns; invariant once published */
	u64 gone;		/* likewise, 0 alive; set once */
	u32 flags;		/* CTRACE_CONTAINER_F_*; Lock for writing */
	/* its processes live in a namespace made outside: further ones are nested. Lock */
	bool ns_fixed;
	u32 live_keys;		/* boundary cgroups (one per hierarchy) not removed yet. Lock */
	u32 path_hash;		/* of the whole path, even where path[] is cut. Lock */
	atomic_t refs;		/* nodes in tables, and ctrace_container_get() */
	const char *runtime;	/* static text or NULL. Lock */
	char runtime_id[65];	/* "" if none. Lock; invariant once the boundary is known */
	char path[CTRACE_CONTAINER_PATH]; /* of the boundary, else of init when first seen; Lock */

	/* of a part: its container, with a reference; NULL: it is one. Invariant once resolvable */
	struct ctrace_container *base;
	u32 want, deny;		/* of a part: the sessions that named a cgroup around it. Lock */
	u32 ended;		/* of these: who takes a target back, which ends it. Lock */
	/*
	 * Of a part that ends: what is remembered in its place, what the others chose; NULL: nobody, its container
	 * is dying. The GC's, which sets it before it looks for who remembers the part
	 */
	struct ctrace_container *heir;
	struct list_head parts;	/* its parts; of a part: its place among these. Lock */

	/* container.c's own */
	struct list_head list;		/* all published, in order of cid; RCU, Lock. All parts: Lock */
	struct list_head queue;		/* free; later, swept and waiting. Lock; the GC */
	struct ctrace_news news[2];	/* [1] birth, [0] death, waiting to be announced. Lock */
	bool told;		/* of its birth, once at least. Lock */
	u32 dying;			/* swept or about to be: nothing new may point here. Lock */
};

/* Whose part c is, or c. Good as long as c is. */
static inline struct ctrace_container *ctrace_container_base(struct ctrace_container *c)
{
	return c->base ?: c;
}

/* One container, or parts of one? */
static inline bool ctrace_container_same(const struct ctrace_container *a,
					 const struct ctrace_container *b)
{
	return a->cid == b->cid;
}

/* cid 0, and the one for tasks that no memory was left to name. Never freed. */
extern struct ctrace_container ctrace_container_host;
extern struct ctrace_container ctrace_container_unknown;

/* Sessions with pid targets: their tasks are looked up, container or not. Written under ctrace_lock. */
extern u32 ctrace_pid_sessions;

/* The sessions that may want anything of a task in c. Any context. */
static __always_inline u32 ctrace_container_wanted(const struct ctrace_container *c)
{
	return READ_ONCE(c->wanted) | READ_ONCE(ctrace_pid_sessions);
}

/* --- for everybody; process context unless said ------------------------- */

/* Any context. */
static inline void ctrace_container_get(struct ctrace_container *c)
{
	atomic_inc(&c->refs);
}

static inline void ctrace_container_put(struct ctrace_container *c)
{
	atomic_dec(&c->refs);	/* the GC looks at it: nothing to do here */
}

/* With a reference; NULL if there is none. Dead ones are found until swept. */
struct ctrace_container *ctrace_container_find_get(u32 cid);
/*
 * In the order of cids; ctrace_container_next(NULL) gives the host. Puts prev, gets
 * what it returns; NULL at the end.
 */
struct ctrace_container *ctrace_container_next(struct ctrace_container *prev);
/* Likewise by number: the first with cid > after_cid; for dumps that go on in another call. */
struct ctrace_container *ctrace_container_after(u32 after_cid);
bool ctrace_container_exists(u32 cid);		/* alive (or the host) */
u32 ctrace_container_count(void);		/* alive, without the host; any context */
u64 ctrace_container_unknown_count(void);	/* resolves that gave CTRACE_CID_UNKNOWN */

/* A steady copy of what can still change after publication. */
struct ctrace_container_info {
	u32 cid, parent, hierarchy, ns_inum, flags;
	s32 init_pid;
	u64 cgroup_id, first_seen, gone;
	const char *runtime;		/* static or NULL */
	char runtime_id[65];
	char path[CTRACE_CONTAINER_PATH];
};

void ctrace_container_info(const struct ctrace_container *c, struct ctrace_container_info *out);

/* --- who is told ------------------------------------------------------------ */

/* What the rooms above do when containers come and go. Each may leave out what it does not need. */
struct ctrace_container_watcher {
	/*
	 * Sets c->wanted and c->denied of a child of parent. Called with ident_lock held (any context but
	 * NMI; irqs off) when c is in the list but not yet resolvable. So a caller that changes what this
	 * looks at, waits for a grace period, and then changes the masks of all in the list, misses none.
	 * Must not wait.
	 */
	void (*born)(struct ctrace_container *c, const struct ctrace_container *parent);
	/* A birth or a death, in the order of time. Process context. */
	void (*told)(struct ctrace_container *c, bool born);
	/*
	 * Forgets pointers to containers whose dying is set: after the grace period that follows they are
	 * freed. Process context.
	 */
	void (*forget)(void);
};

/* --- for identity.c, scan.c and rules.c --------------------------------- */

/*
 * In this order: init (pool, list), start (works; by ctrace_identity_init), stop
 * (no work runs any more; by ctrace_identity_stop), and, after
 * ctrace_identity_exit, exit (everything goes).
 */
struct ctrace_rules;
/* watchers: NULL-terminated, static; each is told in this order. */
int ctrace_container_init(const struct ctrace_container_watcher *const *watchers);
void ctrace_container_start(struct ctrace_rules *r);
void ctrace_container_stop(void);
void ctrace_container_exit(void);
/*
 * identity.c: forget pointers to containers that are dying, in a moment freed, and
 * let no cached one be taken. Process context.
 */
void ctrace_identity_forget_dying(void);
/* identity.c, scan.c: what else the GC looks at each time: v1 hierarchies. */
void ctrace_identity_refresh(void);

/*
 * Lock: one raw lock for every change of identity, never for looking up. Any
 * context; false in NMI, or where this CPU holds it already (a kprobe on something
 * that is called with it held): then look, and change nothing.
 */
bool ctrace_ident_lock(unsigned long *flags);
void ctrace_ident_unlock(unsigned long flags);

void ctrace_container_kick(void);	/* any context: refill, look for the dead soon */
void ctrace_container_count_unknown(void);	/* any context */

/* Lock held; NULL: pool empty. Zeroed, refs 0. */
struct ctrace_container *ctrace_container_take(void);
/* Likewise, cid given. */
struct ctrace_container *ctrace_container_new(void);
/* Lock held. Asks the filter, and queues the announcement. */
void ctrace_container_publish(struct ctrace_container *c, struct ctrace_container *parent);
/* Lock held. c lies in `in`, or is what that has become: who wants that wants it, unless it is denied. */
void ctrace_container_inherit(struct ctrace_container *c, const struct ctrace_container *in);
/*
 * Lock held. Its path is another now: its birth, if that was told, is told again,
 * because people know containers by what the path shows.
 */
void ctrace_container_changed(struct ctrace_container *c);
/* Lock held. Once; announced by the work. */
void ctrace_container_gone(struct ctrace_container *c);

#endif /* CTRACE_CONTAINER_H */
