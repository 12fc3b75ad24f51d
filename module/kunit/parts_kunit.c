// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parts of containers: what sessions choose by naming cgroups, and what becomes of it when they take that
 * back.
 */
#include "kunit/made_up.h"

static struct ctrace_container *part(struct ctrace_container *base, bool change, struct cg *v2,
				     struct cg *v1, struct cg *also)
{
	struct ctrace_place p = { .cg = { v2, v1 ?: also, v1 ? also : NULL }, .ns = &host };
	struct ctrace_container *c;

	preempt_disable();
	c = ctrace_rules_part(&rules, &p, base, change);
	preempt_enable();
	return c;
}

static struct ctrace_named name(struct cg *cg, u32 want, u32 deny)
{
	return (struct ctrace_named) {
		.key = ctrace_key(cg->hierarchy, cg->id), .hierarchy = cg->hierarchy,
		.want = want, .deny = deny,
	};
}

/* A cgroup that sessions name is nobody's boundary: who is who stays, and each has a part in it. */
static void named_by_sessions(struct kunit *test)
{
	struct ctrace_container *h = &ctrace_container_host, *c, *p, *q;
	struct ctrace_named up = name(&shell, 1, 0), in = name(&sub_a, 2, 0), not = name(&sub_a, 0, 4);
	struct ctrace_named down = name(&plain, 8, 0);

	c = ask(&box_a, &ns1, false);
	KUNIT_ASSERT_NOT_NULL(test, c);
	KUNIT_EXPECT_PTR_EQ(test, part(h, true, &shell, NULL, NULL), h);
	ctrace_rules_name(&rules, &up);
	KUNIT_EXPECT_EQ(test, CID(&shell, &host), 0u);
	KUNIT_EXPECT_EQ(test, CID(&box_a, &ns1), 1u);
	KUNIT_EXPECT_PTR_EQ(test, part(h, true, &root, NULL, NULL), h);
	KUNIT_EXPECT_PTR_EQ(test, part(h, true, &plain, NULL, NULL), h);
	/* it cannot be made now, but once made, it is found by those that may not make it */
	KUNIT_EXPECT_NULL(test, part(h, false, &shell, NULL, NULL));
	p = part(h, true, &shell, NULL, NULL);
	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_EXPECT_PTR_EQ(test, part(h, false, &shell, NULL, NULL), p);
	KUNIT_EXPECT_EQ(test, p->cid, 0u);
	KUNIT_EXPECT_EQ(test, p->want, 1u);
	/* each container's own */
	q = part(c, true, &box_a, NULL, NULL);
	KUNIT_ASSERT_NOT_NULL(test, q);
	KUNIT_EXPECT_PTR_NE(test, q, p);
	KUNIT_EXPECT_PTR_EQ(test, ctrace_container_base(q), c);
	KUNIT_EXPECT_TRUE(test, ctrace_container_same(q, c));
	/* one below: both have chosen it; the one above is as it was */
	ctrace_rules_name(&rules, &in);
	ctrace_rules_name(&rules, &not);
	KUNIT_EXPECT_EQ(test, part(c, true, &sub_a, NULL, NULL)->want, 3u);
	KUNIT_EXPECT_EQ(test, part(c, true, &sub_a, NULL, NULL)->deny, 4u);
	KUNIT_EXPECT_PTR_EQ(test, part(c, true, &box_a, NULL, NULL), q);
	KUNIT_EXPECT_EQ(test, nr_parts(), 3u);
	/* in any of the hierarchies */
	ctrace_rules_name(&rules, &down);
	KUNIT_EXPECT_EQ(test, part(h, true, &root, &plain, NULL)->want, 8u);
	KUNIT_EXPECT_EQ(test, part(h, true, &root, &shell, &plain)->want, 9u);
	KUNIT_EXPECT_TRUE(test, ctrace_rules_names(&rules, 0));
	KUNIT_EXPECT_FALSE(test, ctrace_rules_names(&rules, 1));
	/* no longer named */
	ctrace_rules_unname(&rules, &down);
	ctrace_rules_unname(&rules, &up);
	KUNIT_EXPECT_PTR_EQ(test, part(h, true, &shell, NULL, NULL), h);
	KUNIT_EXPECT_EQ(test, part(c, true, &sub_a, NULL, NULL)->want, 2u);
	ctrace_rules_unname(&rules, &in);
	ctrace_rules_unname(&rules, &not);
	KUNIT_EXPECT_PTR_EQ(test, part(c, true, &sub_a, NULL, NULL), c);
	/* nobody but these sessions would have known */
	KUNIT_EXPECT_EQ(test, nr_known, 1u);
	KUNIT_EXPECT_EQ(test, nr_gone(), 0u);
	KUNIT_EXPECT_EQ(test, c->key, ctrace_key(0, 3));
}

static struct ctrace_container *heir(const struct ctrace_container *p)
{
	struct ctrace_container *c;

	preempt_disable();
	c = ctrace_rules_heir(&rules, p);
	preempt_enable();
	return c;
}

/* One that ends is not found; another takes its place. None is made of a container that dies. */
static void parts_that_end(struct kunit *test)
{
	struct ctrace_named n = name(&shell, 1, 0);
	struct ctrace_container *h = &ctrace_container_host, *c, *p, *q;

	ctrace_rules_name(&rules, &n);
	p = part(h, true, &shell, NULL, NULL);
	KUNIT_ASSERT_NOT_NULL(test, p);
	p->dying = 1;
	KUNIT_EXPECT_NULL(test, part(h, false, &shell, NULL, NULL));
	q = part(h, true, &shell, NULL, NULL);
	KUNIT_ASSERT_NOT_NULL(test, q);
	KUNIT_EXPECT_PTR_NE(test, p, q);
	KUNIT_EXPECT_PTR_EQ(test, part(h, false, &shell, NULL, NULL), q);
	KUNIT_EXPECT_EQ(test, atomic_read(&p->refs), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&q->refs), 1);
	c = ask(&box_a, &ns1, false);
	KUNIT_ASSERT_NOT_NULL(test, c);
	c->dying = 1;
	KUNIT_EXPECT_NULL(test, part(c, true, &box_a, NULL, NULL));
	c->dying = 0;
	/* what is remembered of it is for those who stay */
	p = part(c, true, &box_a, NULL, NULL);
	KUNIT_ASSERT_NOT_NULL(test, p);
	p->deny = 2;
	p->ended = 1;
	KUNIT_EXPECT_EQ(test, heir(p)->deny, 2u);
	KUNIT_EXPECT_EQ(test, heir(p)->want, 0u);
	KUNIT_EXPECT_PTR_EQ(test, ctrace_container_base(heir(p)), c);
	p->ended = 3;
	KUNIT_EXPECT_PTR_EQ(test, heir(p), c);
	c->dying = 1;
	KUNIT_EXPECT_NULL(test, heir(p));
	c->dying = 0;
	p->dying = 1;
	leave_in_pool(0);
	KUNIT_EXPECT_NULL(test, part(c, true, &box_a, NULL, NULL));
	ctrace_rules_unname(&rules, &n);
}

/* A session takes a target back: its parts end, each container's when it comes to them; new ones do not. */
static void target_taken_back(struct kunit *test)
{
	struct ctrace_named n = name(&shell, 1, 0), m = name(&shell, 2, 0);
	struct ctrace_container *h = &ctrace_container_host, *p, *q, *other;
	LIST_HEAD(ends);

	ctrace_rules_name(&rules, &n);
	p = part(h, true, &shell, NULL, NULL);
	ctrace_rules_unname(&rules, &n);
	ctrace_rules_name(&rules, &m);
	other = part(h, true, &shell, NULL, NULL);
	ctrace_rules_name(&rules, &n);		/* named by another target of the first session, too */
	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_ASSERT_NOT_NULL(test, other);
	ctrace_parts_take_back(1);
	KUNIT_EXPECT_TRUE(test, ctrace_part_ends(p));
	KUNIT_EXPECT_FALSE(test, ctrace_part_ends(other));
	KUNIT_EXPECT_FALSE(test, ctrace_parts_end());
	ctrace_rules_unname(&rules, &m);
	q = part(h, true, &shell, NULL, NULL);
	KUNIT_ASSERT_NOT_NULL(test, q);
	KUNIT_EXPECT_PTR_NE(test, p, q);
	KUNIT_EXPECT_FALSE(test, ctrace_part_ends(q));
	ctrace_parts_unchoose(h, 1);
	KUNIT_EXPECT_TRUE(test, ctrace_parts_end());
	KUNIT_EXPECT_EQ(test, p->dying, 1u);
	KUNIT_EXPECT_EQ(test, p->ended, 1u);
	KUNIT_EXPECT_EQ(test, p->want, 0u);
	KUNIT_EXPECT_EQ(test, q->dying, 0u);
	KUNIT_EXPECT_EQ(test, q->want, 1u);
	KUNIT_EXPECT_EQ(test, other->dying, 0u);
	ctrace_parts_gather(&ends);
	KUNIT_EXPECT_PTR_EQ(test, list_first_entry(&ends, struct ctrace_container, list), p);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&ends));
	list_splice(&ends, &parts);
	ctrace_rules_unname(&rules, &n);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(named_by_sessions),
	KUNIT_CASE(parts_that_end),
	KUNIT_CASE(target_taken_back),
	{}
};

static struct kunit_suite suite = {
	.name = "ctrace_parts",
	.init = world_init,
	.exit = world_exit,
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("ctrace: tests of parts of containers");
MODULE_LICENSE("GPL");
