/* SPDX-License-Identifier: GPL-2.0-only */
/* Containers: what ctrace knows about each, and how long it keeps it. */
#ifndef CTRACE_CONTAINER_H
#define CTRACE_CONTAINER_H

#include <linux/types.h>
#include <linux/atomic.h>
#include <linux/list.h>
#include "../uapi/ctrace.h"
#include "../uapi/ctrace_netlink.h"
#include "identity/charge.h"

#define CTRACE_CONTAINER_PATH	512
/* the last cid that a container can have: cids never come round */
#define CTRACE_CID_LAST		0xfffffffdu
/*
 * A namespace that has ended: c->ns once the reference has been dropped. It is no namespace's address,
 * so it equals none.
 */
#define CTRACE_NS_PAST		((const void *)1ul)
#define CTRACE_MNT_UNKNOWN	((const void *)1ul)	/* no mount namespace's address either */

struct ctrace_lfnode;
struct pid_namespace;

struct ctrace_news {
	struct list_head list;
	bool born;
};

/*
 * A container comes from a pool, so that a probe can make one. It is found through RCU
 * (preemption off is enough); code that keeps a pointer longer takes a reference with
 * ctrace_container_get(). ident_lock (container.c) protects each field whose comment names it.
 *
 * Life: made (ident_lock) -> published: in the table by cid, resolvable, announced -> dead: gone is
 * set, announced, still resolvable for stragglers -> swept by the GC once its boundary cgroups and its
 * pid namespace have gone -> freed after a grace period and the last reference. A cid is never
 * given again.
 *
 * The GC does not look at all containers to find the dead. Each event that may be a death, or the last
 * condition for being swept, suspects the container it concerns (ctrace_container_suspect()). The GC's
 * slow walk over all finds those for which such an event was missed (gc.c).
 *
 * A part is what sessions chose of a container by naming cgroups. It is another struct
 * ctrace_container, with the container's cid and with masks of its own. It stands for those places
 * in the container for which the same sessions have named a cgroup around them, to want it or to
 * deny it. A part is a selection, never an identity: its events carry the container's cid, and it
 * is never announced. It is in lists of parts only, so a look-up of a cid finds the container.
 *
 * Life of a part: made when one of its places is first looked at (ident_lock) -> resolvable ->
 * ending: dying is set, because the container is dying or because a session that chose the part
 * takes a target back -> swept by the GC -> freed after the last reference.
 */
struct ctrace_container {
	/* hot: what the filter reads for each event */
	u32 cid;		/* invariant once published */
	/* who is charged, as a number (charge.h). Of a part: its container's. ident_lock to write */
	u32 account;
	/*
	 * Bit n is the session of index n. wanted: it wants this container. denied: it does not,
	 * whatever else wants it. ident_lock to write; READ_ONCE
	 */
	u32 wanted, denied;

	u32 parent;		/* its cid; changes only from the host's to another's. ident_lock */
	struct ctrace_charge charge; /* who is charged with it; nobody with a part. ident_lock */
	u32 hierarchy;		/* of the boundary: 0 v2, else the v1 hierarchy's number. ident_lock */
	u64 key;		/* of the boundary, 0 none; ident_lock, READ_ONCE elsewhere */
	u64 cgroup_id;		/* of the boundary, 0 none. ident_lock */
	/*
	 * The struct pid_namespace, with a reference. Set once, under ident_lock. NULL: not known, or
	 * the initial one (F_HOSTPID). When the last process of the namespace has gone, the GC puts
	 * CTRACE_NS_PAST here, and drops the reference after a grace period: it would keep the namespace
	 * charged to its maker (user.max_pid_namespaces)
	 */
	const void *ns;
	u32 ns_inum;		/* of ns, 0 if that is NULL */
	s32 init_pid;		/* init's pid on the host, 0 not known */
	u64 first_seen;		/* CLOCK_MONOTONIC ns; invariant once published */
	u64 gone;		/* CLOCK_MONOTONIC ns of its death, 0 alive; set once, under ident_lock */
	u32 flags;		/* CTRACE_CONTAINER_F_*; ident_lock to write */
	/* its pid namespace was made outside: one made inside is a nested container's. ident_lock to write */
	bool ns_fixed;
	/*
	 * The mount namespace of who first put a task into its boundary, which is the runtime, or
	 * CTRACE_MNT_UNKNOWN. NULL: the machine's first one. Never dereferenced, and perhaps gone. ident_lock
	 * to write
	 */
	const void *runtime_mnt;
	u32 live_keys;		/* boundary cgroups (one per hierarchy) not removed yet. ident_lock */
	/* its boundaries are another's: places remembered as its own are void. ident_lock to write */
	bool taken_over;
	/*
	 * Whose they are, with a reference, if c had more network namespaces than could be given at once: the
	 * GC gives the rest when c is swept. Else NULL. ident_lock
	 */
	struct ctrace_container *taken_by;
	u32 path_hash;		/* of the whole path, even where path[] is cut. ident_lock */
	/* while it lives and has a boundary: rules' table by path_hash. ident_lock */
	struct hlist_node by_path;
	struct ctrace_lfnode *boundary_nodes; /* of its boundaries, through ->mate. ident_lock */
	/* of the namespace it owns; of a part: the part's. NULL: none. ident_lock */
	struct ctrace_lfnode *node;
	struct hlist_head nets;	/* network namespaces that are its own, by ->of. ident_lock */
	atomic_t refs;		/* nodes in tables, and ctrace_container_get() */
	const char *runtime;	/* static text or NULL. ident_lock */
	char runtime_id[65];	/* "" if none. ident_lock; invariant once the boundary is known */
	/* of the boundary, or without one of init: when first seen, then at each exec. ident_lock */
	char path[CTRACE_CONTAINER_PATH];

	/* of a part: its container, with a reference; NULL: this is no part. Invariant once resolvable */
	struct ctrace_container *base;
	/* of a part: the sessions that named a cgroup around it, as wanted and as denied. ident_lock */
	u32 want, deny;
	u32 ended;		/* of a part: sessions that ended it by taking a target back. ident_lock */
	u32 turn;		/* of a part: when it was made (parts.c). Invariant */
	/*
	 * Of a part that ends: what replaces it wherever it is remembered, which is the part of the
	 * sessions that still choose it, or the container. NULL: the container is dying. The GC sets it
	 * before it visits those places
	 */
	struct ctrace_container *heir;
	struct list_head parts;	/* of a container: its parts; of a part: the link there. ident_lock */

	/* written by container.c, gc.c and parts.c only */
	/*
	 * of a container: among the suspects, or with the GC, or in no list. Of a part: among all that do not
	 * end, or among those that do. ident_lock
	 */
	struct list_head list;
	/*
	 * in the pool: ident_lock. Then the GC only: while its namespace is being put; once swept, until
	 * freed
	 */
	struct list_head queue;
	const void *ns_put;		/* the namespace that is being put. The GC only */
	struct ctrace_news news[2];	/* [1] birth, [0] death, waiting to be announced. ident_lock */
	bool told;		/* the birth was announced at least once. ident_lock */
	/* sessions that want it since it was born, and only for that (target.c). ident_lock */
	u32 born;
	u32 dying;			/* swept or about to be: nothing new may point here. ident_lock */
};

/* A network namespace that is known (netns.h). The kernel keeps it as long as the namespace. */
struct ctrace_netns {
	struct ctrace_container *c;	/* its owner, or NULL. ident_lock to write; READ_ONCE elsewhere */
	struct hlist_node of;		/* in c->nets. ident_lock */
	bool of_init;			/* c's init has executed a program in it. ident_lock to write */
	u64 since;			/* when the process began by which c owns it. ident_lock to write */
};

/* The container that c is a part of, or c itself. Valid as long as c is. */
static inline struct ctrace_container *ctrace_container_base(struct ctrace_container *c)
{
	return c->base ?: c;
}

/* Are a and b the same container, or parts of the same? */
static inline bool ctrace_container_same(const struct ctrace_container *a,
					 const struct ctrace_container *b)
{
	return a->cid == b->cid;
}

/*
 * host: cid 0. unknown: for tasks whose container cannot be made known, because the pools are empty, because
 * there is no room for one more (ctrace_container_new()), because ident_lock cannot be taken, or because the
 * task's cgroup is too deep (look.h); its wanted is written under ctrace_lock. Never freed.
 */
extern struct ctrace_container ctrace_container_host;
extern struct ctrace_container ctrace_container_unknown;

/* Sessions with pid targets: any task, in a container or not, is looked up for them. ctrace_lock to write. */
extern u32 ctrace_pid_sessions;

/* The sessions that may want events of a task in c. Any context. */
static __always_inline u32 ctrace_container_wanted(const struct ctrace_container *c)
{
	return READ_ONCE(c->wanted) | READ_ONCE(ctrace_pid_sessions);
}

/* --- generation -------------------------------------------------------- */

/* Generation of what is cached about tasks; never 0. */
extern atomic64_t ctrace_identity_gen;

/*
 * Invalidates every CPU's cached task: a task was moved, or what sessions want has changed. A probe that
 * sees the new generation also sees what the caller wrote before; probes still on the old one are gone
 * after a grace period. Any context.
 */
static inline void ctrace_identity_forget_tasks(void)
{
	atomic64_inc_return(&ctrace_identity_gen);	/* a full barrier; partner: ctrace_identity_look() */
}

/* --- for all rooms; process context unless said ------------------------- */

/*
 * The sessions' wishes for containers have changed: calls ctrace_identity_forget_tasks() and notifies the
 * watchers.
 */
void ctrace_container_rewanted(void);

/* Any context. */
static inline void ctrace_container_get(struct ctrace_container *c)
{
	atomic_inc(&c->refs);
}

static inline void ctrace_container_put(struct ctrace_container *c)
{
	/*
	 * Nothing to do at 0: the GC looks at refs. Release, by an operation that is a full barrier on every
	 * kernel: what the holder read of c, it read before. Pairs with free_swept() in gc.c
	 */
	(void)atomic_dec_return(&c->refs);
}

/* Returns it with a reference; NULL: no such container. Dead ones are found until swept. */
struct ctrace_container *ctrace_container_find_get(u32 cid);
/*
 * Walks all containers in the order of cids; ctrace_container_next(NULL) returns the host. Drops
 * prev's reference and returns the next one with a reference; NULL: the end. Each step takes the same
 * time, however many there are, even if prev has been swept since.
 */
struct ctrace_container *ctrace_container_next(struct ctrace_container *prev);
/* The first container with cid > after_cid, with a reference: for dumps that continue in another call. */
struct ctrace_container *ctrace_container_after(u32 after_cid);
bool ctrace_container_exists(u32 cid);		/* alive, or the host */
/* that, or not yet forgotten, or no container's cid; any context */
bool ctrace_container_known(u32 cid);
u32 ctrace_container_count(void);		/* alive, without the host; any context */
/* resolves that gave CTRACE_CID_UNKNOWN, or the container because its part could not be made */
u64 ctrace_container_unknown_count(void);

/* A consistent copy of a container: much of it can still change after publication. */
struct ctrace_container_info {
	u32 cid, parent, hierarchy, ns_inum, flags;
	s32 init_pid;
	u64 cgroup_id, first_seen, gone;
	const char *runtime;		/* static or NULL */
	char runtime_id[65];
	char path[CTRACE_CONTAINER_PATH];
};

void ctrace_container_info(const struct ctrace_container *c, struct ctrace_container_info *out);

/* --- watchers --------------------------------------------------------------- */

/* What the rooms above do when containers come and go. A watcher may leave functions NULL. */
struct ctrace_container_watcher {
	/*
	 * Sets c->wanted and c->denied. parent: the container that c takes masks from, which is the one
	 * it lies in or the one whose boundary it takes over.
	 *
	 * Called with ident_lock held (any context but NMI; irqs off) when c is in the table by cid but not
	 * yet resolvable. So no container is missed by code that changes what born() reads, waits for a
	 * grace period, and then changes the masks of all containers in the table. Must not wait.
	 */
	void (*born)(struct ctrace_container *c, const struct ctrace_container *parent);
	/*
	 * A birth or a death, in the order of time. A birth comes again when c's path has changed.
	 * Process context.
	 */
	void (*told)(struct ctrace_container *c, bool born);
	/*
	 * A task that no session wanted may be wanted now, and the generation is another one. Without
	 * ident_lock. may_wait: process context, and when it returns, all have been notified; else any
	 * context but NMI.
	 */
	void (*changed)(bool may_wait);
	/* About once a second. Process context, no lock held, never two at a time. */
	void (*beat)(void);
	/*
	 * Drops pointers to containers whose dying is set, or puts their heir there: they are freed
	 * after the next grace period. Process context.
	 */
	void (*forget)(void);
};

/* --- for identity/; the lock for session/target.c too ------------------------ */

/*
 * init: makes the pool. watchers: static, ends with NULL; they are called in this order. kicked: called
 * after a kick, in an interrupt; news: there is something to announce at once. exit: all containers have
 * been freed.
 */
int ctrace_container_init(const struct ctrace_container_watcher *const *watchers, void (*kicked)(bool news));
void ctrace_container_exit(void);

/*
 * Takes ident_lock, a raw lock for every change of identity; look-ups need no lock. Any context.
 * false: this is an NMI, or this CPU holds the lock already (a kprobe on a function called with it
 * held); then the caller may look, but must not change anything.
 */
bool ctrace_ident_lock(unsigned long *flags);
void ctrace_ident_unlock(unsigned long flags);
/*
 * ident_lock held. A task that no session wanted may be wanted now: ctrace_identity_forget_tasks(), and the
 * watchers are notified when the lock is given back.
 */
void ctrace_ident_changed(void);

void ctrace_container_kick(void);	/* any context: refill the pools, look for the dead soon */
void ctrace_container_kick_sync(void);	/* waits until kicked() does not run any more */
void ctrace_container_count_unknown(void);	/* any context */

/* ident_lock held. Takes one from the pool: zeroed, refs 0. NULL: pool empty. */
struct ctrace_container *ctrace_container_take(void);

/*
 * ident_lock held. Selects who is charged (charge.h) with the container that ctrace_container_new() makes
 * next: one that lies in `in`; or, if that is NULL, in no other one, in the slice with that number.
 */
struct ctrace_charge ctrace_container_charge(u32 slice, const struct ctrace_container *in);
/*
 * ident_lock held. Takes one from the pool, with a new cid and first_seen, charged to `to`. NULL: pool empty;
 * or, with *full set, there is no room for it (the module's parameter max_containers), its accounts cannot
 * have a cid now, or none is left.
 */
struct ctrace_container *ctrace_container_new(const struct ctrace_charge *to, bool *full);
/*
 * ident_lock held. c, which is in the table by cid, is charged to `to` from now on: it lies elsewhere than
 * was thought.
 */
void ctrace_container_recharge(struct ctrace_container *c, const struct ctrace_charge *to);
/* ident_lock held. Adds c to the table by cid, calls the watchers' born(), queues the announcement. */
void ctrace_container_publish(struct ctrace_container *c, struct ctrace_container *parent);
/*
 * ident_lock held. c lies in `in`, or takes its place: sessions that want or deny `in` now want or deny
 * c, too. Where they do both, deny wins.
 */
void ctrace_container_inherit(struct ctrace_container *c, const struct ctrace_container *in);
/* ident_lock held. c's masks have changed: updates its parts' masks. */
void ctrace_container_remask(struct ctrace_container *c);
/*
 * ident_lock held. c's path has changed: if its birth was announced already, announces it again,
 * because people recognise containers by their path.
 */
void ctrace_container_changed(struct ctrace_container *c);
/*
 * ident_lock held. Makes `to` the owner of the network namespaces of `from`. If `to` is NULL, they have none.
 * A user makes as many as they like: so a few at a time. Returns whether there are more.
 */
bool ctrace_container_give_nets(struct ctrace_container *from, struct ctrace_container *to);
/* ident_lock held. Marks c dead; the work announces it. Only the first call counts. */
void ctrace_container_gone(struct ctrace_container *c);
/* ident_lock held. c may be dead, or ready to be swept: the GC looks at it. */
void ctrace_container_suspect(struct ctrace_container *c);

/* --- for gc.c; process context ------------------------------------------------- */

/* ident_lock held. Moves the suspects to the front of `to`, by ->list. */
void ctrace_container_suspects(struct list_head *to);
/*
 * ident_lock held. All in `from`, by ->list, are suspects again. However many they are, it takes the same
 * time.
 */
void ctrace_container_suspects_again(struct list_head *from);
/*
 * ident_lock held. Takes c out of the table by cid, and gives its room back. Its cid is not found any more.
 */
void ctrace_container_unpublish(struct ctrace_container *c);
int ctrace_container_refill(void);		/* refills the pool if it is below half */
/*
 * Tells the watchers of births and deaths, in the order of time, of some at a time. Returns whether there are
 * more: then the caller comes again soon.
 */
bool ctrace_container_announce(void);
/* ident_lock held. Have all announcements of c been made? Until then it must not be freed. */
bool ctrace_container_announced(const struct ctrace_container *c);
void ctrace_container_forget(void);		/* has the watchers forget the dying */
void ctrace_container_beat(void);		/* calls the watchers' beat() */
/* c is in no list any more and has no reference left, or comes from the pool. */
void ctrace_container_free(struct ctrace_container *c);

#endif /* CTRACE_CONTAINER_H */
