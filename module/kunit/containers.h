/* SPDX-License-Identifier: GPL-2.0-only */
/* Real containers and parts, without the GC: a case makes them and frees them. */
#ifndef CTRACE_KUNIT_CONTAINERS_H
#define CTRACE_KUNIT_CONTAINERS_H

#include <kunit/test.h>
#include "compat/clock.c"
#include "identity/charge.c"
#include "identity/cids.c"
#include "identity/container.c"
#include "identity/parts.c"

static void no_works(bool news)
{
}

/* cids begin at 1. 0, -ENOMEM */
static int containers_begin(const struct ctrace_container_watcher *const *told)
{
	last_cid = 0;
	INIT_LIST_HEAD(&suspects);
	INIT_LIST_HEAD(&ctrace_container_unknown.parts);
	INIT_LIST_HEAD(&ctrace_container_host.parts);
	return ctrace_container_init(told, no_works);
}

/* Every container that was charged has been discharged, whatever became of its parents. */
static void nothing_charged(struct kunit *test)
{
	u32 level, i, n = 0;

	for (level = 0; level < LEVELS; level++)
		for (i = 0; i < CTRACE_ACCOUNTS; i++)
			n += accounts[level][i].held;
	KUNIT_EXPECT_EQ(test, n, 0u);
	KUNIT_EXPECT_EQ(test, ctrace_charge_held(), 0u);
}

/* A container in `in`, or, if that is the host, in the slice with that number. NULL: refused, or no memory */
static inline struct ctrace_container *born_in(u32 slice, struct ctrace_container *in)
{
	struct ctrace_charge to;
	struct ctrace_container *c;
	unsigned long flags;
	bool full;

	ctrace_container_refill();
	ctrace_ident_lock(&flags);
	to = ctrace_container_charge(slice, in == &ctrace_container_host ? NULL : in);
	c = ctrace_container_new(&to, &full);
	if (c) {
		c->parent = in->cid;
		ctrace_container_publish(c, in);
	}
	ctrace_ident_unlock(flags);
	return c;
}

/* c, which no node points to, goes at once. */
static inline void unmake(struct ctrace_container *c)
{
	unsigned long flags;

	ctrace_ident_lock(&flags);
	ctrace_container_gone(c);
	ctrace_container_unpublish(c);
	list_del_init(&c->list);
	list_del_init(&c->news[0].list);
	list_del_init(&c->news[1].list);
	ctrace_ident_unlock(flags);
	ctrace_cids_free();
	ctrace_container_free(c);
}

/* As after a long time: all accounts can pay for cids. */
static inline void fill_buckets(void)
{
	u32 level, i;

	for (level = 0; level < LEVELS; level++)
		for (i = 0; i < CTRACE_ACCOUNTS; i++)
			accounts[level][i].due = 0;
}

/* Frees all, and expects that nothing refers to them. put_ns: for made-up pid namespaces. */
static void containers_end(struct kunit *test, void (*put_ns)(const void *ns))
{
	struct ctrace_container *c, *next;
	LIST_HEAD(swept);

	ctrace_container_kick_sync();
	while ((c = ctrace_cids_from(0))) {
		ctrace_container_unpublish(c);
		list_add_tail(&c->queue, &swept);
	}
	nothing_charged(test);
	ctrace_parts_exit(&swept);
	list_for_each_entry_safe(c, next, &swept, queue) {
		KUNIT_EXPECT_EQ(test, atomic_read(&c->refs), 0);
		if (c->ns && c->ns != CTRACE_NS_PAST)
			put_ns(c->ns);
		c->ns = NULL;
		list_del(&c->queue);
		ctrace_container_free(c);
	}
	INIT_LIST_HEAD(&news);	/* forget births and deaths: without the GC, they are never announced */
	atomic_set(&alive, 0);
	ctrace_container_exit();
}

#endif
