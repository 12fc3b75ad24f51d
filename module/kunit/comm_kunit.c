// SPDX-License-Identifier: GPL-2.0-only
/* A task's name in a record: the name up to its end, and none of the bytes behind that. */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "event/comm.h"

static void put(struct kunit *test, const char *kept, const char *want, bool show)
{
	struct task_struct *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);
	char got[CTRACE_COMM_LEN + 1], all[CTRACE_COMM_LEN] = "";

	KUNIT_ASSERT_NOT_NULL(test, p);
	memcpy(p->comm, kept, CTRACE_COMM_LEN);
	memcpy(all, want, strlen(want));
	memset(got, '#', sizeof(got));
	ctrace_put_comm(got, p, show);
	KUNIT_EXPECT_EQ_MSG(test, 0, memcmp(got, all, CTRACE_COMM_LEN), "'%.16s' for '%s'", got, want);
	KUNIT_EXPECT_EQ(test, got[CTRACE_COMM_LEN], '#');
}

/* names of each length, with the rest of a longer one behind them: any byte, also 1, 0x80 and 0xff */
static void rests(struct kunit *test)
{
	static const unsigned char behind[] = { 's', 1, 0x80, 0xff };
	char kept[CTRACE_COMM_LEN], want[CTRACE_COMM_LEN];
	unsigned int n, i;

	for (n = 0; n < CTRACE_COMM_LEN; n++) {
		for (i = 0; i < ARRAY_SIZE(behind); i++) {
			memset(kept, behind[i], sizeof(kept));
			memset(kept, i % 2 ? 0xff : 'n', n);
			kept[n] = 0;
			memcpy(want, kept, sizeof(want));
			put(test, kept, want, true);
		}
	}
}

static void several_ends(struct kunit *test)
{
	put(test, "a\0b\0c\0d\0e\0f\0g\0h", "a", true);
	put(test, "seven77\0rest\0of.", "seven77", true);
	put(test, "eight888\0secret.", "eight888", true);
	put(test, "\0nothing.at.all.", "", true);
}

static void no_end(struct kunit *test)
{
	put(test, "0123456789abcdef", "0123456789abcde", true);
}

static void not_shown(struct kunit *test)
{
	put(test, "0123456789abcde", "", false);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(rests),
	KUNIT_CASE(several_ends),
	KUNIT_CASE(no_end),
	KUNIT_CASE(not_shown),
	{}
};

static struct kunit_suite suite = {
	.name = "ctrace_comm",
	.test_cases = cases,
};
kunit_test_suite(suite);

MODULE_DESCRIPTION("ctrace: tests of names in records");
MODULE_LICENSE("GPL");
