// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who had the CPU for which a task waited: the walk back over a CPU's ring. Tasks, times and quotas are made
 * up.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "probe/blame_walk.h"

#define PARTS_MAX	(2 * CTRACE_BLAME_SLOTS)
#define NOBODY	(-1)

static struct ctrace_blame_ring *r;
static struct ctrace_blame_throttled quota;
static struct ctrace_blame_seen running;

/* The results of a walk: each part's task, or - its culprit, and its duration. */
static struct { s32 who; u64 duration; } told[PARTS_MAX];
static u32 ntold;
static u64 sum;

static int blame_init(struct kunit *test)
{
	r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, r);
	memset(&quota, 0, sizeof(quota));
	return 0;
}

static void leaves(s32 tid, u64 until)
{
	struct ctrace_blame_seen *s = &r->slot[r->n++ % CTRACE_BLAME_SLOTS];

	s->tid = tid;
	s->until = until;
}

static void throttled(u64 from, u64 to)
{
	quota.window[quota.n].from = from;
	quota.window[quota.n++].to = to;
}

static void tell(void *arg, const struct ctrace_blame_part *part)
{
	struct kunit *test = arg;

	KUNIT_EXPECT_TRUE(test, ntold < PARTS_MAX);
	if (ntold == PARTS_MAX)
		return;
	KUNIT_EXPECT_EQ(test, !part->who, !!part->culprit);
	KUNIT_EXPECT_GT(test, part->duration, 0ull);
	told[ntold].who = part->who ? part->who->tid : -(s32)part->culprit;
	told[ntold++].duration = part->duration;
	sum += part->duration;
}

/* tid: who runs now; NOBODY: not known */
static void walk(struct kunit *test, s32 tid, u64 from, u64 to)
{
	ntold = 0;
	sum = 0;
	running.tid = tid;
	ctrace_blame_walk(r, tid == NOBODY ? NULL : &running, &quota, from, to, tell, test);
	KUNIT_EXPECT_EQ(test, sum, to - from);	/* always */
}

static void expect(struct kunit *test, u32 i, s32 who, u64 duration)
{
	KUNIT_EXPECT_TRUE(test, i < ntold);
	KUNIT_EXPECT_EQ(test, told[i].who, who);
	KUNIT_EXPECT_EQ(test, told[i].duration, duration);
}

#define EARLIER		(-(s32)CTRACE_CULPRIT_EARLIER)
#define THROTTLED	(-(s32)CTRACE_CULPRIT_THROTTLED)

static void parts(struct kunit *test)
{
	/* nobody has left the CPU yet: the task that runs there is not known, or is */
	walk(test, NOBODY, 5, 9);
	KUNIT_EXPECT_EQ(test, ntold, 1u);
	expect(test, 0, EARLIER, 4);
	walk(test, 7, 5, 9);
	expect(test, 0, 7, 4);
	/* the first one to leave ran all the time; the same culprit twice; an idle CPU */
	leaves(1, 10);
	leaves(2, 30);
	leaves(1, 35);
	leaves(0, 36);
	walk(test, NOBODY, 5, 36);
	KUNIT_EXPECT_EQ(test, ntold, 4u);
	expect(test, 0, 0, 1);
	expect(test, 1, 1, 5);
	expect(test, 2, 2, 20);
	expect(test, 3, 1, 5);
	/* within one task's time; from one switch to another; no time at all */
	walk(test, NOBODY, 31, 36);
	KUNIT_EXPECT_EQ(test, ntold, 2u);
	expect(test, 1, 1, 4);
	walk(test, NOBODY, 30, 36);
	KUNIT_EXPECT_EQ(test, ntold, 2u);
	walk(test, NOBODY, 36, 36);
	KUNIT_EXPECT_EQ(test, ntold, 0u);
}

/* A task that waits is moved to another CPU: who runs here then has not left yet. */
static void migration(struct kunit *test)
{
	leaves(1, 10);
	leaves(2, 20);
	walk(test, 3, 15, 24);
	KUNIT_EXPECT_EQ(test, ntold, 2u);
	expect(test, 0, 3, 4);
	expect(test, 1, 2, 5);
	walk(test, 3, 21, 24);
	KUNIT_EXPECT_EQ(test, ntold, 1u);
	expect(test, 0, 3, 3);
	/* another CPU's clock may be a little behind: the wait ends before the last switch */
	walk(test, 3, 15, 18);
	KUNIT_EXPECT_EQ(test, ntold, 1u);
	expect(test, 0, 2, 3);
}

static void wraps(struct kunit *test)
{
	u32 i, n = 3 * CTRACE_BLAME_SLOTS + 5;

	for (i = 1; i <= n; i++)
		leaves(i, 10 * i);
	walk(test, NOBODY, 10 * n - 15, 10 * n);
	KUNIT_EXPECT_EQ(test, ntold, 2u);
	expect(test, 0, n, 10);
	expect(test, 1, n - 1, 5);
	/* older than the ring: of the oldest one it is not known when it came */
	walk(test, NOBODY, 15, 10 * n);
	KUNIT_EXPECT_EQ(test, ntold, CTRACE_BLAME_SLOTS);
	expect(test, CTRACE_BLAME_SLOTS - 2, n - CTRACE_BLAME_SLOTS + 2, 10);
	expect(test, CTRACE_BLAME_SLOTS - 1, EARLIER, 10 * (n - CTRACE_BLAME_SLOTS + 1) - 15);
	/* exactly as old as the ring, and a little older */
	walk(test, NOBODY, 10 * (n - CTRACE_BLAME_SLOTS + 1), 10 * n);
	KUNIT_EXPECT_EQ(test, ntold, CTRACE_BLAME_SLOTS - 1);
	walk(test, NOBODY, 10 * (n - CTRACE_BLAME_SLOTS + 1) - 1, 10 * n);
	KUNIT_EXPECT_EQ(test, ntold, CTRACE_BLAME_SLOTS);
	expect(test, CTRACE_BLAME_SLOTS - 1, EARLIER, 1);
}

static void no_quota(struct kunit *test)
{
	leaves(1, 10);
	leaves(2, 30);
	leaves(1, 40);
	/* within one task's time */
	throttled(12, 15);
	walk(test, NOBODY, 5, 40);
	KUNIT_EXPECT_EQ(test, ntold, 5u);
	expect(test, 0, 1, 10);
	expect(test, 1, 2, 15);
	expect(test, 2, THROTTLED, 3);
	expect(test, 3, 2, 2);
	expect(test, 4, 1, 5);
	/*
	 * over several, and an inner group's within an outer one's; one that ended before the wait; one of no
	 * time
	 */
	throttled(8, 35);
	throttled(1, 4);
	throttled(37, 37);
	walk(test, NOBODY, 5, 40);
	expect(test, 0, 1, 5);
	KUNIT_EXPECT_EQ(test, told[ntold - 1].who, 1);
	KUNIT_EXPECT_EQ(test, told[ntold - 1].duration, 3ull);
	KUNIT_EXPECT_EQ(test, ntold, 5u);	/* 30-35, 15-30 less the inner one, and on */
	expect(test, 1, THROTTLED, 5);
	/* all of it */
	throttled(0, 40);
	walk(test, NOBODY, 5, 40);
	KUNIT_EXPECT_EQ(test, told[0].who, THROTTLED);
	KUNIT_EXPECT_EQ(test, told[ntold - 1].who, THROTTLED);
	/* before 20, nobody knows whether there was quota */
	memset(&quota, 0, sizeof(quota));
	quota.known = 20;
	walk(test, NOBODY, 5, 40);
	KUNIT_EXPECT_EQ(test, ntold, 3u);
	expect(test, 1, 2, 10);
	expect(test, 2, EARLIER, 15);
	quota.known = 50;
	walk(test, NOBODY, 5, 40);
	KUNIT_EXPECT_EQ(test, ntold, 1u);
	expect(test, 0, EARLIER, 35);
}

/* Of waits that end when somebody leaves: the short way finds the part of those that have one. */
static void only_part(struct kunit *test)
{
	const struct ctrace_blame_seen *only;
	u32 i, n = CTRACE_BLAME_SLOTS + 9, found = 0;
	u64 from;

	for (i = 1; i <= n; i++) {
		leaves(i, 10 * i);
		for (from = 10 * i > 45 ? 10 * i - 45 : 0; from <= 10 * i; from++) {
			walk(test, NOBODY, from, 10 * i);
			only = ctrace_blame_only(r, from, 10 * i);
			KUNIT_EXPECT_EQ(test, !!only, ntold == 1);
			if (only && ntold == 1)
				expect(test, 0, only->tid, 10 * i - from);
			found += !!only;
		}
	}
	KUNIT_EXPECT_EQ(test, found, 10 * n);
}

/* Windows of a queue. The kernel may come to give it quota, and not do so (since 6.18): it comes again. */
static void quota_not_given(struct kunit *test)
{
	struct ctrace_blame_windows w = { };
	u32 i;

	/* throttled before anything was known */
	ctrace_blame_window_ends(&w, 0, 10, true);
	KUNIT_EXPECT_EQ(test, w.n, 1ull);
	KUNIT_EXPECT_EQ(test, w.at[0].from, 0ull);
	KUNIT_EXPECT_EQ(test, w.at[0].to, 10ull);
	ctrace_blame_window_ends(&w, 20, 25, false);
	ctrace_blame_window_ends(&w, 0, 31, false);
	ctrace_blame_window_ends(&w, 0, 34, false);
	KUNIT_EXPECT_EQ(test, w.n, 2ull);
	KUNIT_EXPECT_EQ(test, w.at[1].from, 20ull);
	KUNIT_EXPECT_EQ(test, w.at[1].to, 34ull);
	KUNIT_EXPECT_EQ(test, w.at[0].to, 10ull);
	ctrace_blame_window_ends(&w, 40, 50, false);
	KUNIT_EXPECT_EQ(test, w.n, 3ull);
	KUNIT_EXPECT_EQ(test, w.at[1].to, 34ull);
	KUNIT_EXPECT_EQ(test, w.at[2].from, 40ull);
	/* when older ones have been overwritten, too */
	for (i = 3; i < 2 * CTRACE_BLAME_QUOTA_WINDOWS; i++)
		ctrace_blame_window_ends(&w, 100 * i, 100 * i + 50, false);
	ctrace_blame_window_ends(&w, 0, 100 * i, false);
	KUNIT_EXPECT_EQ(test, w.n, 2ull * CTRACE_BLAME_QUOTA_WINDOWS);
	KUNIT_EXPECT_EQ(test, w.at[(i - 1) % CTRACE_BLAME_QUOTA_WINDOWS].to, 100ull * i);
	KUNIT_EXPECT_EQ(test, w.at[(i - 2) % CTRACE_BLAME_QUOTA_WINDOWS].to, 100ull * (i - 2) + 50);
	KUNIT_EXPECT_EQ(test, w.at[i % CTRACE_BLAME_QUOTA_WINDOWS].to,
			100ull * (i - CTRACE_BLAME_QUOTA_WINDOWS) + 50);
}

/* A wait that is older than the ring: who had the CPU is not known, but when there was no quota is. */
static void no_quota_earlier(struct kunit *test)
{
	u32 i, n = 2 * CTRACE_BLAME_SLOTS;

	for (i = 1; i <= n; i++)
		leaves(i, 10 * i);
	throttled(100, 300);
	walk(test, NOBODY, 15, 10 * n);
	KUNIT_EXPECT_EQ(test, ntold, CTRACE_BLAME_SLOTS + 2);
	expect(test, CTRACE_BLAME_SLOTS - 1, EARLIER, 10 * (n - CTRACE_BLAME_SLOTS + 1) - 300);
	expect(test, CTRACE_BLAME_SLOTS, THROTTLED, 200);
	expect(test, CTRACE_BLAME_SLOTS + 1, EARLIER, 85);
	/* before 200, that is not known either */
	quota.known = 200;
	walk(test, NOBODY, 15, 10 * n);
	KUNIT_EXPECT_EQ(test, ntold, CTRACE_BLAME_SLOTS + 2);
	expect(test, CTRACE_BLAME_SLOTS, THROTTLED, 100);
	expect(test, CTRACE_BLAME_SLOTS + 1, EARLIER, 185);
}

static void loses(u64 had, u64 steal, u64 interrupts)
{
	ctrace_blame_lose(&r->slot[(r->n - 1) % CTRACE_BLAME_SLOTS], had, steal, interrupts);
}

#define HYPERVISOR	(-(s32)CTRACE_CULPRIT_HYPERVISOR)
#define INTERRUPTS	(-(s32)CTRACE_CULPRIT_INTERRUPTS)

/* Of the time that a task had the CPU, the hypervisor and interrupts took a part. */
static void lost_time(struct kunit *test)
{
	const u64 second = 1000000000;

	leaves(1, 100);
	leaves(2, 200);
	loses(100, 30, 20);
	/* all of its time, and half of it */
	walk(test, NOBODY, 100, 200);
	KUNIT_EXPECT_EQ(test, ntold, 3u);
	expect(test, 0, HYPERVISOR, 30);
	expect(test, 1, INTERRUPTS, 20);
	expect(test, 2, 2, 50);
	walk(test, NOBODY, 150, 200);
	expect(test, 0, HYPERVISOR, 15);
	expect(test, 1, INTERRUPTS, 10);
	expect(test, 2, 2, 25);
	/* without quota nobody's turn matters */
	throttled(150, 200);
	walk(test, NOBODY, 100, 200);
	expect(test, 0, THROTTLED, 50);
	expect(test, 1, HYPERVISOR, 15);
	memset(&quota, 0, sizeof(quota));
	/* the short way has no such parts */
	KUNIT_EXPECT_NULL(test, ctrace_blame_only(r, 150, 200));
	/* a whole tick in a short turn: no more than the turn, and no task */
	leaves(3, 210);
	loses(10, 0, 4000000);
	KUNIT_EXPECT_EQ(test, r->slot[2].interrupts, 10u);
	walk(test, NOBODY, 200, 210);
	KUNIT_EXPECT_EQ(test, ntold, 1u);
	expect(test, 0, INTERRUPTS, 10);
	/* turns of minutes: what does not fit in 32 bits is left for the next */
	leaves(4, 100 * second);
	loses(100 * second - 210, 3 * second, 5 * second);
	KUNIT_EXPECT_EQ(test, r->slot[3].steal, 3u * 1000000000);
	KUNIT_EXPECT_EQ(test, r->slot[3].steal + (u64)r->slot[3].interrupts, (u64)U32_MAX);
	walk(test, NOBODY, 50 * second, 100 * second);
	KUNIT_EXPECT_TRUE(test, told[0].duration <= 3 * second / 2 + 1000);
	KUNIT_EXPECT_TRUE(test, told[0].duration >= 3 * second / 2 - second / 1000);
	/* of the first of all, it is not known since when it had the CPU */
	memset(r, 0, sizeof(*r));
	leaves(1, 100);
	loses(100, 90, 10);
	walk(test, NOBODY, 95, 100);
	KUNIT_EXPECT_EQ(test, ntold, 1u);
	expect(test, 0, HYPERVISOR, 5);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(parts),
	KUNIT_CASE(lost_time),
	KUNIT_CASE(only_part),
	KUNIT_CASE(migration),
	KUNIT_CASE(wraps),
	KUNIT_CASE(no_quota),
	KUNIT_CASE(no_quota_earlier),
	KUNIT_CASE(quota_not_given),
	{ }
};

static struct kunit_suite suite = {
	.name = "ctrace_blame",
	.init = blame_init,
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("ctrace: tests of who had the CPU");
MODULE_LICENSE("GPL");
