// SPDX-License-Identifier: GPL-2.0-only
/*
 * counted NUMBER [COUNT [CHILDREN [THREADS]]]: makes COUNT (default 10) marked calls with NUMBER in them. The
 * first of them is main's first call. Each of CHILDREN processes makes as many, and then each of THREADS
 * threads. Linked statically, so that it runs in any container.
 */
#include <pthread.h>
#include "box.h"

static unsigned int number;
static long n;

static void *thread(void *arg)
{
	for (long i = 0; i < n; i++)
		box_mark(number);
	return arg;
}

int main(int argc, char **argv)
{
	int children = argc > 3 ? atoi(argv[3]) : 0, threads = argc > 4 ? atoi(argv[4]) : 0;
	pthread_t t;

	number = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	n = argc > 2 ? atol(argv[2]) : 10;
	for (long i = 0; i < n; i++)
		box_mark(number);
	for (int c = 0; c < children; c++) {
		pid_t pid = fork();

		if (!pid) {
			for (long i = 0; i < n; i++)
				box_mark(number);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	for (int i = 0; i < threads; i++) {
		if (pthread_create(&t, NULL, thread, NULL) || pthread_join(t, NULL))
			return 1;
	}
	return 0;
}
