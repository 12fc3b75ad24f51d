// SPDX-License-Identifier: GPL-2.0-only
/*
 * cause WHAT [N]: makes the kernel do one thing N times, and prints the numbers that its events must show.
 * Linked statically, so that it runs anywhere.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/vm_sockets.h>
#include "newer.h"

static void pause_ms(long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	while (nanosleep(&t, &t))
		;
}

/* Makes children that end at once, and waits for each by number. Then gives the kernel time to free them. */
static int do_forks(int n)
{
	printf("parent=%d\n", getpid());
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
		printf("child=%d\n", pid);
	}
	fflush(stdout);
	pause_ms(1000);
	return 0;
}

/* Moves back and forth between CPU 0 and CPU 1. */
static int do_migrate(int n)
{
	cpu_set_t set;

	printf("pid=%d\n", getpid());
	for (int i = 0; i < n; i++) {
		CPU_ZERO(&set);
		CPU_SET(i % 2, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			return 1;
	}
	return 0;
}

static int do_spin(int ms)
{
	struct timespec a, b;

	printf("pid=%d\n", getpid());
	fflush(stdout);
	clock_gettime(CLOCK_MONOTONIC, &a);
	do {
		clock_gettime(CLOCK_MONOTONIC, &b);
	} while ((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 < ms);
	return 0;
}

/* Touches N fresh pages in the program, and has the kernel touch N others on its behalf. */
static int do_touch(int n)
{
	long page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open("/proc/self/stat", O_RDONLY);

	madvise(p, 2 * n * page, MADV_NOHUGEPAGE);
	printf("pid=%d user=%#lx kernel=%#lx\n", getpid(), (long)p, (long)(p + n * page));
	for (int i = 0; i < n; i++)
		p[i * page] = 1;
	for (int i = 0; i < n; i++)
		if (pread(fd, p + (n + i) * page + 8, 1, 0) != 1)
			return 1;
	return 0;
}

/* Takes more memory than there is. */
static int do_hog(int mb)
{
	printf("pid=%d\n", getpid());
	fflush(stdout);
	for (int i = 0; i < mb; i++) {
		char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			return 1;
		memset(p, 1, 1 << 20);
	}
	return 0;
}

static volatile sig_atomic_t got;
static void on_signal(int sig)
{
	(void)sig;
	got++;
}

static pthread_mutex_t lock;

static void *take(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

/* Holds a lock that a thread of real-time priority 10 waits for, and so gets its priority. */
static int do_inherit(int n)
{
	const struct sched_param param = { .sched_priority = 10 };
	pthread_mutexattr_t mutex;
	pthread_attr_t attr;
	pthread_t thread;

	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setprotocol(&mutex, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&lock, &mutex);
	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
	pthread_attr_setschedparam(&attr, &param);
	printf("pid=%d\n", getpid());
	for (int i = 0; i < n; i++) {
		pthread_mutex_lock(&lock);
		if (pthread_create(&thread, &attr, take, NULL))
			return 1;
		pause_ms(50);
		pthread_mutex_unlock(&lock);
		pthread_join(thread, NULL);
	}
	return 0;
}

static int do_itimer(int n)
{
	struct itimerval v = { .it_interval.tv_usec = 20000, .it_value.tv_usec = 20000 };
	struct sigaction sa = { .sa_handler = on_signal };

	printf("pid=%d\n", getpid());
	fflush(stdout);
	sigaction(SIGALRM, &sa, NULL);
	v.it_interval.tv_usec = 0;
	for (int i = 0; i < n; i++) {
		setitimer(ITIMER_REAL, &v, NULL);
		while (got <= i)
			pause_ms(5);
	}
	return 0;
}

/* Sends a signal to a child of its own, then waits for one from elsewhere. */
static int do_signals(int n)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	pid_t pid;

	(void)n;
	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGUSR2, &sa, NULL);
	pid = fork();
	if (!pid) {
		while (!got)
			pause_ms(5);
		_exit(0);
	}
	printf("handler=%#lx child=%d\n", (long)on_signal, pid);
	fflush(stdout);
	kill(pid, SIGUSR1);
	waitpid(pid, NULL, 0);
	while (!got)
		pause_ms(5);
	return 0;
}

/* Sends datagrams to itself. A task raises the soft interrupt that receives them. */
static int do_udp(int n)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	char c = 'x';

	if (bind(s, (struct sockaddr *)&a, len) || getsockname(s, (struct sockaddr *)&a, &len))
		return 1;
	printf("pid=%d\n", getpid());
	fflush(stdout);
	for (int i = 0; i < n; i++)
		if (sendto(s, &c, 1, 0, (struct sockaddr *)&a, len) != 1 || recv(s, &c, 1, 0) != 1)
			return 1;
	return 0;
}

/* Nobody listens, so the connection is refused. Packets were made all the same. */
static int do_vsock(int n)
{
	struct sockaddr_vm a = { .svm_family = AF_VSOCK, .svm_cid = NEWER_VMADDR_CID_LOCAL, .svm_port = 4711 };

	printf("pid=%d\n", getpid());
	for (int i = 0; i < n; i++) {
		int s = socket(AF_VSOCK, SOCK_STREAM, 0);

		if (s < 0)
			return 4;
		if (!connect(s, (struct sockaddr *)&a, sizeof(a)))
			return 1;
		close(s);
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct { const char *name; int (*fn)(int n); } what[] = {
		{ "forks", do_forks }, { "migrate", do_migrate }, { "spin", do_spin },
		{ "touch", do_touch }, { "hog", do_hog }, { "itimer", do_itimer }, { "inherit", do_inherit },
		{ "signals", do_signals }, { "udp", do_udp }, { "vsock", do_vsock },
	};

	for (size_t i = 0; argc > 1 && i < sizeof(what) / sizeof(*what); i++)
		if (!strcmp(argv[1], what[i].name))
			return what[i].fn(argc > 2 ? atoi(argv[2]) : 1);
	fprintf(stderr, "cause: what?\n");
	return 2;
}
