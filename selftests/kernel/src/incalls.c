// SPDX-License-Identifier: GPL-2.0-only
/*
 * incalls WHAT: makes calls whose duration, number or end a test knows, and prints what the test needs to compare.
 *
 *	sleeps		nanosleep of 50, 150, 400 and 600 ms among fast calls: prints "MS REQUEST NS" for each, with the
 *			address of its request and how long it took, seen from outside
 *	crowd N		N threads at once in readv() of an empty pipe, which then ends for all of them
 *	traced N	the same, while another process traces all of them
 *	ends N		N threads, one after the other, that end at once
 *	exec		a thread that is not its process's first one executes `incalls none`
 *	signal		a signal handler returns
 *	none		nothing
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static int sleeps(void)
{
	static struct timespec request[] = {
		{ .tv_nsec = 50000000 }, { .tv_nsec = 150000000 }, { .tv_nsec = 400000000 },
		{ .tv_nsec = 600000000 },
	};
	uint64_t began;

	for (int i = 0; i < 4; i++) {
		for (int j = 0; j < 500; j++)
			syscall(SYS_getppid);
		began = now();
		syscall(SYS_nanosleep, &request[i], NULL);
		printf("%ld %p %" PRIu64 "\n", request[i].tv_nsec / 1000000, (void *)&request[i],
		       now() - began);
	}
	return 0;
}

static int start[2], end[2];
static int there;

static void *wait_for_end(void *arg)
{
	char c;
	struct iovec v = { .iov_base = &c, .iov_len = 1 };

	(void)arg;
	__atomic_add_fetch(&there, 1, __ATOMIC_SEQ_CST);
	/* asleep until the pipe's end: a thousand that look again and again keep a slow machine busy for minutes */
	while (read(start[0], &c, 1) > 0)
		;
	syscall(SYS_readv, end[0], &v, 1);
	return NULL;
}

/* Traces all threads of its parent, says so, and goes when the parent has closed its end of bye. */
static void trace_parent(int ready, int bye)
{
	char path[64], c = 0;
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", getppid());
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.' && ptrace(PTRACE_SEIZE, atoi(e->d_name), 0, 0))
			c = 1;
	if (write(ready, &c, 1) == 1)
		while (read(bye, &c, 1) > 0)
			;
	_exit(0);
}

static int crowd(int n, int traced)
{
	pthread_t *t = calloc(n, sizeof(*t));
	int ready[2], bye[2];
	pthread_attr_t a;
	char c = 0;
	int i;

	if (!t || pipe(start) || pipe(end))
		return 1;
	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 32768);
	for (i = 0; i < n; i++)
		if (pthread_create(&t[i], &a, wait_for_end, NULL))
			break;
	while (__atomic_load_n(&there, __ATOMIC_SEQ_CST) < i)
		usleep(10000);
	if (traced) {
		if (pipe(ready) || pipe(bye))
			return 1;
		if (!fork()) {
			close(start[1]);
			close(end[1]);
			close(bye[1]);
			trace_parent(ready[1], bye[0]);
		}
		if (read(ready[0], &c, 1) != 1 || c)
			return 1;
	}
	close(start[1]);
	usleep(500000);		/* the last of them may still be on their way into the call */
	close(end[1]);
	for (n = i; i--; )
		pthread_join(t[i], NULL);
	if (traced) {
		close(bye[1]);
		wait(NULL);
	}
	printf("made %d\n", n);
	return 0;
}

static void *nothing(void *arg)
{
	return arg;
}

static int ends(int n)
{
	pthread_t t;

	while (n-- && !pthread_create(&t, NULL, nothing, NULL))
		pthread_join(t, NULL);
	return n != -1;
}

static void *execute(void *arg)
{
	execl("/proc/self/exe", arg, "none", NULL);
	return NULL;
}

static int exec_by_thread(char *name)
{
	pthread_t t;

	if (!pthread_create(&t, NULL, execute, name))
		pthread_join(t, NULL);
	return 1;
}

static void on_signal(int sig)
{
	(void)sig;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(what, "sleeps"))
		return sleeps();
	if (!strcmp(what, "crowd") || !strcmp(what, "traced"))
		return crowd(n, *what == 't');
	if (!strcmp(what, "ends"))
		return ends(n);
	if (!strcmp(what, "exec"))
		return exec_by_thread(argv[0]);
	if (!strcmp(what, "signal")) {
		signal(SIGUSR1, on_signal);
		return raise(SIGUSR1);
	}
	return strcmp(what, "none") ? 2 : 0;
}
