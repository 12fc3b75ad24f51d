// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls and spans under way: places taken, found and given back, a full table, containers and sessions that
 * go, and contexts that meet. Keys, containers and sessions are made up.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include "session/inflight.c"

#define BITS	12
#define PLACES	(1u << BITS)
#define NONE	CTRACE_INFLIGHT_NONE
#define ROW	CTRACE_INFLIGHT_ROW
#define WINDOW	(ROW * CTRACE_INFLIGHT_WINDOW)

DEFINE_MUTEX(ctrace_lock);
u32 ctrace_event_wants[CTRACE_EVENT_IDS];
atomic64_t ctrace_identity_gen = ATOMIC64_INIT(1);
#ifdef CONFIG_X86_64
/* compat/clock.c is not in this module, so its clock is the kernel's */
struct ctrace_compat_tsc ctrace_compat_tsc = { .not = 1 };
#endif

struct thing {
	struct ctrace_owned begun;
	u64 what;
	atomic_t inside;
};

static struct ctrace_inflight t;
static struct ctrace_source source = { .table = &t };
static struct ctrace_session session = { .index = 2 };
static struct ctrace_probe probe, other, without;
static char keys[4 * PLACES];	/* their addresses are the keys */

static int inflight_init(struct kunit *test)
{
	t = (struct ctrace_inflight) { .stride = round_up(sizeof(struct thing), 8), .bits = BITS, .owned = true };
	probe = other = (struct ctrace_probe) { .session = &session, .sources = { &source } };
	return ctrace_inflight_get(&probe);
}

static void inflight_exit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, t.users, 1u);
	ctrace_inflight_put(&probe);
	KUNIT_EXPECT_NULL(test, t.keys);
	KUNIT_EXPECT_TRUE(test, list_empty(&tables));
}

static u32 take(const void *key)
{
	return ctrace_inflight_take(&t, ctrace_inflight_row(&t, key), key);
}

static u32 find(const void *key)
{
	return ctrace_inflight_find(&t, ctrace_inflight_row(&t, key), key);
}

static void give(const void *key, u32 place)
{
	ctrace_inflight_give(&t, ctrace_inflight_row(&t, key), place);
}

/* Searches that would continue behind their row. */
static u32 all_further(void)
{
	u32 row, n = 0;

	for (row = 0; row < ctrace_inflight_rows(&t); row++)
		n += atomic_read(&t.further[row]);
	return n;
}

static struct thing *at(u32 place)
{
	return ctrace_inflight_at(&t, place);
}

/* The next key after this one whose search begins at the same row. */
static const char *neighbour(const char *key)
{
	const char *k = key + 1;

	while (k < keys + sizeof(keys) && ctrace_inflight_row(&t, k) != ctrace_inflight_row(&t, key))
		k++;
	return k < keys + sizeof(keys) ? k : NULL;
}

static void begin_and_end(struct kunit *test)
{
	u32 a, b;

	KUNIT_EXPECT_EQ(test, (unsigned long)t.keys % (ROW * sizeof(*t.keys)), 0ul);
	KUNIT_EXPECT_EQ(test, find(&keys[0]), NONE);
	a = take(&keys[0]);
	b = take(&keys[1]);
	KUNIT_ASSERT_LT(test, a, NONE);
	KUNIT_ASSERT_LT(test, b, NONE);
	KUNIT_EXPECT_NE(test, a, b);
	at(a)->what = 1;
	at(b)->what = 2;
	KUNIT_EXPECT_EQ(test, at(find(&keys[0]))->what, 1ull);
	KUNIT_EXPECT_EQ(test, at(find(&keys[1]))->what, 2ull);
	/* an end that did not come */
	KUNIT_EXPECT_EQ(test, take(&keys[0]), a);
	give(&keys[0], a);
	KUNIT_EXPECT_EQ(test, find(&keys[0]), NONE);
	KUNIT_EXPECT_EQ(test, find(&keys[1]), b);
}

/* Taken places are found, refused keys are not, and each place has one owner. Then all comes back. */
static void full(struct kunit *test)
{
	u32 *places = kunit_kzalloc(test, sizeof(keys) * sizeof(*places), GFP_KERNEL);
	u32 i, taken = 0, bad = 0;

	KUNIT_ASSERT_NOT_NULL(test, places);
	for (i = 0; i < sizeof(keys); i++) {
		places[i] = take(&keys[i]);
		if (places[i] == NONE)
			continue;
		taken++;
		bad += places[i] >= PLACES || at(places[i])->what;
		at(places[i])->what = i + 1;
	}
	KUNIT_EXPECT_EQ(test, taken, PLACES);
	for (i = 0; i < sizeof(keys); i++) {
		bad += find(&keys[i]) != places[i];
		if (places[i] != NONE)
			bad += at(places[i])->what != i + 1;
	}
	for (i = 0; i < sizeof(keys); i++)
		if (places[i] != NONE)
			give(&keys[i], places[i]);
	for (i = 0; i < sizeof(keys); i++)
		bad += find(&keys[i]) != NONE;
	KUNIT_EXPECT_EQ(test, bad, 0u);
	/* and no search continues for keys that are gone */
	KUNIT_EXPECT_EQ(test, all_further(), 0u);
	for (i = 0; i < PLACES / 2; i++)
		bad += take(&keys[i]) == NONE;
	KUNIT_EXPECT_EQ(test, bad, 0u);
}

/* A CPU's own row comes first, and there is an end to what nests. */
static void one_cpu(struct kunit *test)
{
	u32 row, place, i, bad = 0;

	preempt_disable();
	row = ctrace_inflight_here(&t);
	for (i = 0; i < WINDOW; i++) {
		place = ctrace_inflight_take(&t, row, &keys[i]);
		bad += (place - row * ROW) % PLACES != i;
	}
	bad += ctrace_inflight_take(&t, row, &keys[i]) != NONE;
	while (i--) {
		place = ctrace_inflight_find(&t, row, &keys[i]);
		bad += (place - row * ROW) % PLACES != i;
		ctrace_inflight_give(&t, row, place);
	}
	bad += all_further();
	preempt_enable();
	KUNIT_EXPECT_EQ(test, bad, 0u);
}

/*
 * A BUSY place is not given to another context. If a row gets more keys than it holds, the newest is found.
 */
static void no_end(struct kunit *test)
{
	const char *k[ROW + 2] = { keys };
	u32 place, i, found = 0;

	for (i = 1; i < ROW + 2; i++) {
		k[i] = neighbour(k[i - 1]);
		KUNIT_ASSERT_NOT_NULL(test, k[i]);
	}
	KUNIT_EXPECT_EQ(test, ctrace_inflight_hold(&t, k[0]), NONE);
	place = ctrace_inflight_renew(&t, k[0]);
	KUNIT_ASSERT_LT(test, place, NONE);
	KUNIT_EXPECT_EQ(test, ctrace_inflight_hold(&t, k[0]), NONE);
	ctrace_inflight_let_go(&t, place, k[0]);
	KUNIT_EXPECT_EQ(test, ctrace_inflight_hold(&t, k[0]), place);
	KUNIT_EXPECT_EQ(test, ctrace_inflight_hold(&t, k[0]), NONE);
	ctrace_inflight_let_go(&t, place, k[0]);
	KUNIT_EXPECT_EQ(test, ctrace_inflight_renew(&t, k[0]), place);
	ctrace_inflight_let_go(&t, place, NULL);
	KUNIT_EXPECT_EQ(test, ctrace_inflight_hold(&t, k[0]), NONE);
	/* fill the row; then one more key, which takes a free place or an older key's */
	for (i = 0; i < ROW; i++) {
		place = ctrace_inflight_renew(&t, k[i]);
		at(place)->begun.time = i == 5 ? 50 : 100 + i;
		ctrace_inflight_let_go(&t, place, k[i]);
	}
	for (i = 3; i < 5; i++) {
		place = ctrace_inflight_hold(&t, k[i]);
		KUNIT_ASSERT_LT(test, place, NONE);
		ctrace_inflight_let_go(&t, place, NULL);
		KUNIT_EXPECT_EQ(test, ctrace_inflight_renew(&t, k[i]), place);
		ctrace_inflight_let_go(&t, place, k[i]);
	}
	/* the oldest one's; and a search that fails knows why */
	KUNIT_EXPECT_FALSE(test, ctrace_inflight_may_be_lost(&t, k[5], 0));
	place = ctrace_inflight_renew(&t, k[ROW]);
	KUNIT_ASSERT_LT(test, place, NONE);
	ctrace_inflight_let_go(&t, place, k[ROW]);
	KUNIT_EXPECT_EQ(test, ctrace_inflight_hold(&t, k[5]), NONE);
	KUNIT_EXPECT_TRUE(test, ctrace_inflight_may_be_lost(&t, k[5], 0));
	KUNIT_EXPECT_FALSE(test, ctrace_inflight_may_be_lost(&t, k[5], U64_MAX));
	/* and all of them in use */
	for (i = 0; i <= ROW; i++) {
		place = ctrace_inflight_hold(&t, k[i]);
		found += place != NONE;
	}
	KUNIT_EXPECT_NE(test, place, NONE);
	KUNIT_EXPECT_EQ(test, found, ROW);
	KUNIT_EXPECT_EQ(test, ctrace_inflight_renew(&t, k[ROW + 1]), NONE);
}

/* A session that ends is forgotten, but not what another one wants, nor what another probe still does. */
static void sessions(struct kunit *test)
{
	const u32 ids[] = { 40, 41 };
	u32 i, place[2];

	KUNIT_ASSERT_EQ(test, ctrace_inflight_get(&without), 0);
	ctrace_inflight_put(&without);
	KUNIT_ASSERT_EQ(test, ctrace_inflight_get(&other), 0);
	KUNIT_EXPECT_EQ(test, t.users, 2u);
	for (i = 0; i < 2; i++) {
		place[i] = take(&keys[i]);
		at(place[i])->begun.wanted = 6ull << 32 | ids[i];
	}
	ctrace_event_wants[40] = 2;
	ctrace_event_wants[41] = 6;
	ctrace_inflight_put(&other);
	KUNIT_EXPECT_EQ(test, at(place[0])->begun.wanted, 2ull << 32 | 40);
	KUNIT_EXPECT_EQ(test, at(place[1])->begun.wanted, 6ull << 32 | 41);
	KUNIT_EXPECT_EQ(test, find(&keys[0]), place[0]);
}

static void containers(struct kunit *test)
{
	struct ctrace_container *c = kunit_kzalloc(test, 4 * sizeof(*c), GFP_KERNEL);
	struct ctrace_who who;
	u32 i, place[4];

	KUNIT_ASSERT_NOT_NULL(test, c);
	for (i = 0; i < 3; i++) {
		who = (struct ctrace_who) { .container = &c[i], .tid = i + 1 };
		place[i] = take(&keys[i]);
		ctrace_begun_by(&at(place[i])->begun, &who);
	}
	KUNIT_EXPECT_TRUE(test, ctrace_begun_whose(&at(place[1])->begun, &who));
	KUNIT_EXPECT_PTR_EQ(test, who.container, &c[1]);
	KUNIT_EXPECT_EQ(test, who.tid, 2);
	/* c[1] dies; c[2] is a part of c[0] that ends; a free place is looked at, too */
	c[1].dying = 1;
	c[2].base = &c[0];
	c[2].heir = &c[0];
	c[2].dying = 1;
	give(&keys[1], place[1]);
	ctrace_inflight_watcher.forget();
	KUNIT_EXPECT_PTR_EQ(test, at(place[0])->begun.who.container, &c[0]);
	KUNIT_EXPECT_FALSE(test, ctrace_begun_whose(&at(place[1])->begun, &who));
	KUNIT_EXPECT_PTR_EQ(test, at(place[2])->begun.who.container, &c[0]);
	/* too late for the GC */
	who.container = &c[1];
	place[3] = take(&keys[3]);
	ctrace_begun_by(&at(place[3])->begun, &who);
	KUNIT_EXPECT_NULL(test, at(place[3])->begun.who.container);
}

/* --- contexts that meet -------------------------------------------------------- */

#define ROUNDS	300000

struct runner {
	struct completion done;
	const char *keys;	/* of its own */
	u32 bad, got;
};

/* Each has keys of its own, and all of them take the same few places. */
static int take_and_release(void *arg)
{
	struct runner *r = arg;
	u32 i, place;

	for (i = 0; i < ROUNDS; i++) {
		const char *key = r->keys + i % PLACES;

		preempt_disable();
		place = ctrace_inflight_take(&t, 0, key);
		if (place != NONE) {
			r->got++;
			r->bad += atomic_inc_return(&at(place)->inside) != 1;
			r->bad += ctrace_inflight_find(&t, 0, key) != place;
			at(place)->what = (u64)r;
			cpu_relax();
			r->bad += at(place)->what != (u64)r || atomic_dec_return(&at(place)->inside);
			ctrace_inflight_give(&t, 0, place);
		}
		preempt_enable();
		cond_resched();
	}
	complete(&r->done);
	return 0;
}

/* All have the same few keys. Some of them are left behind. */
static int renew_and_hold(void *arg)
{
	struct runner *r = arg;
	u32 i, place;

	for (i = 0; i < ROUNDS; i++) {
		const char *key = r->keys + i * 7 % 16;

		preempt_disable();
		place = i % 2 ? ctrace_inflight_hold(&t, key) : ctrace_inflight_renew(&t, key);
		if (place != NONE) {
			r->got++;
			r->bad += atomic_inc_return(&at(place)->inside) != 1;
			r->bad += i % 2 && at(place)->what != (u64)key;
			at(place)->what = (u64)key;
			cpu_relax();
			r->bad += !!atomic_dec_return(&at(place)->inside);
			ctrace_inflight_let_go(&t, place, i % 5 ? key : NULL);
		}
		preempt_enable();
		cond_resched();
	}
	complete(&r->done);
	return 0;
}

static void meet(struct kunit *test, int (*fn)(void *arg), u32 apart)
{
	struct runner r[3] = {};
	struct task_struct *p;
	u32 i, n;

	for (n = 0; n < ARRAY_SIZE(r); n++) {
		init_completion(&r[n].done);
		r[n].keys = keys + n * apart;
		p = kthread_run(fn, &r[n], "ctrace-run%u", n);
		KUNIT_EXPECT_FALSE(test, IS_ERR(p));
		if (IS_ERR(p))
			break;
	}
	for (i = 0; i < n; i++) {
		while (!try_wait_for_completion(&r[i].done)) {
			ctrace_inflight_watcher.forget();
			forget_session(&t, 1);
			cond_resched();
		}
		KUNIT_EXPECT_EQ(test, r[i].bad, 0u);
		KUNIT_EXPECT_GT(test, r[i].got, 0u);
	}
}

static void own_keys(struct kunit *test)
{
	u32 i, left = 0;

	meet(test, take_and_release, PLACES);
	for (i = 0; i < PLACES; i++)
		left += !!t.keys[i];
	KUNIT_EXPECT_EQ(test, left, 0u);
}

static void same_keys(struct kunit *test)
{
	u32 i, busy = 0;

	meet(test, renew_and_hold, 0);
	for (i = 0; i < PLACES; i++)
		busy += t.keys[i] == CTRACE_INFLIGHT_BUSY;
	KUNIT_EXPECT_EQ(test, busy, 0u);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(begin_and_end),
	KUNIT_CASE(full),
	KUNIT_CASE(one_cpu),
	KUNIT_CASE(no_end),
	KUNIT_CASE(sessions),
	KUNIT_CASE(containers),
	KUNIT_CASE(own_keys),
	KUNIT_CASE(same_keys),
	{}
};

static struct kunit_suite suite = {
	.name = "ctrace_inflight",
	.init = inflight_init,
	.exit = inflight_exit,
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("ctrace: tests of what has begun and not ended");
MODULE_LICENSE("GPL");
