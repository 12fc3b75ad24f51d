/* SPDX-License-Identifier: GPL-2.0-only */
/* KUnit's checks, as KTAP of a host program. The program defines KUNIT_SUITE by including one suite. */
#ifndef CTRACE_UNIT_KUNIT_H
#define CTRACE_UNIT_KUNIT_H

#include <setjmp.h>
#include <unistd.h>
#include "unit_kernel.h"

struct kunit { bool failed; jmp_buf out; void *made[64]; int nr_made; };
struct kunit_case { void (*run)(struct kunit *test); const char *name; };
struct kunit_suite {
	const char *name;
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
};

static struct kunit *kunit_now;
pthread_rwlock_t kernel_rcu = PTHREAD_RWLOCK_INITIALIZER;
__thread int kernel_preempt;
__thread u64 kernel_irqs_since;
u64 kernel_irqsoff;
u64 kernel_clock_ahead = 1000 * NSEC_PER_SEC;
__thread u64 kernel_steps, kernel_steps_since;
u64 kernel_most_steps;
unsigned long kernel_jiffies;
void (*kernel_section)(bool begins);

void kunit_fail(void)
{
	if (kunit_now)
		kunit_now->failed = true;
	else
		abort();
}

#ifndef CTRACE_UNIT_PUT_PID_NS	/* a test that has real references defines it, and the function */
void put_pid_ns(struct pid_namespace *ns)
{
	(void)ns;
	kunit_fail();
}
#endif

static inline void *kunit_kzalloc(struct kunit *test, size_t n, gfp_t gfp)
{
	(void)gfp;
	return test->made[test->nr_made++] = calloc(1, n);
}

#define KUNIT_CHECK(test, cond, stop)						\
do {										\
	if (!(cond)) {								\
		printf("# %s:%d: expected %s\n", __FILE__, __LINE__, #cond);	\
		(test)->failed = true;						\
		if (stop)							\
			longjmp((test)->out, 1);				\
	}									\
} while (0)
#define KUNIT_CHECK_OP(test, a, op, b, stop)					\
do {										\
	__typeof__(a) _ka = (a);						\
	__typeof__(b) _kb = (b);						\
	if (!(_ka op _kb)) {							\
		printf("# %s:%d: expected %s %s %s, seen %llu and %llu\n", __FILE__, __LINE__, #a, #op, #b, \
		       (unsigned long long)_ka, (unsigned long long)_kb);	\
		(test)->failed = true;						\
		if (stop)							\
			longjmp((test)->out, 1);				\
	}									\
} while (0)
#define KUNIT_EXPECT_EQ(t, a, b)	KUNIT_CHECK_OP(t, a, ==, b, false)
#define KUNIT_EXPECT_NE(t, a, b)	KUNIT_CHECK_OP(t, a, !=, b, false)
#define KUNIT_EXPECT_GT(t, a, b)	KUNIT_CHECK_OP(t, a, >, b, false)
#define KUNIT_EXPECT_EQ_MSG(t, a, b, ...) KUNIT_CHECK_OP(t, a, ==, b, false)
#define KUNIT_ASSERT_EQ(t, a, b)	KUNIT_CHECK_OP(t, a, ==, b, true)
#define KUNIT_EXPECT_PTR_EQ(t, a, b)	KUNIT_CHECK(t, (const void *)(a) == (const void *)(b), false)
#define KUNIT_EXPECT_PTR_NE(t, a, b)	KUNIT_CHECK(t, (const void *)(a) != (const void *)(b), false)
#define KUNIT_EXPECT_TRUE(t, a)		KUNIT_CHECK(t, a, false)
#define KUNIT_EXPECT_FALSE(t, a)	KUNIT_CHECK(t, !(a), false)
#define KUNIT_EXPECT_NULL(t, a)		KUNIT_CHECK(t, !(a), false)
#define KUNIT_ASSERT_NOT_NULL(t, a)	KUNIT_CHECK(t, a, true)
#define KUNIT_ASSERT_NOT_ERR_OR_NULL(t, a) KUNIT_CHECK(t, a, true)
#define KUNIT_EXPECT_STREQ(t, a, b)	KUNIT_CHECK(t, !strcmp(a, b), false)
#define KUNIT_CASE(fn)			{ .run = fn, .name = #fn }

static int kunit_run(struct kunit_suite *s)
{
	struct kunit_case *volatile c;
	volatile int n = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (c = s->test_cases; c->run; c++) {
		struct kunit test = { .failed = false };

		kunit_now = &test;
		if (!setjmp(test.out) && (s->init(&test), true))
			c->run(&test);
		if (kernel_preempt) {
			printf("# %s: left with preemption off\n", c->name);
			test.failed = true;
			while (kernel_preempt)
				preempt_enable();
		}
		if (!test.failed && s->exit)
			s->exit(&test);
		while (test.nr_made)
			free(test.made[--test.nr_made]);
		n = n + 1;
		printf("%sok %d %s\n", test.failed ? "not " : "", n, c->name);
		kunit_now = NULL;
		if (test.failed) {	/* what it leaves would fail the next */
			printf("1..%d\n", n);
			_exit(1);
		}
	}
	printf("1..%d\n", n);
	return 0;
}

#define kunit_test_suite(suite)			\
int main(void)					\
{						\
	return kunit_run(&suite);		\
}						\
_Static_assert(1, "")

#endif
