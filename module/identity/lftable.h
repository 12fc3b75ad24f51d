/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lftable: a hash of singly linked lists that anything may push to and look
 * up in, from any context including NMI, without a lock.
 *
 * Lists only grow at their heads, by compare-and-exchange; nodes leave in
 * ctrace_lftable_sweep() alone (one at a time, process context), and go back
 * to the pool after a grace period. Pushers and readers run with preemption
 * off, that is inside an RCU read side: what they saw at a head cannot come
 * back there while they look (no ABA), and cannot be freed.
 *
 * A node's key never changes while it can be found. Its val may be exchanged
 * (ctrace_lfnode_set), for instance to NULL, a tombstone.
 */
#ifndef CTRACE_LFTABLE_H
#define CTRACE_LFTABLE_H

#include <linux/types.h>
#include <linux/llist.h>

struct ctrace_lfnode {
	struct ctrace_lfnode *next;	/* towards older ones; written by sweep alone */
	u64 a, b;			/* key, with p and gen */
	const void *p;
	void *val;			/* READ_ONCE, or ctrace_lfnode_get() */
	u32 gen;
	u32 flags;			/* the user's; its own rules of access */
	union {
		struct llist_node free;		/* in the pool */
		struct ctrace_lfnode *chain;	/* swept, waiting for the grace period */
	};
};

struct ctrace_lftable {
	struct ctrace_lfnode **heads;
	unsigned int bits;
};

/* Nodes ready to be taken without allocating. */
struct ctrace_lfpool {
	struct llist_head ready;	/* pop: any context, preemption off */
	struct llist_head limbo;	/* taken, not used: ready after a grace period */
	atomic_t nr_ready;
	atomic_t nr_taken;		/* in tables */
	unsigned int want;		/* refill up to this many ready */
};

/* Process context. A table is exited when nobody can look any more. */
int ctrace_lftable_init(struct ctrace_lftable *t, unsigned int bits);
void ctrace_lftable_exit(struct ctrace_lftable *t);

int ctrace_lfpool_init(struct ctrace_lfpool *pool, unsigned int want);
/* Frees the pool's own nodes; every other was given back before. */
void ctrace_lfpool_exit(struct ctrace_lfpool *pool);
/*
 * Process context, sleeps for a grace period if nodes wait for one: takes
 * limbo back and allocates up to `want`. Callers exclude each other.
 */
int ctrace_lfpool_refill(struct ctrace_lfpool *pool);
static inline bool ctrace_lfpool_low(const struct ctrace_lfpool *pool)
{
	return (unsigned int)atomic_read(&pool->nr_ready) < pool->want / 2;
}

/* Any context, preemption off. NULL: none left. */
struct ctrace_lfnode *ctrace_lfpool_take(struct ctrace_lfpool *pool);
/* Any context: a node that was taken and never pushed. */
void ctrace_lfpool_return(struct ctrace_lfpool *pool, struct ctrace_lfnode *n);

/* Any context, preemption off. */
struct ctrace_lfnode *ctrace_lftable_find(const struct ctrace_lftable *t, u64 a, u64 b,
					  const void *p, u32 gen);
/*
 * Any context, preemption off. Makes n, whose a, b, p, gen and val are set,
 * findable, unless a node of the same key is there: that one is returned then and n
 * is still the caller's. Returns n if it was pushed.
 */
struct ctrace_lfnode *ctrace_lftable_push(struct ctrace_lftable *t, struct ctrace_lfnode *n);

static inline void *ctrace_lfnode_get(const struct ctrace_lfnode *n)
{
	return smp_load_acquire(&n->val);	/* pairs with the release in _set and push */
}

static inline void ctrace_lfnode_set(struct ctrace_lfnode *n, void *val)
{
	smp_store_release(&n->val, val);	/* pairs with _get */
}

/*
 * Process context; callers exclude each other. Unlinks each node for which
 * drop() is true and returns them chained through ->chain. They may still be
 * looked at until a grace period has passed (synchronize_rcu), after which the caller
 * hands them to ctrace_lfpool_free_chain().
 */
struct ctrace_lfnode *ctrace_lftable_sweep(struct ctrace_lftable *t,
					   bool (*drop)(struct ctrace_lfnode *n, void *arg),
					   void *arg);
void ctrace_lfpool_free_chain(struct ctrace_lfpool *pool, struct ctrace_lfnode *chain);

#endif /* CTRACE_LFTABLE_H */
