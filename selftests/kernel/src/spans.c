// SPDX-License-Identifier: GPL-2.0-only
/*
 * spans WHAT [N]: waits, runs and sleeps that are known beforehand. Prints the numbers of those who did.
 * Linked statically, so that it runs anywhere.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void pause_ms(long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	/* this very call: the C library may take another */
	while (syscall(SYS_nanosleep, &t, &t))
		;
}

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ll + t.tv_nsec / 1000000;
}

static void spin_ms(long ms)
{
	long long end = now_ms() + ms;

	while (now_ms() < end)
		;
}

static void on_cpu_0(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static pid_t spinner(void)
{
	pid_t pid = fork();

	while (!pid)
		;
	return pid;
}

/* A worker shares CPU 0 with a spinner; it sleeps, yields, spins, plays ping-pong with its parent, and ends. */
static int do_life(int n)
{
	int to[2], from[2], i;
	pid_t spin, pid;
	char c = 0;

	on_cpu_0();
	spin = spinner();
	if (pipe(to) || pipe(from))
		return 1;
	pid = fork();
	if (!pid) {
		for (i = 0; i < n; i++) {
			pause_ms(2);
			sched_yield();
			spin_ms(8);
			if (write(from[1], &c, 1) != 1 || read(to[0], &c, 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	printf("worker=%d\n", pid);
	for (i = 0; i < n; i++)
		if (read(from[0], &c, 1) != 1 || write(to[1], &c, 1) != 1)
			return 1;
	waitpid(pid, NULL, 0);
	kill(spin, SIGKILL);
	fflush(stdout);
	pause_ms(300);
	return 0;
}

/* Two workers and a spinner on CPU 0, for N ms; each prints its /proc/self/schedstat as it ends. */
static int do_load(int n)
{
	char text[128];
	FILE *f;
	int i;

	on_cpu_0();
	for (i = 0; i < 2; i++) {
		if (fork())
			continue;
		for (long long end = now_ms() + n; now_ms() < end;) {
			spin_ms(7);
			pause_ms(1);
		}
		sched_yield();	/* the kernel's account is up to date after a switch */
		f = fopen("/proc/self/schedstat", "r");
		if (!f || !fgets(text, sizeof(text), f))
			_exit(1);
		printf("stat=%d %s", getpid(), text);
		fflush(stdout);
		_exit(0);
	}
	spin_ms(n);
	while (wait(NULL) > 0)
		;
	pause_ms(300);
	return 0;
}

/* The child sleeps by the clock, then in read() until its parent writes. */
static int do_block(int n)
{
	int fd[2], ready[2], i;
	pid_t pid;
	char c = 0;

	if (pipe(fd) || pipe(ready))
		return 1;
	pid = fork();
	if (!pid) {
		for (i = 0; i < n; i++)
			pause_ms(100);
		if (write(ready[1], &c, 1) != 1)
			_exit(1);
		for (i = 0; i < n; i++)
			if (read(fd[0], &c, 1) != 1)
				_exit(1);
		_exit(0);
	}
	printf("sleeper=%d waker=%d nanosleep=%d read=%d pipe=%d\n", pid, getpid(), SYS_nanosleep, SYS_read, fd[0]);
	fflush(stdout);
	if (read(ready[0], &c, 1) != 1)
		return 1;
	pause_ms(500);		/* by now it reads */
	for (i = 0; i < n; i++) {
		if (write(fd[1], &c, 1) != 1)
			return 1;
		pause_ms(200);
	}
	waitpid(pid, NULL, 0);
	pause_ms(300);
	return 0;
}

static void *nothing(void *arg)
{
	return arg;
}

/* N threads that end at once, one after the other. */
static int do_threads(int n)
{
	pthread_t t;

	printf("main=%d\n", getpid());
	fflush(stdout);
	for (int i = 0; i < n; i++)
		if (pthread_create(&t, NULL, nothing, NULL) || pthread_join(t, NULL))
			return 1;
	pause_ms(300);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *what;
		int (*fn)(int n);
	} all[] = {
		{ "life", do_life }, { "load", do_load }, { "block", do_block }, { "threads", do_threads },
	};
	int n = argc > 2 ? atoi(argv[2]) : 1;

	for (size_t i = 0; argc > 1 && i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i].what, argv[1]))
			return all[i].fn(n);
	fprintf(stderr, "usage: spans WHAT [N]\n");
	return 2;
}
