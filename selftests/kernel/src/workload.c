// SPDX-License-Identifier: GPL-2.0-only
/*
 * workload WHAT [ARGUMENT]...: is slow for one known reason, until it is killed. For 16_views/verdicts.
 *
 *	spin [RUN_MS SLEEP_MS]		runs; or runs and sleeps in turns
 *	mutex THREADS HOLD_MS		each takes the same lock, and runs with it
 *	pool THREADS [spin]		threads that wait for work at a condition variable; the first one gives some each
 *					100 ms, or runs
 *	serve PORT DELAY_MS RUN_MS	answers each request after so long
 *	ask PORT RUN_MS SLEEP_MS	asks, waits for the answer, runs, sleeps, and again
 *	poll				waits for a descriptor that nobody writes to
 *	direct FILE RUN_MS		reads without the page cache
 *	append FILE			writes large pieces to the end of a file
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static long run_ms, sleep_ms, delay_ms;
static const char *what;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;

static long long thread_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000ll + t.tv_nsec / 1000;
}

/* Runs for so long, by its own time on a CPU. */
static void run_for(long ms)
{
	long long end = thread_us() + ms * 1000;

	while (thread_us() < end)
		;
}

static void sleep_for(long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	if (ms)
		nanosleep(&t, NULL);
}

static void fail(const char *call)
{
	perror(call);
	exit(1);
}

static void *hold(void *arg)
{
	(void)arg;
	for (;;) {
		pthread_mutex_lock(&lock);
		run_for(run_ms);
		/* asleep with the lock, so that another thread is the next to ask for it */
		sleep_for(sleep_ms);
		pthread_mutex_unlock(&lock);
		sched_yield();
	}
	return NULL;
}

static void *wait_for_work(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	for (;;) {
		pthread_cond_wait(&work, &lock);
		pthread_mutex_unlock(&lock);
		run_for(1);
		pthread_mutex_lock(&lock);
	}
	return NULL;
}

static void start(void *(*fn)(void *), long n, void *arg)
{
	pthread_t t;

	while (n-- > 0)
		if (pthread_create(&t, NULL, fn, arg))
			fail("pthread_create");
}

static void *answer(void *arg)
{
	int fd = (int)(long)arg;
	char c;

	while (read(fd, &c, 1) == 1) {
		sleep_for(delay_ms);
		run_for(run_ms);
		if (write(fd, &c, 1) != 1)
			break;
	}
	close(fd);
	return NULL;
}

static struct sockaddr_in local(const char *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(port)) };

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return a;
}

static void serve(const char *port)
{
	struct sockaddr_in a = local(port);
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1, c;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, 16))
		fail("bind, listen");
	while ((c = accept(fd, NULL, NULL)) >= 0)
		start(answer, 1, (void *)(long)c);
	fail("accept");
}

static void ask(const char *port)
{
	struct sockaddr_in a = local(port);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char c = 'x';

	while (connect(fd, (struct sockaddr *)&a, sizeof(a)))
		sleep_for(50);
	for (;;) {
		if (send(fd, &c, 1, 0) != 1 || recv(fd, &c, 1, 0) != 1)
			fail("send, recv");
		run_for(run_ms);
		sleep_for(sleep_ms);
	}
}

static void read_direct(const char *file)
{
	int fd = open(file, O_RDONLY | O_DIRECT);
	void *page;

	if (fd < 0 || posix_memalign(&page, 4096, 4096))
		fail(file);
	for (;;) {
		if (pread(fd, page, 4096, 0) < 0)
			fail("pread");
		run_for(run_ms);
	}
}

static void append(const char *file)
{
	const size_t n = 32 << 20;
	char *piece = calloc(1, n);
	int fd = open(file, O_WRONLY | O_CREAT | O_APPEND, 0600);

	if (fd < 0 || !piece)
		fail(file);
	for (;;) {
		if (write(fd, piece, n) < 0 || ftruncate(fd, 0))
			fail("write");
	}
}

static long number(int argc, char **argv, int i)
{
	return i < argc ? atol(argv[i]) : 0;
}

int main(int argc, char **argv)
{
	int ends[2];

	what = argc > 1 ? argv[1] : "";
	if (!strcmp(what, "spin")) {
		run_ms = argc > 2 ? number(argc, argv, 2) : 1000;
		for (;; sleep_for(number(argc, argv, 3)))
			run_for(run_ms);
	} else if (!strcmp(what, "mutex")) {
		sleep_ms = number(argc, argv, 3);
		start(hold, number(argc, argv, 2), NULL);
		pause();
	} else if (!strcmp(what, "pool")) {
		start(wait_for_work, number(argc, argv, 2), NULL);
		for (;; sleep_for(100)) {
			if (argc > 3)
				run_for(100000);
			pthread_cond_signal(&work);
		}
	} else if (!strcmp(what, "serve") && argc > 2) {
		delay_ms = number(argc, argv, 3);
		run_ms = number(argc, argv, 4);
		serve(argv[2]);
	} else if (!strcmp(what, "ask") && argc > 2) {
		run_ms = number(argc, argv, 3);
		sleep_ms = number(argc, argv, 4);
		ask(argv[2]);
	} else if (!strcmp(what, "poll")) {
		if (pipe(ends))
			fail("pipe");
		poll(&(struct pollfd){ .fd = ends[0], .events = POLLIN }, 1, -1);
	} else if (!strcmp(what, "direct") && argc > 2) {
		run_ms = number(argc, argv, 3);
		read_direct(argv[2]);
	} else if (!strcmp(what, "append") && argc > 2) {
		append(argv[2]);
	}
	fprintf(stderr, "workload: see the head of workload.c\n");
	return 2;
}
