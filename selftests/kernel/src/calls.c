// SPDX-License-Identifier: GPL-2.0-only
/*
 * calls [-v] [-r RATE] N [KIND]: makes N calls of one kind, in batches; prints the median batch's ns per call.
 *
 *	getppid		(default)
 *	open		openat() of a path of 16 letters that does not exist
 *	openclose	openat() of /dev/null, and close()
 *	connect		connect() of a UDP socket to 127.0.0.1
 *	write		write() of 64 bytes to /dev/null
 *	exec		execve() of a file that does not exist, with three arguments
 *	pingpong	a byte to another process and back: four calls, two of them in this process
 *	fault		the first write to a page of memory
 *	request		pread() of 4 kB of the disk /dev/nullb0, past the page cache
 *	packet		64 bytes to oneself by UDP: send() and recv()
 *	none		no call at all
 *
 *	-r RATE		at most RATE calls a second
 *	-v		prints three numbers: that median, the ns for all, how many calls they are (fault: none)
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BATCH 100
#define FEW 10		/* of calls that take long: else the timer's interrupt would come within most batches */
#define PAGE 4096

static int to[2], from[2], fd;

static void getppids(void)
{
	for (int j = 0; j < BATCH; j++)
		syscall(SYS_getppid);
}

static void opens(void)
{
	for (int j = 0; j < BATCH; j++)
		syscall(SYS_openat, AT_FDCWD, "/ctrace-is-not-x", O_RDONLY);
}

static void opens_and_closes(void)
{
	for (int j = 0; j < BATCH; j++)
		syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY));
}

static void connects(void)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};

	for (int j = 0; j < BATCH; j++)
		syscall(SYS_connect, fd, &a, sizeof(a));
}

static void writes(void)
{
	static const char text[64];

	for (int j = 0; j < BATCH; j++)
		syscall(SYS_write, fd, text, sizeof(text));
}

static void execs(void)
{
	static char *const argv[] = { "nothing", "one", "two", NULL }, *const env[] = { NULL };

	for (int j = 0; j < BATCH; j++)
		syscall(SYS_execve, "/ctrace-is-not-x", argv, env);
}

static void pings(void)
{
	char c = 0;

	for (int j = 0; j < FEW; j++)
		if (write(to[1], &c, 1) != 1 || read(from[0], &c, 1) != 1)
			exit(1);
}

static void faults(void)
{
	char *p = mmap(NULL, BATCH * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	for (int j = 0; j < BATCH; j++)
		*(volatile char *)(p + j * PAGE) = 1;
	munmap(p, BATCH * PAGE);
}

static void requests(void)
{
	static char block[PAGE] __attribute__((aligned(PAGE)));

	for (int j = 0; j < FEW; j++)
		if (pread(fd, block, PAGE, (off_t)j * PAGE) != PAGE)
			exit(1);
}

static void packets(void)
{
	char text[64] = "";

	for (int j = 0; j < FEW; j++)
		if (send(fd, text, sizeof(text), 0) != sizeof(text) || recv(fd, text, sizeof(text), 0) != sizeof(text))
			exit(1);
}

static void none(void)
{
	for (int j = 0; j < BATCH; j++)
		__asm__ volatile("" ::: "memory");
}

static const struct kind {
	const char *name;
	void (*batch)(void);
	int calls, of;	/* system calls of each; how many are a batch */
} kinds[] = {
	{ "getppid", getppids, 1, BATCH },
	{ "open", opens, 1, BATCH },
	{ "openclose", opens_and_closes, 2, BATCH },
	{ "connect", connects, 1, BATCH },
	{ "write", writes, 1, BATCH },
	{ "exec", execs, 1, BATCH },
	{ "pingpong", pings, 4, FEW },
	{ "fault", faults, 0, BATCH },
	{ "request", requests, 1, FEW },
	{ "packet", packets, 2, FEW },
	{ "none", none, 0, BATCH },
};

/* The other end of pingpong. Runs until our end closes. */
static int echo(void)
{
	char c;

	if (pipe(to) || pipe(from))
		return -1;
	if (fork())
		return 0;
	close(to[1]);
	while (read(to[0], &c, 1) == 1)
		if (write(from[1], &c, 1) != 1)
			break;
	_exit(0);
}

/* A socket that sends to itself. */
static int mirror(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int s = socket(AF_INET, SOCK_DGRAM, 0);

	if (s < 0 || bind(s, (struct sockaddr *)&a, len) || getsockname(s, (struct sockaddr *)&a, &len) ||
	    connect(s, (struct sockaddr *)&a, len))
		return -1;
	return s;
}

/* What a kind needs before its first call. */
static int prepare(const struct kind *k)
{
	if (k->batch == connects)
		fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (k->batch == writes)
		fd = open("/dev/null", O_WRONLY);
	if (k->batch == requests)
		fd = open("/dev/nullb0", O_RDONLY | O_DIRECT);
	if (k->batch == packets)
		fd = mirror();
	return fd < 0 || (k->batch == pings && echo());
}

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
	const struct kind *k = kinds;
	int64_t *v, began, start, all;
	long batches, i;
	double rate = 0;
	int o, verbose = 0;

	while ((o = getopt(argc, argv, "+vr:")) != -1) {
		if (o == 'v')
			verbose = 1;
		else if (o == 'r')
			rate = atof(optarg);
		else
			return 2;
	}
	if (optind + 1 < argc)
		while (strcmp(k->name, argv[optind + 1]))
			if (++k == kinds + sizeof(kinds) / sizeof(*kinds))
				return 2;
	batches = (optind < argc ? atol(argv[optind]) : 100000) / k->of;
	if (batches < 1)
		batches = 1;
	v = calloc(batches, sizeof(*v));
	if (!v || prepare(k))
		return 1;
	/* touch the array's pages before time is measured */
	for (i = 0; i < batches; i++)
		v[i] = 1;
	start = now();
	for (i = 0; i < batches; i++) {
		began = now();
		k->batch();
		v[i] = now() - began;
		/* reading the clock is no system call */
		while (rate && now() < start + (int64_t)((i + 1) * (k->of * 1e9 / rate)))
			;
	}
	all = now() - start;
	if (k->batch == pings) {
		close(to[1]);
		wait(NULL);
	}
	qsort(v, batches, sizeof(*v), by_value);
	printf("%.0f", (double)v[batches / 2] / k->of);
	if (verbose)
		printf(" %lld %ld", (long long)all, batches * k->of * k->calls);
	putchar('\n');
	return 0;
}
