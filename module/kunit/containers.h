/* SPDX-License-Identifier: GPL-2.0-only */
/* Real containers and parts, without the GC: a case makes them and frees them. */
#ifndef CTRACE_KUNIT_CONTAINERS_H
#define CTRACE_KUNIT_CONTAINERS_H

#include <kunit/test.h>
#include "compat/clock.c"
#include "identity/container.c"
#include "identity/parts.c"

static void no_works(bool news)
{
}

/* cids begin at 1. 0, -ENOMEM */
static int containers_begin(const struct ctrace_container_watcher *const *told)
{
	last_cid = 0;
	INIT_LIST_HEAD(&ctrace_container_host.parts);
	return ctrace_container_init(told, no_works);
}

/* Frees all, and expects that nothing refers to them. put_ns: for made-up pid namespaces. */
static void containers_end(struct kunit *test, void (*put_ns)(const void *ns))
{
	struct ctrace_container *c, *next;
	LIST_HEAD(swept);

	ctrace_container_kick_sync();
	list_for_each_entry_safe(c, next, &ctrace_container_list, list) {
		list_del(&c->list);
		list_add_tail(&c->queue, &swept);
	}
	ctrace_parts_exit(&swept);
	list_for_each_entry_safe(c, next, &swept, queue) {
		KUNIT_EXPECT_EQ(test, atomic_read(&c->refs), 0);
		if (c->ns)
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
