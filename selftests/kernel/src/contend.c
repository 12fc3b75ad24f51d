// SPDX-License-Identifier: GPL-2.0-only
/*
 * contend FIFO THREADS ROUNDS: threads that want the same locks of the kernel. For each line that FIFO gives, THREADS threads
 * do ROUNDS of this, and end:
 *
 *	map 1 MiB, touch each page, unmap it	the lock of the process's memory: a rwsem, which faults read, and the calls write
 *	write 64 KiB to one file		the lock of its inode: a rwsem
 *	write 32 pages to one pipe		the pipe's mutex; the first thread reads
 *
 * Then it prints "done N", N being the number of lines.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS	64
#define MAPPED	(1ul << 20)
#define PAGE	4096ul
#define WRITTEN	(16 * PAGE)
#define PIPED	32		/* pages */

static int file, ends[2], rounds;
static char data[WRITTEN];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void *contend(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		volatile char *p = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			die("contend: mmap");
		/* a page each, not one fault for all of them */
		madvise((void *)p, MAPPED, MADV_NOHUGEPAGE);
		for (size_t at = 0; at < MAPPED; at += PAGE)
			p[at] = 1;
		if (munmap((void *)p, MAPPED) || pwrite(file, data, WRITTEN, 0) != WRITTEN)
			die("contend");
		for (int k = 0; k < PIPED; k++)
			if (write(ends[1], data, PAGE) != PAGE)
				die("contend: pipe");
	}
	return arg;
}

static void run(int n)
{
	static char got[WRITTEN];
	size_t all = (size_t)n * (size_t)rounds * PIPED * PAGE;
	pthread_t threads[THREADS];
	ssize_t len;

	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, contend, NULL))
			die("contend: no thread");
	while (all) {
		len = read(ends[0], got, sizeof(got));
		if (len <= 0)
			die("contend: read");
		all -= (size_t)len;
	}
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	int threads = argc == 4 ? atoi(argv[2]) : 0;
	char line[16];
	FILE *lines;

	rounds = threads > 0 && threads <= THREADS ? atoi(argv[3]) : 0;
	if (rounds <= 0) {
		fprintf(stderr, "usage: contend FIFO THREADS ROUNDS\n");
		return 2;
	}
	file = (int)syscall(SYS_memfd_create, "contend", 0);
	/* read and write: so it never ends */
	lines = fopen(argv[1], "r+");
	if (file < 0 || pipe(ends) || !lines)
		die("contend");
	for (int n = 1; fgets(line, sizeof(line), lines); n++) {
		run(threads);
		printf("done %d\n", n);
		fflush(stdout);
	}
	return 0;
}
