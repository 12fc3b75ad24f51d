// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "identity/lftable.h"
#include "compat/hash.h"
#include "compat/list.h"
#include "compat/rcu.h"
#include "compat/vmalloc.h"

/* --- the pool ------------------------------------------------------------- */

int ctrace_lfpool_init(struct ctrace_lfpool *pool, unsigned int want)
{
	init_llist_head(&pool->ready);
	init_llist_head(&pool->limbo);
	atomic_set(&pool->nr_ready, 0);
	atomic_set(&pool->nr_taken, 0);
	pool->want = want;
	return ctrace_lfpool_refill(pool);
}

static void free_list(struct llist_node *list)
{
	struct ctrace_lfnode *n, *next;

	llist_for_each_entry_safe(n, next, list, free)
		kfree(n);
}

void ctrace_lfpool_exit(struct ctrace_lfpool *pool)
{
	WARN_ON(atomic_read(&pool->nr_taken));	/* that many nodes leaked */
	free_list(llist_del_all(&pool->ready));
	free_list(llist_del_all(&pool->limbo));
}

static void make_ready(struct ctrace_lfpool *pool, struct ctrace_lfnode *n)
{
	llist_add(&n->free, &pool->ready);
	atomic_inc(&pool->nr_ready);
}

int ctrace_lfpool_refill(struct ctrace_lfpool *pool)
{
	struct ctrace_lfnode *n, *next;
	struct llist_node *limbo = llist_del_all(&pool->limbo);

	if (limbo) {
		ctrace_compat_synchronize();
		llist_for_each_entry_safe(n, next, limbo, free)
			make_ready(pool, n);
	}
	while ((unsigned int)atomic_read(&pool->nr_ready) < pool->want) {
		n = kzalloc(sizeof(*n), GFP_KERNEL);
		if (!n)
			return -ENOMEM;
		make_ready(pool, n);
	}
	return 0;
}

/*
 * llist_del_first() allows one consumer at a time: between its load of the first node's
 * successor and its cmpxchg, another consumer could take that node and put it back. Here
 * that cannot happen: each taker is in an RCU read side, and no node comes back to `ready`
 * before that ends.
 */
struct ctrace_lfnode *ctrace_lfpool_take(struct ctrace_lfpool *pool)
{
	struct llist_node *first = llist_del_first(&pool->ready);

	if (!first)
		return NULL;
	atomic_dec(&pool->nr_ready);
	atomic_inc(&pool->nr_taken);
	return llist_entry(first, struct ctrace_lfnode, free);
}

void ctrace_lfpool_return(struct ctrace_lfpool *pool, struct ctrace_lfnode *n)
{
	atomic_dec(&pool->nr_taken);
	llist_add(&n->free, &pool->limbo);
}

void ctrace_lfpool_free_chain(struct ctrace_lfpool *pool, struct ctrace_lfnode *chain)
{
	while (chain) {
		struct ctrace_lfnode *n = chain;

		chain = n->chain;
		atomic_dec(&pool->nr_taken);
		if ((unsigned int)atomic_read(&pool->nr_ready) < pool->want)
			make_ready(pool, n);
		else
			kfree(n);
	}
}

/* --- the table ------------------------------------------------------------ */

int ctrace_lftable_init(struct ctrace_lftable *t, unsigned int bits)
{
	t->bits = bits;
	get_random_bytes(&t->seed, sizeof(t->seed));
	t->seed |= 1;
	t->heads = kvcalloc(1ul << bits, sizeof(*t->heads), GFP_KERNEL);
	return t->heads ? 0 : -ENOMEM;
}

void ctrace_lftable_exit(struct ctrace_lftable *t)
{
	kvfree(t->heads);
	t->heads = NULL;
}

static struct ctrace_lfnode **bucket(const struct ctrace_lftable *t, u64 a, u64 b, const void *p)
{
	u64 h = a + b * 0x9e3779b97f4a7c15ull;

	h += ((u64)(unsigned long)p >> 4) * 0xc2b2ae3d27d4eb4full;

	return &t->heads[ctrace_hash(h * t->seed, t->bits)];
}

static bool same(const struct ctrace_lfnode *n, u64 a, u64 b, const void *p)
{
	return n->a == a && n->b == b && n->p == p;
}

struct ctrace_lfnode *ctrace_lftable_find(const struct ctrace_lftable *t, u64 a, u64 b, const void *p)
{
	struct ctrace_lfnode *n;

	/* Acquire: pairs with the cmpxchg in push, so that n is seen complete. */
	for (n = smp_load_acquire(bucket(t, a, b, p)); n; n = READ_ONCE(n->next))
		if (same(n, a, b, p))
			return n;
	return NULL;
}

struct ctrace_lfnode *ctrace_lftable_push(struct ctrace_lftable *t, struct ctrace_lfnode *new)
{
	struct ctrace_lfnode **head = bucket(t, new->a, new->b, new->p);
	struct ctrace_lfnode *first, *seen = NULL, *n, *was;

	first = smp_load_acquire(head);		/* as in find */
	for (;;) {
		/* Nodes from `seen` on were looked at before; sweep only takes nodes away. */
		for (n = first; n && n != seen; n = READ_ONCE(n->next))
			if (same(n, new->a, new->b, new->p))
				return n;
		new->next = first;
		/* Full barrier: the node is complete before it is seen. */
		was = cmpxchg(head, first, new);
		if (was == first)
			return new;
		seen = first;
		first = was;
	}
}

/*
 * prev: the node before n, or NULL if n was its list's first when that was looked at. Returns the node before
 * n.
 */
static struct ctrace_lfnode *cut(struct ctrace_lfnode **head, struct ctrace_lfnode *prev,
				 struct ctrace_lfnode *n)
{
	struct ctrace_lfnode *next = n->next;

	/*
	 * The first node leaves by cmpxchg. If that fails, another node was pushed in front, and n is not
	 * the first any more.
	 */
	if (!prev && cmpxchg(head, n, next) != n)
		/* acquire: as in find */
		for (prev = smp_load_acquire(head); prev->next != n; )
			prev = prev->next;
	if (prev)
		WRITE_ONCE(prev->next, next);
	return prev;
}

struct ctrace_lfnode *ctrace_lftable_sweep(struct ctrace_lftable *t,
					   bool (*drop)(struct ctrace_lfnode *n, void *arg),
					   void *arg)
{
	struct ctrace_lfnode *chain = NULL, *n, *next, *prev;
	unsigned long i;

	for (i = 0; i < 1ul << t->bits; i++) {
		struct ctrace_lfnode **head = &t->heads[i];

		prev = NULL;
		for (n = smp_load_acquire(head); n; n = next) {	/* as in find */
			next = n->next;
			if (!drop(n, arg)) {
				prev = n;
				continue;
			}
			prev = cut(head, prev, n);
			n->chain = chain;
			chain = n;
		}
		if (i % 256 == 0)
			cond_resched();
	}
	return chain;
}

void ctrace_lftable_unlink(struct ctrace_lftable *t, struct ctrace_lfnode *n)
{
	/* as in find */
	struct ctrace_lfnode **head = bucket(t, n->a, n->b, n->p), *prev = smp_load_acquire(head);

	if (prev == n) {
		cut(head, NULL, n);
		return;
	}
	while (prev->next != n)
		prev = prev->next;
	cut(head, prev, n);
}
