// SPDX-License-Identifier: GPL-2.0-only
/*
 * counted NUMBER [COUNT [CHILDREN]]: makes COUNT (default 10) marked calls with NUMBER in them. The first
 * of them is main's first call. Each of CHILDREN processes makes as many. Linked statically, so that it
 * runs in any container.
 */
#include "box.h"

int main(int argc, char **argv)
{
	unsigned int number = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	long n = argc > 2 ? atol(argv[2]) : 10;
	int children = argc > 3 ? atoi(argv[3]) : 0;

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
	return 0;
}
