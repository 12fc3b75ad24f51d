// SPDX-License-Identifier: GPL-2.0-only
/*
 * ends WHAT: processes that end, or get another parent, in ways that are not the usual one. Prints what
 * wait() says of them, and what they say of themselves. Linked statically, so that it runs anywhere.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char *self;

static void ms(long n)
{
	usleep((useconds_t)n * 1000);
}

/* The same program, which ends with this code. */
static void become(const char *code)
{
	execl("/proc/self/exe", self, "code", code, NULL);
	_exit(99);
}

static void *exits_later(void *arg)
{
	(void)arg;
	ms(600);
	exit(3);
}

/* main() ends, as if it were any other thread; another one ends the process. */
static void first_goes(void)
{
	pthread_t t;

	pthread_create(&t, NULL, exits_later, NULL);
	pthread_exit(NULL);
}

static void *goes_later(void *arg)
{
	(void)arg;
	ms(600);
	syscall(SYS_exit, 0);
	return NULL;
}

/* Threads that end one by one, none for all: before 5.19 the first one's code counts, then the last one's. */
static void one_by_one(void)
{
	pthread_t t;

	pthread_create(&t, NULL, goes_later, NULL);
	syscall(SYS_exit, 6);
}

static void *executes(void *arg)
{
	(void)arg;
	become("5");
	return NULL;
}

/* A thread that is not the first executes a program, and takes its place. */
static void other_execs(void)
{
	pthread_t t;

	pthread_create(&t, NULL, executes, NULL);
	pause();
}

static void *waits(void *arg)
{
	pthread_barrier_wait(arg);
	return NULL;
}

/* Threads that all end at once, each by itself; then the first. */
static void together(void)
{
	pthread_barrier_t all;
	pthread_attr_t a;
	pthread_t t;
	int n = 16;

	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	pthread_barrier_init(&all, NULL, n + 1);
	for (int i = 0; i < n; i++)
		pthread_create(&t, &a, waits, &all);
	pthread_barrier_wait(&all);
	syscall(SYS_exit, 0);
}

/* And by exit(), which ends all of them. */
static void for_all(void)
{
	pthread_t t;

	for (int i = 0; i < 16; i++)
		pthread_create(&t, NULL, exits_later, NULL);
	ms(20);
	exit(4);
}

static void killed(void)
{
	pthread_t t;

	pthread_create(&t, NULL, exits_later, NULL);
	kill(getpid(), SIGTERM);
	pause();
}

/* This process's child with the caller's parent, as runc makes a container's init. */
static void sibling(void)
{
	if (!syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)) {
		printf("beside pid=%d ppid=%d\n", getpid(), getppid());
		fflush(stdout);
		become("7");
	}
	_exit(0);
}

/* A child whose parent ends before it executes a program. */
static void orphan(void)
{
	pid_t was = getpid();

	if (!fork()) {
		while (getppid() == was)
			ms(1);
		printf("alone pid=%d ppid=%d\n", getpid(), getppid());
		fflush(stdout);
		become("8");
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*fn)(void); int times; } what[] = {
		{ "first-goes", first_goes, 1 }, { "one-by-one", one_by_one, 1 }, { "other-execs", other_execs, 1 },
		{ "together", together, 30 }, { "for-all", for_all, 30 }, { "killed", killed, 1 },
		{ "sibling", sibling, 1 }, { "orphan", orphan, 1 },
	};
	int status, open[2];
	pid_t pid;
	char c;

	self = argv[0];
	if (argc > 2 && !strcmp(argv[1], "code"))
		return atoi(argv[2]);
	if (pipe(open))
		return 1;
	for (size_t i = 0; i < sizeof(what) / sizeof(*what); i++) {
		for (int n = 0; n < what[i].times; n++) {
			pid_t child = fork();

			if (!child)
				what[i].fn();
			/* a sibling is this process's child, too */
			while ((pid = waitpid(-1, &status, 0)) > 0)
				printf("%s pid=%d status=%d\n", pid == child ? what[i].name : "other", pid, status);
			fflush(stdout);
		}
	}
	/* the orphan has ended */
	close(open[1]);
	return read(open[0], &c, 1) != 0;
}
