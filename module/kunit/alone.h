/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included before each suite. A kernel with CONFIG_KUNIT finds the suites of a module as it is loaded.
 * Debian's kernels have none: there KUnit itself is a module (selftests/build/inside), which a suite's module
 * calls.
 */
#ifndef CTRACE_KUNIT_ALONE_H
#define CTRACE_KUNIT_ALONE_H

#include <kunit/test.h>
#include <linux/module.h>

#if !IS_ENABLED(CONFIG_KUNIT)
#undef kunit_test_suite
#define kunit_test_suite(suite)							\
	static struct kunit_suite *ctrace_suites[] = { &(suite) };		\
	static int __init ctrace_suites_init(void)				\
	{									\
		return __kunit_test_suites_init(ctrace_suites, 1);		\
	}									\
	module_init(ctrace_suites_init);					\
	static void __exit ctrace_suites_exit(void)				\
	{									\
		__kunit_test_suites_exit(ctrace_suites, 1);			\
	}									\
	module_exit(ctrace_suites_exit)
#endif

#endif
