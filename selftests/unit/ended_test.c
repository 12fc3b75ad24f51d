// SPDX-License-Identifier: GPL-2.0-only
/* Which thread says that its process ended: one of each, whatever ends in between and at the same time. */
#include <pthread.h>
#include "probe/ended.h"
#include "ktap.h"

void kunit_fail(void) {}

static struct ctrace_ended ended;

static void once(void)
{
	check(ctrace_ended_once(&ended, 7, 100));
	check(!ctrace_ended_once(&ended, 7, 100));
	check(!ctrace_ended_once(&ended, 7, 100));
	/* the number was given to another process */
	check(ctrace_ended_once(&ended, 7, 200));
	check(!ctrace_ended_once(&ended, 7, 200));
}

/* Processes whose numbers are alike, one after the other between two threads of the first. */
static void between(void)
{
	u32 others, i;

	for (others = 1; others <= 3; others++) {
		s64 began = 1000 * others;

		check(ctrace_ended_once(&ended, 9, began));
		for (i = 1; i <= others; i++)
			check(ctrace_ended_once(&ended, 9 + i * CTRACE_ENDED_ROWS, began + i));
		check(!ctrace_ended_once(&ended, 9, began));
		for (i = 1; i <= others; i++)
			check(!ctrace_ended_once(&ended, 9 + i * CTRACE_ENDED_ROWS, began + i));
	}
	/* rows are apart */
	check(ctrace_ended_once(&ended, 10, 5000));
	for (i = 0; i < 16; i++)
		check(ctrace_ended_once(&ended, 11, 6000 + i));
	check(!ctrace_ended_once(&ended, 10, 5000));
}

#define THREADS	4
#define ROUNDS	2000

static pthread_barrier_t start;
static u32 said[ROUNDS];

static void *thread(void *unused)
{
	u32 i;

	for (i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&start);
		if (ctrace_ended_once(&ended, 13, 10000 + i))
			__atomic_fetch_add(&said[i], 1, __ATOMIC_RELAXED);
	}
	return unused;
}

static void at_once(void)
{
	pthread_t t[THREADS];
	u32 i;

	pthread_barrier_init(&start, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		check(!pthread_create(&t[i], NULL, thread, NULL));
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	pthread_barrier_destroy(&start);
	for (i = 0; i < ROUNDS; i++)
		check_eq(said[i], 1);
}

static const struct ktap_case cases[] = {
	{ "once", once },
	{ "others of its row in between", between },
	{ "threads at the same time", at_once },
};

KTAP_MAIN(cases)
