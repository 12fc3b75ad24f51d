// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/compat/copy_name.h: a name is copied while it is changed, once to four times in a row, before each of the
 * reads that the copy consists of. Names are in memory that another name gets as soon as it is free; freed memory has other bytes.
 * The copy is a name that was there, or "?".
 */
#include <string.h>
#include "ktap.h"

#define READ_ONCE(x)	__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define smp_rmb()	__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define min_t(t, a, b)	((t)(a) < (t)(b) ? (t)(a) : (t)(b))
#define CTRACE_COMPAT_CGROUP_NAME	256

static long ctrace_compat_read_kernel(void *to, unsigned long from, size_t n);
#include "compat/copy_name.h"

enum { PLACES = 3, FREED = 0xee };

/* as malloc() would: the last one that was freed is given away first */
static char memory[PLACES][512] __attribute__((aligned(16)));
static int free_places[PLACES], nr_free, offset;
static const char *name;		/* as kn->name */
static const char *const *names;	/* what it becomes */
static int nr_names, now, change_at, changes, reads, widest;
static int refuse_at;			/* this read finds no memory; 0: none */

static void take_place(const char *text)
{
	char *p = memory[free_places[--nr_free]] + offset;

	memset(p, FREED, sizeof(memory[0]) - offset);
	memcpy(p, text, strlen(text) + 1);
	name = p;
}

static void change(void)
{
	const char *was = name;
	int i = (was - &memory[0][0]) / sizeof(memory[0]);

	now = (now + 1) % nr_names;
	take_place(names[now]);
	memset(memory[i], FREED, sizeof(memory[i]));
	free_places[nr_free++] = i;
}

static long ctrace_compat_read_kernel(void *to, unsigned long from, size_t n)
{
	int i;

	reads++;
	if (from / sizeof(long) != (from + n - 1) / sizeof(long))
		widest = 1;
	if (reads == change_at)
		for (i = 0; i < changes; i++)
			change();
	if (reads == refuse_at)
		return -14;
	memcpy(to, (const void *)from, n);
	return 0;
}

static const char *copy(char *buf, int at, int times, int refused)
{
	int i;

	for (i = nr_free = 0; i < PLACES; i++)
		free_places[nr_free++] = i;
	now = reads = widest = 0;
	change_at = at;
	changes = times;
	refuse_at = refused;
	take_place(names[0]);
	memset(buf, 'z', CTRACE_COMPAT_CGROUP_NAME + 1);
	return ctrace_compat_copy_name(&name, buf);
}

static bool known(const char *s)
{
	int i;

	for (i = 0; i < nr_names; i++)
		if (!strcmp(s, names[i]))
			return true;
	return !strcmp(s, "?");
}

static char longest[256], other_long[256];

static void try_all(const char *const *of, int n)
{
	char buf[CTRACE_COMPAT_CGROUP_NAME + 1];
	int at, times, asked = 0, copied = 0, bad = 0, all;
	const char *got;

	names = of;
	nr_names = n;
	for (offset = 0; offset < (int)sizeof(long); offset++) {
		got = copy(buf, 0, 0, 0);
		all = reads;
		bad += strcmp(got, of[0]) || widest || buf[CTRACE_COMPAT_CGROUP_NAME] != 'z';
		for (at = 1; at <= all; at++) {
			for (times = 1; times <= 4; times++) {
				got = copy(buf, at, times, 0);
				bad += !known(got) || widest || buf[CTRACE_COMPAT_CGROUP_NAME] != 'z';
				copied += got == buf;
				asked++;
			}
			bad += strcmp(copy(buf, 0, 0, at), "?");
		}
	}
	printf("# %d of %d copies changed in the middle are names\n", copied, asked);
	check_eq(bad, 0);
}

static void short_names(void)
{
	static const char *const of[] = { "a", "another", "docker" };

	try_all(of, 3);
}

/* Two names take turns, and so do their addresses. */
static void comes_back(void)
{
	static const char *const of[] = { "left", "right" };

	try_all(of, 2);
}

static void long_names(void)
{
	static const char *const of[] = { longest, "short", other_long };

	memset(longest, 'l', 255);
	memset(other_long, 'o', 255);
	try_all(of, 3);
}

static void no_name(void)
{
	char buf[CTRACE_COMPAT_CGROUP_NAME];
	const char *none = NULL;

	check(!strcmp(ctrace_compat_copy_name(&none, buf), ""));
}

static const struct ktap_case cases[] = {
	{ "short_names", short_names },
	{ "comes_back", comes_back },
	{ "long_names", long_names },
	{ "no_name", no_name },
};
KTAP_MAIN(cases)
