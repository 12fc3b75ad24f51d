// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long something took, by clocks of two CPUs that differ: module/compat/clock.h, with a TSC that the test
 * sets.
 * clock/ has an empty header for each of the kernel's.
 */
#include <stdbool.h>
#include <stdint.h>
#include "ktap.h"

typedef uint64_t u64;
typedef int64_t s64;
#undef __always_inline
#define __always_inline	inline __attribute__((always_inline))
#define unlikely(x)	(x)
#define likely(x)	(x)
#define READ_ONCE(x)	(x)
#define data_race(x)	(x)
#define smp_rmb()	((void)0)
#define OPTIMIZER_HIDE_VAR(v)	((void)(v))
#define CONFIG_X86_64
#define CTRACE_HAVE_RDTSC_ORDERED
#define CTRACE_HAVE_KTIME_GET_NS
#define CTRACE_HAVE_KTIME_GET_MONO_FAST_NS

static u64 tsc, mono;

static u64 rdtsc_ordered(void)
{
	return tsc;
}

static u64 ktime_get_mono_fast_ns(void)
{
	return mono;
}

#include "compat/clock.h"

/* 1 tick is 1 ns */
struct ctrace_compat_tsc ctrace_compat_tsc = { .tag = 1, .mult = 1ull << 20, .shift = 20 + 8 };

u64 ctrace_compat_stamp_any(void)
{
	return 0;
}

u64 ctrace_compat_since_any(u64 stamp)
{
	(void)stamp;
	return ~0ull;
}

static void times(void)
{
	check_eq(ctrace_compat_passed(1000, 1500), 500);
	check_eq(ctrace_compat_passed(1000, 1000), 0);
	/* the second CPU is 1 ns, and an hour, behind */
	check_eq(ctrace_compat_passed(1000, 999), 0);
	check_eq(ctrace_compat_passed(3600ull * 1000000000, 5), 0);
	/* a beginning that was before the machine's own */
	check_eq(ctrace_compat_passed(-10ull, 5), 15);
}

static void stamps(void)
{
	u64 stamp, ns = 1;

	tsc = 1000;
	check(ctrace_compat_stamp_now(&stamp));
	tsc = 1500;
	check(ctrace_compat_since_now(stamp, &ns));
	check_eq(ns, 500);
	check_eq(ctrace_compat_since(stamp), 500);
	tsc = 999;
	check(ctrace_compat_since_now(stamp, &ns));
	check_eq(ns, 0);
	check_eq(ctrace_compat_since(stamp), 0);
	/* another span of time: not in line, whatever the counters say */
	ctrace_compat_tsc.tag = 2;
	tsc = 5000;
	check(!ctrace_compat_since_now(stamp, &ns));
	ctrace_compat_tsc.tag = 1;
}

static const struct ktap_case cases[] = {
	{ "times", times },
	{ "stamps", stamps },
};

KTAP_MAIN(cases)
