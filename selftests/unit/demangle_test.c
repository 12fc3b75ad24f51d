// SPDX-License-Identifier: GPL-2.0-only
/* Names of functions in C++ and Rust; files may hold any. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ktap.h"
#include "symbols/demangle.h"

static struct sbuf b;

static const char *shown(const char *name)
{
	sbuf_reset(&b);
	sbuf_puts(&b, ">");
	return demangle(name, &b) ? b.s + 1 : b.len == 1 ? "as it is" : "changed";
}

static void names(void)
{
	check_str(shown("main"), "as it is");
	check_str(shown(""), "as it is");
	check_str(shown("_Z"), "as it is");
	check_str(shown("_R"), "as it is");
	check_str(shown("_Zebra"), "as it is");
#ifdef CTRACE_LIBIBERTY
	check_str(shown("_ZN3web5Cache4findERKSs"), "web::Cache::find");
	check_str(shown("_ZNSt6vectorIiSaIiEE9push_backERKi"), "std::vector<int, std::allocator<int> >::push_back");
	check_str(shown("_ZplRK1AS1_"), "operator+");
	check_str(shown("_ZZN3web4mainEvENKUlvE_clEv"), "web::main()::{lambda()#1}::operator()");
	check_str(shown("_ZN4core5slice29_$LT$impl$u20$$u5b$T$u5d$$GT$4sort17h0123456789abcdefE"), "core::slice::<impl [T]>::sort");
	check_str(shown("_RNvNtCs1234_7mycrate3foo3bar"), "mycrate::foo::bar");
#else
	ktap_skip("built without libiberty");
#endif
}

/* Thirty types, each twice the one before; the last is an argument of the template: 2^30 times A<int, int>. */
static void explodes(void)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	char name[512] = "_Z1fI1AIiiE";
	size_t n = strlen(name);

	for (int i = 0; i < 30; i++)
		n += (size_t)snprintf(name + n, sizeof(name) - n, "S0_IS%c_S%c_E", digits[i + 1], digits[i + 1]);
	snprintf(name + n, sizeof(name) - n, "Evv");
	check_str(shown(name), "as it is");
	/* it is one, and short enough without the last types */
	strcpy(strstr(name, "S0_IS5_"), "Evv");
#ifdef CTRACE_LIBIBERTY
	check(strstr(shown(name), "A<A<int, int>, A<int, int> >") != NULL);
#endif
	check(clock_ns(CLOCK_MONOTONIC) - start < NSEC_PER_SEC);
}

static void spoilt(void)
{
	static const char *const good[] = {
		"_ZNSt6vectorIiSaIiEE9push_backERKi", "_ZZN3web4mainEvENKUlvE_clEv", "_RNvNtCs1234_7mycrate3foo3bar",
		"_ZN4core5slice29_$LT$impl$u20$$u5b$T$u5d$$GT$4sort17h0123456789abcdefE",
	};
	char name[128], *deep = malloc(100001);

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		for (size_t at = 2; good[i][at]; at++)
			for (int c = 1; c < 256; c++) {
				strcpy(name, good[i]);
				name[at] = (char)c;
				shown(name);
			}
	for (size_t len = 100; len <= 100000; len *= 10) {
		memset(deep, 'P', len);
		memcpy(deep, "_Z1f", 4);
		deep[len] = '\0';
		shown(deep);
		memset(deep, 'N', len);
		memcpy(deep, "_R", 2);
		shown(deep);
	}
	check_str(shown(deep), "as it is");
	free(deep);
	sbuf_free(&b);
}

static const struct ktap_case cases[] = {
	{ "names of C++ and Rust, and others", names },
	{ "a name that stands for gigabytes", explodes },
	{ "spoilt and long names", spoilt },
};
KTAP_MAIN(cases)
