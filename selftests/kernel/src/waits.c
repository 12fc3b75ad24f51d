// SPDX-License-Identifier: GPL-2.0-only
/*
 * waits sleep N MS | spin SECONDS: waits and work that this program times by its own clock.
 *
 *	sleep	sleeps N times for MS; then waits N times for a lock that another thread holds for MS. Prints
 *		"slept=NS waited=NS": what nanosleep() and futex() took
 *	spin	works three times as long in three_parts() as in one_part(). Prints "three=NS one=NS": CPU time
 *
 * Linked statically, so that it runs anywhere.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define plain	__attribute__((noinline, noclone))

static long long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* This very call: the C library may take another. */
static long long sleep_ms(long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	long long from = now(CLOCK_MONOTONIC);

	while (syscall(SYS_nanosleep, &t, &t))
		;
	return now(CLOCK_MONOTONIC) - from;
}

/* 0: free, 1: held. The waiter sleeps in futex() alone. */
static int held;
static long hold_ms;
static int rounds;

static void *holder(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
			usleep(1000);
		usleep((useconds_t)hold_ms * 1000);
		__atomic_store_n(&held, 0, __ATOMIC_RELEASE);
		syscall(SYS_futex, &held, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
	return arg;
}

static int do_sleep(int n, long ms)
{
	long long slept = 0, waited = 0, from;
	pthread_t other;

	for (int i = 0; i < n; i++)
		slept += sleep_ms(ms);
	hold_ms = ms;
	rounds = n;
	if (pthread_create(&other, NULL, holder, NULL))
		return 1;
	for (int i = 0; i < n; i++) {
		__atomic_store_n(&held, 1, __ATOMIC_RELEASE);
		from = now(CLOCK_MONOTONIC);
		while (__atomic_load_n(&held, __ATOMIC_ACQUIRE))
			syscall(SYS_futex, &held, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
		waited += now(CLOCK_MONOTONIC) - from;
	}
	pthread_join(other, NULL);
	printf("slept=%lld waited=%lld\n", slept, waited);
	return 0;
}

static volatile unsigned long work;

plain static void three_parts(unsigned long n)
{
	for (unsigned long i = 0; i < 3 * n; i++)
		work += i;
}

plain static void one_part(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		work += i;
}

plain static int do_spin(double seconds)
{
	long long end = now(CLOCK_MONOTONIC) + (long long)(seconds * 1e9), three = 0, one = 0, from, between;

	while (now(CLOCK_MONOTONIC) < end) {
		from = now(CLOCK_THREAD_CPUTIME_ID);
		three_parts(1000000);
		between = now(CLOCK_THREAD_CPUTIME_ID);
		one_part(1000000);
		three += between - from;
		one += now(CLOCK_THREAD_CPUTIME_ID) - between;
	}
	printf("three=%lld one=%lld\n", three, one);
	return 0;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 4 && !strcmp(argv[1], "sleep"))
		return do_sleep(atoi(argv[2]), atol(argv[3]));
	if (argc == 3 && !strcmp(argv[1], "spin"))
		return do_spin(atof(argv[2]));
	return 2;
}
