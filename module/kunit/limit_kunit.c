// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session's limit: seconds, places in the table, the counts of containers that are gone. Containers and
 * time are made up.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include "session/limit.c"

static u32 lives_up_to;

bool ctrace_container_exists(u32 cid)
{
	return cid <= lives_up_to;
}

#define S	NSEC_PER_SEC

static struct ctrace_limit *l;

static int limit_init(struct kunit *test)
{
	lives_up_to = ~0u;
	l = ctrace_limit_new(3);
	KUNIT_ASSERT_NOT_NULL(test, l);
	return 0;
}

static void limit_exit(struct kunit *test)
{
	ctrace_limit_free(l);
}

static u32 passed(u32 cid, u32 n, u64 now)
{
	u32 yes = 0;

	while (n--)
		yes += ctrace_limit_pass(l, cid, cid / 100000, now);	/* 100,000 of an account */
	return yes;
}

static u64 dropped_of(u32 cid, u32 *places)
{
	u64 dropped, sum = 0;
	u32 i, c;

	*places = 0;
	for (i = 0; !ctrace_limit_at(l, i, &c, &dropped); i++)
		if (c == cid && dropped) {
			sum += dropped;
			++*places;
		}
	return sum;
}

static void seconds(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, passed(1, 10, 5 * S), 3u);
	KUNIT_EXPECT_EQ(test, passed(1, 10, 6 * S - 1), 0u);
	KUNIT_EXPECT_EQ(test, passed(1, 10, 6 * S), 3u);
	/* a clock that was read in the second before */
	KUNIT_EXPECT_EQ(test, passed(1, 10, 6 * S - 1), 0u);
	KUNIT_EXPECT_EQ(test, passed(1, 2, 9 * S), 2u);
	KUNIT_EXPECT_EQ(test, ctrace_limit_dropped(l), 34ull);
}

static void neighbours(struct kunit *test)
{
	u32 places;

	KUNIT_EXPECT_EQ(test, passed(0, 100, S), 3u);
	KUNIT_EXPECT_EQ(test, passed(7, 3, S), 3u);
	KUNIT_EXPECT_EQ(test, dropped_of(0, &places), 97ull);
	KUNIT_EXPECT_EQ(test, places, 1u);
	KUNIT_EXPECT_EQ(test, dropped_of(7, &places), 0ull);
}

/* More containers than places: the rest share one place, and the sum is right. */
static void too_many(struct kunit *test)
{
	u32 cid, yes = 0, places;

	for (cid = 1; cid <= 3 * PLACES; cid++)
		yes += passed(cid, 5, S);
	KUNIT_EXPECT_EQ(test, yes + ctrace_limit_dropped(l), 15ull * PLACES);
	KUNIT_EXPECT_GT(test, dropped_of(CTRACE_CID_ALL, &places), 0ull);
	KUNIT_EXPECT_EQ(test, places, 1u);
}

/* The next owner of a place starts afresh; the count of the last owner stays in the sum. */
static void a_place_again(struct kunit *test)
{
	u32 cid, i, places;

	for (i = 0, cid = 1; i < 4 * PLACES; i++, cid++) {
		KUNIT_ASSERT_EQ(test, passed(cid, 5, S), 3u);
		ctrace_limit_forget(l, cid);
		KUNIT_ASSERT_EQ(test, dropped_of(cid, &places), 0ull);
	}
	KUNIT_EXPECT_EQ(test, ctrace_limit_dropped(l), 8ull * PLACES);
}

/* Records after the announcement of a container's death take a place once more; later deaths find it. */
static void stragglers(struct kunit *test)
{
	u32 i, cid, taken = 0;

	for (cid = 1; cid <= 100; cid++) {
		ctrace_limit_forget(l, cid);
		passed(cid, 5, S);
	}
	lives_up_to = 0;
	for (i = 0; i < PLACES / SWEEP; i++)
		ctrace_limit_forget(l, 5000);
	for (i = 0; i < PLACES; i++)
		taken += !!l->places[i].key;
	KUNIT_EXPECT_EQ(test, taken, 0u);
	KUNIT_EXPECT_EQ(test, ctrace_limit_dropped(l), 200ull);
}

/* An account with more containers than places leaves places to the others, and a share of its own to each. */
static void crowd(struct kunit *test)
{
	u32 cid, i, taken = 0;

	for (cid = 1; cid <= 20 * PLACES; cid++)
		passed(cid, 5, S);
	for (i = 0; i < PLACES; i++)
		taken += !!l->places[i].key;
	KUNIT_EXPECT_EQ(test, taken, PLACES / 2);
	/*
	 * 100 neighbours born later, of another account: most have a place; those without share another
	 * bucket
	 */
	for (i = taken = 0; i < 100; i++)
		taken += passed(100000 + i, 3, S) == 3;
	KUNIT_EXPECT_GT(test, taken, 95u);
	KUNIT_EXPECT_EQ(test, ctrace_limit_pass(l, 10 * PLACES + 7, 0, S), false);
	KUNIT_EXPECT_EQ(test, ctrace_limit_pass(l, 10 * PLACES + 7, 2, 2 * S), true);
	for (cid = 1; cid <= 20 * PLACES; cid++)
		ctrace_limit_forget(l, cid);
	KUNIT_EXPECT_EQ(test, atomic_read(&l->taken[0][0]), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&l->all), 100);	/* the neighbours'*/
}

/*
 * Containers nested in many outer ones are of one slice; each outer one has an eighth. So neighbours keep
 * theirs.
 */
static void nested_crowd(struct kunit *test)
{
	u32 cid = 1, outer, i, yes, places = 0;

	for (outer = 1; outer <= 40; outer++)
		for (i = 0; i < 200; i++)
			ctrace_limit_pass(l, cid++, outer << 16 | 7, S);
	for (i = 0; i < PLACES; i++)
		places += !!l->places[i].key;
	KUNIT_EXPECT_GT(test, PLACES / 4 + 1, places);
	KUNIT_EXPECT_GT(test, PLACES / 8 + 1, atomic_read(&l->taken[2][1]));
	/* other containers of the slice, and of another one */
	for (i = yes = 0; i < 100; i++, cid += 2) {
		yes += ctrace_limit_pass(l, cid, 7, S);
		yes += ctrace_limit_pass(l, cid + 1, 8, S);
	}
	KUNIT_EXPECT_GT(test, yes, 195u);
	/* and one nested in another container, of another number: the rest shares a rate */
	KUNIT_EXPECT_TRUE(test, ctrace_limit_pass(l, cid, 45 << 16 | 7, S));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(seconds),
	KUNIT_CASE(neighbours),
	KUNIT_CASE(too_many),
	KUNIT_CASE(crowd),
	KUNIT_CASE(nested_crowd),
	KUNIT_CASE(a_place_again),
	KUNIT_CASE(stragglers),
	{}
};

static struct kunit_suite suite = {
	.name = "ctrace_limit",
	.init = limit_init,
	.exit = limit_exit,
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("ctrace: tests of the limit");
MODULE_LICENSE("GPL");
