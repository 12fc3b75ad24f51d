// SPDX-License-Identifier: GPL-2.0-only
/*
 * takeover MS COMMAND...: a thread that does not lead the process makes marked calls with the number 1 for MS milliseconds. Then
 * it executes COMMAND, and so gets the leader's tid.
 */
#include <pthread.h>
#include "box.h"

static char **args;

static void *thread(void *arg)
{
	uint64_t end = box_now() + atoi(args[1]) * 1000000ull;

	while (box_now() < end)
		box_mark(1);
	execvp(args[2], args + 2);
	exit(127);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	args = argv;
	if (argc < 3 || pthread_create(&t, NULL, thread, NULL))
		return 2;
	pause();
	return 1;
}
