/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KTAP for the programs of selftests/unit: a table of cases, checks that report where
 * they failed and continue, the plan, and an exit status.
 *
 *	static void wraps(void)
 *	{
 *		check(pos == 8);
 *		check_eq(len, 24);
 *	}
 *	static const struct ktap_case cases[] = { { "wraps", wraps } };
 *	KTAP_MAIN(cases)
 *
 * A case that cannot run calls ktap_skip("why") and returns. Exit status: 0
 * all passed or skipped, 1 otherwise.
 */
#ifndef CTRACE_SELFTEST_KTAP_H
#define CTRACE_SELFTEST_KTAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct ktap_case {
	const char *name;
	void (*fn)(void);
};

static struct {
	bool failed;		/* of the case being run */
	const char *skip;	/* the reason, if it was skipped */
} ktap __attribute__((unused));

/* Reports each failed check, up to a number that a person can read. */
__attribute__((unused, format(printf, 3, 4)))
static bool ktap_fail(const char *file, int line, const char *fmt, ...)
{
	static unsigned int told;
	va_list ap;

	ktap.failed = true;
	if (told++ < 50) {
		printf("# %s:%d: ", file, line);
		va_start(ap, fmt);
		vprintf(fmt, ap);
		va_end(ap);
		putchar('\n');
	}
	return false;
}

__attribute__((unused))
static void ktap_skip(const char *why)
{
	ktap.skip = why;
}

/* Each check returns whether it held. */
#define check(cond) __extension__ ({					\
	bool ktap_ok = (cond);						\
	ktap_ok ? true : ktap_fail(__FILE__, __LINE__, "not true: %s", #cond); })
#define check_eq(a, b) __extension__ ({					\
	long long ktap_a = (long long)(a), ktap_b = (long long)(b);	\
	ktap_a == ktap_b ? true :					\
		ktap_fail(__FILE__, __LINE__, "%s is %lld, expected %lld (%s)",	\
			  #a, ktap_a, ktap_b, #b); })
#define check_str(a, b) __extension__ ({				\
	const char *ktap_a = (a), *ktap_b = (b);			\
	!strcmp(ktap_a, ktap_b) ? true :				\
		ktap_fail(__FILE__, __LINE__, "%s is '%s', expected '%s'",	\
			  #a, ktap_a, ktap_b); })

__attribute__((unused))
static int ktap_run(const struct ktap_case *c, size_t n)
{
	size_t i, failed = 0;

	printf("KTAP version 1\n1..%zu\n", n);
	for (i = 0; i < n; i++) {
		ktap.failed = false;
		ktap.skip = NULL;
		/* A crash must not swallow the output before it. */
		fflush(stdout);
		c[i].fn();
		if (ktap.failed)
			printf("not ok %zu %s\n", i + 1, c[i].name);
		else if (ktap.skip)
			printf("ok %zu %s # SKIP %s\n", i + 1, c[i].name, ktap.skip);
		else
			printf("ok %zu %s\n", i + 1, c[i].name);
		failed += ktap.failed;
	}
	fflush(stdout);
	return failed != 0;
}

#define KTAP_MAIN(cases)						\
int main(void)								\
{									\
	return ktap_run(cases, sizeof(cases) / sizeof((cases)[0]));	\
}

#endif /* CTRACE_SELFTEST_KTAP_H */
