/* SPDX-License-Identifier: GPL-2.0-only */
/* Real containers and parts, without the GC: a case makes them and frees them. */
#ifndef CTRACE_KUNIT_CONTAINERS_H
#define CTRACE_KUNIT_CONTAINERS_H

#include <kunit/test.h>
#include "compat/clock.c"
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
	held = 0;
	memset(charged, 0, sizeof(charged));
	INIT_LIST_HEAD(&suspects);
	INIT_LIST_HEAD(&ctrace_container_unknown.parts);
	INIT_LIST_HEAD(&ctrace_container_host.parts);
	return ctrace_container_init(told, no_works);
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
	KUNIT_EXPECT_EQ(test, held, 0u);
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
