// SPDX-License-Identifier: GPL-2.0-only
/* majors FILE N: maps FILE and touches N of its pages, 64 KiB apart. Prints its pid and how many major faults it had. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long n = argc == 3 ? atol(argv[2]) : 0;
	int fd = n > 0 ? open(argv[1], O_RDONLY) : -1;
	struct rusage before, after;
	const volatile char *p;

	if (fd < 0) {
		fprintf(stderr, "usage: majors FILE N\n");
		return 2;
	}
	p = mmap(NULL, n << 16, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED || madvise((void *)p, n << 16, MADV_RANDOM)) {
		perror("majors: mmap");
		return 1;
	}
	getrusage(RUSAGE_SELF, &before);
	for (long i = 0; i < n; i++)
		(void)p[i << 16];
	getrusage(RUSAGE_SELF, &after);
	printf("%d %ld\n", getpid(), after.ru_majflt - before.ru_majflt);
	return 0;
}
