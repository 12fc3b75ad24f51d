/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lftable: a hash table of singly linked lists. Any context including NMI may push
 * nodes and look them up, without a lock.
 *
 * Lists only grow at their heads, by compare-and-exchange. Nodes leave only in
 * ctrace_lftable_sweep() and _unlink() (one caller at a time), and go back to
 * the pool after a grace period. Pushers and readers run with preemption off, which
 * is an RCU read side. So while they look, a node that they saw at a head cannot leave
 * and come back there (no ABA), and cannot be freed.
 *
 * A node's key never changes while it can be found. Its val may be exchanged
 * (ctrace_lfnode_set), for instance to NULL, a tombstone.
 */
#ifndef CTRACE_LFTABLE_H
#define CTRACE_LFTABLE_H

#include <linux/types.h>
#include <linux/llist.h>

struct ctrace_lfnode {
	struct ctrace_lfnode *next;	/* towards older nodes; once pushed, only sweep writes it */
	u64 a, b;			/* the key, with p */
	const void *p;
	void *val;			/* READ_ONCE, or ctrace_lfnode_get() */
	/* for the table's user, which also says what protects them: */
	u32 gen;
	u32 flags;
	struct ctrace_lfnode *mate;
	union {
		struct llist_node free;		/* in the pool */
		struct ctrace_lfnode *chain;	/* swept, waiting for the grace period */
	};
};

struct ctrace_lftable {
	struct ctrace_lfnode **heads;
	unsigned int bits;
	u64 seed;			/* odd: users cannot choose keys that share a list */
};

/* Nodes ready to be taken without allocating. */
struct ctrace_lfpool {
	struct llist_head ready;	/* pop: any context, preemption off */
	struct llist_head limbo;	/* returned unused: ready again after a grace period */
	atomic_t nr_ready;
	atomic_t nr_taken;		/* taken and not given back: in tables, or on the way */
	unsigned int want;		/* refill until this many are ready */
};

/* Process context. Call _exit() when no context can use the table any more. */
int ctrace_lftable_init(struct ctrace_lftable *t, unsigned int bits);
void ctrace_lftable_exit(struct ctrace_lftable *t);

int ctrace_lfpool_init(struct ctrace_lfpool *pool, unsigned int want);
/* Frees the nodes in the pool; all others must have been given back before. */
void ctrace_lfpool_exit(struct ctrace_lfpool *pool);
/*
 * Makes the nodes in limbo ready again, after a grace period, and allocates until
 * `want` are ready. Process context, may sleep. Callers exclude each other.
 */
int ctrace_lfpool_refill(struct ctrace_lfpool *pool);
static inline bool ctrace_lfpool_low(const struct ctrace_lfpool *pool)
{
	return (unsigned int)atomic_read(&pool->nr_ready) < pool->want / 2;
}

/* Any context, preemption off. NULL: none left. */
struct ctrace_lfnode *ctrace_lfpool_take(struct ctrace_lfpool *pool);
/* Gives back a node that was taken and never pushed. Any context. */
void ctrace_lfpool_return(struct ctrace_lfpool *pool, struct ctrace_lfnode *n);

/* Any context, preemption off. */
struct ctrace_lfnode *ctrace_lftable_find(const struct ctrace_lftable *t, u64 a, u64 b, const void *p);
/*
 * Pushes n, whose a, b, p and val are set, and returns n. If the table has a node with the same key already,
 * returns that one instead, and n still belongs to the caller. Any context, preemption off.
 */
struct ctrace_lfnode *ctrace_lftable_push(struct ctrace_lftable *t, struct ctrace_lfnode *n);

static inline void *ctrace_lfnode_get(const struct ctrace_lfnode *n)
{
	return smp_load_acquire(&n->val);	/* pairs with _set, and with the cmpxchg in push */
}

static inline void ctrace_lfnode_set(struct ctrace_lfnode *n, void *val)
{
	smp_store_release(&n->val, val);	/* pairs with _get */
}

/*
 * Unlinks each node for which drop() returns true, and returns them chained through
 * ->chain. Readers may still look at them: the caller waits for a grace period
 * (ctrace_compat_synchronize()), then passes them to ctrace_lfpool_free_chain().
 * Process context, may sleep; callers exclude each other, and callers of ctrace_lftable_unlink().
 */
struct ctrace_lfnode *ctrace_lftable_sweep(struct ctrace_lftable *t,
					   bool (*drop)(struct ctrace_lfnode *n, void *arg),
					   void *arg);
/* Unlinks n, which is in t. Then as above; any context, preemption off. Takes as long as n's list is. */
void ctrace_lftable_unlink(struct ctrace_lftable *t, struct ctrace_lfnode *n);
void ctrace_lfpool_free_chain(struct ctrace_lfpool *pool, struct ctrace_lfnode *chain);

#endif /* CTRACE_LFTABLE_H */
