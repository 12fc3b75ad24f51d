// SPDX-License-Identifier: GPL-2.0-only
/*
 * calls N [open]: a loop of getppid(), or of openat() of a path of 16 letters that is not there, in batches
 * of 100; prints the median batch's ns per call.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BATCH 100

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	long batches = (argc > 1 ? atol(argv[1]) : 100000) / BATCH, i, j;
	int64_t *v, began;

	if (batches < 1)
		batches = 1;
	v = calloc(batches, sizeof(*v));
	if (!v)
		return 1;
	for (i = 0; i < batches; i++) {
		began = now();
		if (argc > 2)
			for (j = 0; j < BATCH; j++)
				syscall(SYS_openat, AT_FDCWD, "/ctrace-is-not-x", O_RDONLY);
		else
			for (j = 0; j < BATCH; j++)
				syscall(SYS_getppid);
		v[i] = now() - began;
	}
	qsort(v, batches, sizeof(*v), by_value);
	printf("%.0f\n", (double)v[batches / 2] / BATCH);
	return 0;
}
