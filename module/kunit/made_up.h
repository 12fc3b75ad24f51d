/* SPDX-License-Identifier: GPL-2.0-only */
/* Made-up cgroups and pid namespaces, under the real rules of identity and with real containers. */
#ifndef CTRACE_MADE_UP_H
#define CTRACE_MADE_UP_H

#include <kunit/test.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "kunit/containers.h"
#include "identity/lftable.c"
#include "identity/look.c"
#include "identity/learn.c"
#include "identity/rules.c"
#include "identity/named.c"
#include "identity/runtime_name.c"

/* --- names of cgroups --------------------------------------------------------- */

/* What a cgroup's name, below its parent's, stands for. */
struct parsed {
	const char *parent, *name;
	enum ctrace_boundary_kind kind;
	const char *runtime;
	bool id;
};

static inline void check_parsed(struct kunit *test, const struct parsed *t)
{
	struct ctrace_boundary_name n;

	KUNIT_EXPECT_EQ_MSG(test, (int)ctrace_boundary_parse(t->parent, t->name, &n), (int)t->kind,
			    "%s/%s", t->parent, t->name);
	KUNIT_EXPECT_EQ_MSG(test, !n.runtime, !t->runtime, "%s", t->name);
	if (n.runtime && t->runtime)
		KUNIT_EXPECT_STREQ(test, n.runtime, t->runtime);
	KUNIT_EXPECT_EQ_MSG(test, !!n.id, t->id, "%s", t->name);
}

/* --- what lies above containers ---------------------------------------------- */

static struct ctrace_container *known[64];	/* in order of birth */
static u32 nr_known;

static void count_born(struct ctrace_container *c, const struct ctrace_container *parent)
{
	if (nr_known < ARRAY_SIZE(known))
		known[nr_known++] = c;
	c->wanted = parent->wanted;
}

static u32 nr_changed, nr_beats;	/* notifications of watchers */

static void count_changed(bool may_wait)
{
	nr_changed++;
}

static void count_beat(void)
{
	nr_beats++;
}

static const struct ctrace_container_watcher counter = {
	.born = count_born, .changed = count_changed, .beat = count_beat,
};
static const struct ctrace_container_watcher *const told[] = { &counter, NULL };

static inline u32 nr_gone(void)
{
	return nr_known - ctrace_container_count();
}

static inline u32 nr_parts(void)
{
	struct ctrace_container *part;
	u32 n = 0;

	list_for_each_entry(part, &parts, list)
		n++;
	return n;
}

/* Leaves n containers in the pool, for new ones and for parts. */
static inline void leave_in_pool(u32 n)
{
	struct ctrace_container *c;
	unsigned long flags;

	ctrace_container_refill();
	do {
		ctrace_ident_lock(&flags);
		c = pool_size > n ? ctrace_container_take() : NULL;
		ctrace_ident_unlock(flags);
		if (c)
			ctrace_container_free(c);
	} while (c);
}

/* --- the world --------------------------------------------------------------- */

struct cg {
	const char *name;
	struct cg *parent;
	u64 id;
	u32 hierarchy;
	bool offline;
};

struct ns {
	struct ns *parent;
	struct cg *init_at[2];
	bool closed, empty;
	u32 inum;
	int refs;
};

static const void *fake_parent(const void *cg) { return ((const struct cg *)cg)->parent; }
static const void *fake_ancestor(const void *of, int level)
{
	const struct cg *cg = of, *above = of;

	while (above && level-- >= 0)
		above = above->parent;
	for (; above; above = above->parent)
		cg = cg->parent;
	return cg;
}

static u64 fake_id(const void *cg) { return ((const struct cg *)cg)->id; }
static u32 fake_hierarchy(const void *cg) { return ((const struct cg *)cg)->hierarchy; }
static const char *fake_name(const void *cg, char *buf) { return ((const struct cg *)cg)->name; }
static bool fake_online(const void *cg) { return !((const struct cg *)cg)->offline; }
static const void *fake_ns_parent(const void *ns) { return ((const struct ns *)ns)->parent; }
static bool fake_closed(const void *ns) { return ((const struct ns *)ns)->closed; }
static u32 fake_inum(const void *ns) { return ((const struct ns *)ns)->inum; }
static void fake_get(const void *ns) { ((struct ns *)ns)->refs++; }
static void fake_put(const void *ns) { ((struct ns *)ns)->refs--; }

static bool fake_init(const void *ns, struct ctrace_place *at, s32 *pid)
{
	const struct ns *n = ns;

	if (!n->init_at[0])
		return false;
	*at = (struct ctrace_place){ .cg = { n->init_at[0], n->init_at[1] }, .ns = ns };
	*pid = n->inum;
	return true;
}

static const struct ctrace_kernel fake = {
	fake_parent, fake_ancestor, fake_id, fake_hierarchy, fake_name, fake_online,
	fake_ns_parent, fake_closed, fake_init, fake_inum, fake_get, fake_put,
};

#define HEX_A "aaaaaaaaaaaaaaaa0123456789abcdef0123456789abcdef0123456789abcdef"
#define HEX_B "bbbbbbbbbbbbbbbb0123456789abcdef0123456789abcdef0123456789abcdef"

static struct ctrace_rules rules;
static u32 forgotten;
static struct cg root, shell, box_a, sub_a, box_b, inner, plain;
static struct ns host, ns1, ns2, ns3;

static void forgot(void)
{
	forgotten++;
}

static int world_init(struct kunit *test)
{
	root = (struct cg){ "", NULL, 1 };
	shell = (struct cg){ "user.slice", &root, 2 };
	box_a = (struct cg){ "docker-" HEX_A ".scope", &shell, 3 };
	sub_a = (struct cg){ "init.scope", &box_a, 4 };
	box_b = (struct cg){ "docker-" HEX_B ".scope", &shell, 5 };
	inner = (struct cg){ HEX_B, &sub_a, 6 };
	plain = (struct cg){ "c1", &root, 7 };
	host = (struct ns){ .inum = 1, .init_at = { &root } };
	ns1 = (struct ns){ &host, .inum = 2, .init_at = { &box_a } };
	ns2 = (struct ns){ &ns1, .inum = 3, .init_at = { &sub_a } };
	ns3 = (struct ns){ &host, .inum = 4, .init_at = { &box_b } };
	nr_known = forgotten = nr_changed = nr_beats = 0;
	KUNIT_ASSERT_EQ(test, containers_begin(told), 0);
	return ctrace_rules_init(&rules, &fake, forgot, 256);
}

static void world_exit(struct kunit *test)
{
	ctrace_rules_exit(&rules);	/* every node puts its container */
	containers_end(test, fake_put);
	KUNIT_EXPECT_EQ(test, ns1.refs, 0);
	KUNIT_EXPECT_EQ(test, ns2.refs, 0);
	KUNIT_EXPECT_EQ(test, ns3.refs, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&rules.nodes.nr_taken), 0);
}

static struct ctrace_container *ask(struct cg *cg, struct ns *ns, bool exec)
{
	/* who executes a program has mounts of its own */
	struct ctrace_place p = { .cg = { cg }, .ns = ns, .exec = exec, .mnt = exec ? ns : NULL };
	struct ctrace_container *c;

	preempt_disable();
	c = ctrace_rules_decide(&rules, &p, true);
	preempt_enable();
	return c;
}

#define CID(cg, ns) ({ struct ctrace_container *_c = ask(cg, ns, false); _c ? _c->cid : ~0u; })

#endif
