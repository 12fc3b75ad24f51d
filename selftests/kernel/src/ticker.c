// SPDX-License-Identifier: GPL-2.0-only
/*
 * ticker MS NUMBER [COUNT]: makes COUNT (default 1) marked calls with NUMBER in them, every MS milliseconds, until it is
 * killed. A shell that runs counted and sleep in a loop does the same, but in an emulated guest the two programs that it
 * starts each time take most of a processor. Linked statically, so that it runs in any container.
 */
#include "box.h"

int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 0, count = argc > 3 ? atol(argv[3]) : 1;
	struct timespec pause = { ms / 1000, ms % 1000 * 1000000 };

	if (argc < 3 || ms <= 0)
		return 2;
	for (;;) {
		for (long i = 0; i < count; i++)
			box_mark(strtoul(argv[2], NULL, 0));
		nanosleep(&pause, NULL);
	}
}
