// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many containers stay cheap: the table by cid, the last cid, room and accounts, what is forgotten of places;
 * what keeps tasks in theirs, however deep; and when a namespace's reference goes.
 */
#include "kunit/made_up.h"

static u32 after(u32 cid)
{
	struct ctrace_container *c = ctrace_container_after(cid);

	if (!c)
		return 0;
	ctrace_container_put(c);
	return c->cid;
}

/*
 * Found, and in order, across the arrays' borders and with gaps; the arrays of cids that are no more are
 * freed.
 */
static void by_cid(struct kunit *test)
{
	static const u32 near[] = { 1, 255, 256, 257, 65535, 65536, 0xffffff, 0x1000000, 0x80000000, 0xfffffff0 };
	struct ctrace_container *c;
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(near); i++) {
		last_cid = near[i] - 1;
		fill_buckets();
		c = born_in(0, &ctrace_container_host);
		KUNIT_ASSERT_NOT_NULL(test, c);
		KUNIT_ASSERT_EQ(test, c->cid, near[i]);
	}
	for (i = 0; i < ARRAY_SIZE(near); i++) {
		KUNIT_EXPECT_TRUE(test, ctrace_container_exists(near[i]));
		KUNIT_EXPECT_EQ(test, after(near[i] - 1), near[i]);
		KUNIT_EXPECT_EQ(test, after(i ? near[i - 1] : 0), near[i]);
	}
	KUNIT_EXPECT_FALSE(test, ctrace_container_exists(2));
	KUNIT_EXPECT_FALSE(test, ctrace_container_exists(0x2000000));
	KUNIT_EXPECT_NULL(test, ctrace_container_find_get(258));
	KUNIT_EXPECT_NULL(test, ctrace_container_find_get(CTRACE_CID_UNKNOWN));
	KUNIT_EXPECT_EQ(test, after(0xfffffff0), 0u);
	KUNIT_EXPECT_EQ(test, after(CTRACE_CID_ALL), 0u);
	for (c = ctrace_container_next(NULL), n = 0; c; c = ctrace_container_next(c))
		n++;
	KUNIT_EXPECT_EQ(test, n, 1 + (u32)ARRAY_SIZE(near));
	/* taken out while a walk stands on it: the walk continues */
	unmake(ctrace_cids_find(256));
	KUNIT_EXPECT_EQ(test, after(255), 257u);
	KUNIT_EXPECT_EQ(test, after(256), 257u);
	for (i = 0; i < ARRAY_SIZE(near); i++)
		if (near[i] != 256)
			unmake(ctrace_cids_find(near[i]));
	KUNIT_EXPECT_EQ(test, after(0), 0u);
	KUNIT_EXPECT_EQ(test, held, 0u);
	/* their arrays are gone; what is left is for cids to come */
	for (i = 0; i < ARRAY_SIZE(near) - 1; i++)
		KUNIT_EXPECT_FALSE(test, ctrace_cids_ready(near[i]));
	KUNIT_EXPECT_TRUE(test, ctrace_cids_ready(near[i]));
}

/* No cid comes again: after the last, further containers are unknown, and never the host. */
static void last_cids(struct kunit *test)
{
	struct ctrace_place p = { .cg = { &shell }, .ns = &ns3 };

	last_cid = CTRACE_CID_LAST - 2;
	ctrace_container_refill();
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), CTRACE_CID_LAST - 1);
	fill_buckets();		/* the second last one cost the user years */
	KUNIT_EXPECT_EQ(test, CID(&box_b, &ns3), CTRACE_CID_LAST);
	fill_buckets();
	ns2.init_at[0] = &shell;
	ctrace_container_refill();
	KUNIT_EXPECT_EQ(test, CID(&shell, &ns2), CTRACE_CID_UNKNOWN);
	KUNIT_EXPECT_EQ(test, CID(&inner, &host), CTRACE_CID_UNKNOWN);
	KUNIT_EXPECT_EQ(test, last_cid, CTRACE_CID_LAST);
	KUNIT_EXPECT_EQ(test, nr_known, 2u);
	KUNIT_EXPECT_EQ(test, CID(&shell, &host), 0u);
	KUNIT_EXPECT_EQ(test, CID(&sub_a, &ns1), CTRACE_CID_LAST - 1);
	preempt_disable();
	KUNIT_EXPECT_PTR_EQ(test, ctrace_rules_decide(&rules, &p, false), known[1]);
	preempt_enable();
}

/*
 * One account has half of the room; the rest is for the others. When there is room again, places may ask
 * again.
 */
static void room(struct kunit *test)
{
	struct cg users = { "user.slice", &root, 40 }, one = { "user-1.slice", &users, 41 };
	struct cg two = { "user-2.slice", &users, 42 }, deeper = { "x", &one, 43 };
	struct cg a = { "docker-" HEX_A ".scope", &deeper, 44 }, b = { "docker-" HEX_B ".scope", &one, 45 };
	struct cg c = { "crio-" HEX_A ".scope", &one, 46 }, d = { "crio-" HEX_B ".scope", &two, 47 };
	struct ctrace_container *seen;
	struct ctrace_lfnode *n;
	u32 was = max_containers;
	unsigned long flags;

	max_containers = 4;
	KUNIT_EXPECT_EQ(test, CID(&a, &host), 1u);
	KUNIT_EXPECT_EQ(test, CID(&b, &host), 2u);
	KUNIT_EXPECT_EQ(test, CID(&c, &host), CTRACE_CID_UNKNOWN);
	KUNIT_EXPECT_EQ(test, known[0]->account, known[1]->account);
	if (ctrace_look_account(&rules, &two) != known[0]->account)
		KUNIT_EXPECT_EQ(test, CID(&d, &host), 3u);
	/* the place is remembered as unknown until a container has been swept */
	ctrace_ident_lock(&flags);
	ctrace_learn_alias(&rules, 46, 0, &host, &ctrace_container_unknown);
	n = ctrace_lftable_find(&rules.aliases, 46, 0, &host);
	seen = n ? ctrace_look_alias(&rules, n) : NULL;
	ctrace_ident_unlock(flags);
	KUNIT_EXPECT_PTR_EQ(test, seen, &ctrace_container_unknown);
	ctrace_ident_lock(&flags);
	ctrace_learn_room(&rules);
	seen = n ? ctrace_look_alias(&rules, n) : NULL;
	max_containers = 10;
	ctrace_ident_unlock(flags);
	KUNIT_EXPECT_NULL(test, seen);
	KUNIT_EXPECT_GT(test, CID(&c, &host), 2u);
	max_containers = was;
}

/*
 * Containers in containers are charged to their slice, too: more outer containers, or more levels, do not get
 * a user more.
 */
static void room_nested(struct kunit *test)
{
	enum { MANY = 40 };
	static struct cg in[3][MANY];
	static char names[MANY][65];
	struct cg users = { "user.slice", &root, 40 }, one = { "user-1.slice", &users, 41 };
	struct cg two = { "user-2.slice", &users, 42 };
	struct cg a = { "docker-" HEX_A ".scope", &one, 44 }, b = { "docker-" HEX_B ".scope", &one, 45 };
	struct cg beside = { "crio-" HEX_A ".scope", &one, 46 }, victim = { "crio-" HEX_B ".scope", &two, 47 };
	u32 was = max_containers, i, k, nested = 0, deeper = 0;

	max_containers = 20;
	KUNIT_EXPECT_EQ(test, CID(&a, &host), 1u);
	KUNIT_EXPECT_EQ(test, CID(&b, &host), 2u);
	for (k = 0; k < 3; k++)
		for (i = 0; i < MANY; i++) {
			snprintf(names[i], sizeof(names[i]), "%064x", i);
			/* in a; in the first one of these; in b */
			in[k][i] = (struct cg){ names[i], k == 0 ? &a : k == 1 ? &in[0][0] : &b, 100 + k * MANY + i };
			*(k == 1 ? &deeper : &nested) += CID(&in[k][i], &host) != CTRACE_CID_UNKNOWN;
		}
	KUNIT_EXPECT_EQ(test, nested + deeper + 2, ctrace_charge_held());
	/*
	 * alone: a quarter of the room is for what is nested, half of that in one container, and half of that
	 * deeper
	 */
	KUNIT_EXPECT_EQ(test, nested, 4u);
	KUNIT_EXPECT_EQ(test, deeper, 0u);
	/* the slice's own containers have room, and other slices */
	KUNIT_EXPECT_NE(test, CID(&beside, &host), CTRACE_CID_UNKNOWN);
	KUNIT_EXPECT_NE(test, CID(&victim, &host), CTRACE_CID_UNKNOWN);
	max_containers = was;
}

static struct ctrace_container *remembered(struct cg *cg, struct ns *ns, bool *again)
{
	struct ctrace_place p = { .cg = { cg }, .ns = ns };
	struct ctrace_container *c = NULL;
	struct ctrace_lfnode *n;
	unsigned long flags;

	ctrace_ident_lock(&flags);
	n = ctrace_lftable_find(&rules.aliases, ctrace_key(0, cg->id), 0, ns);
	if (n)
		c = ctrace_look_alias(&rules, n);
	*again = n && !c;
	if (*again)
		c = ctrace_look_alias_again(&rules, n, &p);
	ctrace_ident_unlock(flags);
	return c;
}

static void remember(struct cg *cg, struct ns *ns)
{
	struct ctrace_container *c = ask(cg, ns, false);
	unsigned long flags;

	ctrace_ident_lock(&flags);
	ctrace_learn_alias(&rules, ctrace_key(0, cg->id), 0, ns, c);
	ctrace_ident_unlock(flags);
}

/* A new boundary voids what is remembered below it, and nothing else. */
static void forgotten_by_key(struct kunit *test)
{
	struct cg below = { "deeper", &plain, 50 };
	const void *roots[] = { &plain };
	struct ctrace_place p = { .cg = { &plain }, .ns = &ns1 };
	struct ctrace_container *h = &ctrace_container_host;
	unsigned long flags;
	bool again;
	u32 i, nodes;

	ns1.init_at[0] = &plain;
	remember(&shell, &host);
	remember(&below, &host);
	remember(&box_b, &ns3);
	KUNIT_EXPECT_PTR_EQ(test, remembered(&below, &host, &again), h);
	KUNIT_EXPECT_FALSE(test, again);
	KUNIT_EXPECT_EQ(test, CID(&plain, &ns1), 2u);
	ctrace_rules_cgroup_ns(&rules, &p, roots, 1);
	KUNIT_EXPECT_NULL(test, remembered(&below, &host, &again));
	KUNIT_EXPECT_PTR_EQ(test, remembered(&shell, &host, &again), h);
	KUNIT_EXPECT_TRUE(test, again);
	KUNIT_EXPECT_PTR_EQ(test, remembered(&shell, &host, &again), h);
	KUNIT_EXPECT_FALSE(test, again);
	KUNIT_EXPECT_PTR_EQ(test, remembered(&box_b, &ns3, &again), known[0]);
	/* decided anew, the place keeps its node */
	nodes = rules.nr_aliases;
	remember(&below, &host);
	KUNIT_EXPECT_PTR_EQ(test, remembered(&below, &host, &again), known[1]);
	KUNIT_EXPECT_EQ(test, rules.nr_aliases, nodes);
	/*
	 * however many boundaries come or pass on elsewhere: not decided anew. As soon as one above does: it
	 * is.
	 */
	remember(&shell, &host);
	ctrace_ident_lock(&flags);
	for (i = 0; i < 1000; i++)
		ctrace_learn_void_below(&rules, known[1]->boundary_nodes);
	ctrace_ident_unlock(flags);
	KUNIT_EXPECT_PTR_EQ(test, remembered(&shell, &host, &again), h);
	KUNIT_EXPECT_NULL(test, remembered(&below, &host, &again));
	/* the generations have come round */
	remember(&shell, &host);
	remember(&below, &host);
	rules.gen += 0x80000001;
	KUNIT_EXPECT_NULL(test, remembered(&shell, &host, &again));
	/* what sessions do concerns all */
	remember(&shell, &host);
	ctrace_ident_lock(&flags);
	ctrace_learn_forget(&rules);
	ctrace_ident_unlock(flags);
	KUNIT_EXPECT_NULL(test, remembered(&shell, &host, &again));
}

/*
 * When a container takes over another's boundaries, places that led to the other are void, wherever they are.
 */
static void forgotten_by_merge(struct kunit *test)
{
	unsigned long flags;
	bool again;

	ns1.init_at[0] = &shell;
	KUNIT_EXPECT_EQ(test, CID(&shell, &ns1), 1u);
	remember(&box_a, &host);
	remember(&sub_a, &host);
	remember(&plain, &host);
	KUNIT_EXPECT_PTR_EQ(test, remembered(&sub_a, &host, &again), known[1]);
	ctrace_ident_lock(&flags);
	ctrace_learn_alias(&rules, ctrace_key(0, plain.id), 0, &ns3, known[1]);
	ctrace_ident_unlock(flags);
	KUNIT_EXPECT_PTR_EQ(test, remembered(&plain, &ns3, &again), known[1]);
	ns1.init_at[0] = &box_a;
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 1u);
	KUNIT_EXPECT_NULL(test, remembered(&sub_a, &host, &again));
	KUNIT_EXPECT_NULL(test, remembered(&box_a, &host, &again));
	KUNIT_EXPECT_NULL(test, remembered(&plain, &ns3, &again));
	KUNIT_EXPECT_PTR_EQ(test, remembered(&plain, &host, &again), &ctrace_container_host);
	KUNIT_EXPECT_NULL(test, known[1]->boundary_nodes);
	KUNIT_ASSERT_NOT_NULL(test, known[0]->boundary_nodes);
	KUNIT_EXPECT_EQ(test, known[0]->boundary_nodes->a, ctrace_key(0, 3));
}

/*
 * Below a container's boundary a task is the container's, however deep; below the host's, it is not the
 * host's.
 */
static void deep(struct kunit *test)
{
	static struct cg down[2 * CTRACE_CGROUP_DEPTH], plainer[2 * CTRACE_CGROUP_DEPTH];
	char path[CTRACE_CONTAINER_PATH];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(down); i++) {
		down[i] = (struct cg){ "d", i ? &down[i - 1] : &sub_a, 100 + i };
		plainer[i] = (struct cg){ "p", i ? &plainer[i - 1] : &shell, 300 + i };
	}
	for (i = 0; i < ARRAY_SIZE(down); i++) {
		KUNIT_EXPECT_EQ(test, CID(&down[i], &ns1), 1u);
		KUNIT_EXPECT_EQ(test, CID(&down[i], &host), 1u);
		/* shell is at level 1 */
		KUNIT_EXPECT_EQ(test, CID(&plainer[i], &host), i + 2 > CTRACE_CGROUP_DEPTH ? CTRACE_CID_UNKNOWN : 0u);
		KUNIT_EXPECT_EQ(test, CID(&plainer[i], &ns1), 1u);
	}
	ctrace_look_path(&rules, &down[100], path, sizeof(path));
	KUNIT_EXPECT_STREQ(test, path + strlen(path) - 8, "/d/d/...");
	ctrace_look_path(&rules, &down[3], path, sizeof(path));
	KUNIT_EXPECT_STREQ(test, path + strlen(path) - 8, "/d/d/d/d");
	KUNIT_EXPECT_EQ(test, nr_known, 1u);
}

/*
 * The reference to a namespace goes as soon as its last process has gone. Its container stays until it is
 * swept.
 */
static void namespace_put(struct kunit *test)
{
	struct ctrace_lfnode *chain = NULL;
	struct ns again = { &host, { &box_a }, .inum = 9 };
	unsigned long flags;
	const void *ns;

	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 1u);
	KUNIT_EXPECT_EQ(test, ns1.refs, 2);
	ctrace_ident_lock(&flags);
	ctrace_container_gone(known[0]);
	ns = ctrace_learn_ns_gone(&rules, known[0], &chain);
	ctrace_ident_unlock(flags);
	ctrace_learn_free(&rules, chain);
	fake_put(ns);
	KUNIT_EXPECT_EQ(test, ns1.refs, 0);
	KUNIT_EXPECT_EQ(test, CID(&box_a, &host), 1u);
	/* and another namespace in the same cgroup is another container, even at the same address */
	ns1.inum = 10;
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 2u);
	KUNIT_EXPECT_EQ(test, CID(&box_a, &host), 2u);
	KUNIT_EXPECT_EQ(test, known[1]->ns_inum, 10u);
	KUNIT_EXPECT_EQ(test, CID(&box_a, &again), 2u);
}

/* Asked without the lock, the rules change nothing, masks neither. */
static void nested_without_lock(struct kunit *test)
{
	struct ctrace_place p = { .cg = { &sub_a }, .ns = &ns2 };

	KUNIT_EXPECT_EQ(test, CID(&sub_a, &ns2), 2u);
	known[0]->wanted = 4;
	preempt_disable();
	KUNIT_EXPECT_PTR_EQ(test, ctrace_rules_decide(&rules, &p, false), known[1]);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, known[1]->wanted, 0u);
	KUNIT_EXPECT_EQ(test, CID(&sub_a, &ns2), 2u);
	KUNIT_EXPECT_EQ(test, known[1]->wanted, 4u);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(by_cid),
	KUNIT_CASE(last_cids),
	KUNIT_CASE(room),
	KUNIT_CASE(room_nested),
	KUNIT_CASE(forgotten_by_key),
	KUNIT_CASE(forgotten_by_merge),
	KUNIT_CASE(deep),
	KUNIT_CASE(namespace_put),
	KUNIT_CASE(nested_without_lock),
	{}
};

static struct kunit_suite suite = {
	.name = "ctrace_many",
	.init = world_init,
	.exit = world_exit,
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("ctrace: tests of many containers");
MODULE_LICENSE("GPL");
