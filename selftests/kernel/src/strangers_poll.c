// SPDX-License-Identifier: GPL-2.0-only
/*
 * strangers_poll SECONDS VIEWS: what a holder costs others by waiting, and by not waiting. Nobody polls his
 * view in a loop, alone, with thousands of copies of it in one epoll, and while he copies and closes it. His
 * container rests; a neighbour works on another processor. It must make as many calls a second as
 * before, and no interrupt of ours must come for each record. So many views of containers that rest, each
 * with a process that waits, must not be woken for the neighbour.
 */
#include "stranger_hold.h"
#include "proc_counts.h"
#include <sys/epoll.h>

/* A session's timer wakes its readers 200 times a second; here is room for other work of the kernel. */
#define MOST_INTERRUPTS	2000

static int seconds, nviews;

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static int neighbour_init(void *arg)
{
	pin(0);
	return worker_init(arg);
}

struct cost { double calls, works; };

/* The neighbour works for a while: how many calls a second, and how many IRQ works. */
static struct cost measure(struct worker *neighbour)
{
	uint64_t began = box_now(), calls = 0, now;
	long works = proc_irq_works();
	struct cost c;

	do {
		worker_make(neighbour, 2000);
		calls += 2000;
		now = box_now();
	} while (now - began < seconds * 1000000000ull);
	c.calls = calls * 1e9 / (now - began);
	c.works = works < 0 ? 0 : (proc_irq_works() - works) * 1e9 / (now - began);
	return c;
}

/* How often the holders have asked, in shared memory. */
static unsigned long *asked;

/* --- the holders ---------------------------------------------------------------------- */

static void in_a_loop(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	for (;; ++*asked)
		poll(&p, 1, 0);
}

/* As many copies of the descriptor as he may have, in one epoll. */
static int crowd(int fd)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int ep = epoll_create1(0), n = 0, copy;

	for (; n < 8000; n++) {
		copy = dup(fd);
		if (copy < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, copy, &ev))
			break;
	}
	return ep;
}

static void in_epoll(int fd)
{
	struct epoll_event ev[64];
	int ep = crowd(fd);

	for (;; ++*asked)
		epoll_wait(ep, ev, 64, 0);
}

static void in_epoll_waiting(int fd)
{
	struct epoll_event ev[64];
	int ep = crowd(fd);

	for (;; ++*asked)
		epoll_wait(ep, ev, 64, -1);
}

static void copying(int fd)
{
	struct pollfd p[512];
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };

	for (;; ++*asked) {
		int ep = epoll_create1(0);

		for (int i = 0; i < 512; i++) {
			p[i] = (struct pollfd){ .fd = dup(fd), .events = POLLIN };
			epoll_ctl(ep, EPOLL_CTL_ADD, p[i].fd, &ev);
		}
		poll(p, 512, 0);
		epoll_wait(ep, &ev, 1, 0);
		for (int i = 0; i < 512; i++)
			close(p[i].fd);
		close(ep);
	}
}

static void reading(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char buf[4096];

	fcntl(fd, F_SETFL, O_NONBLOCK);
	for (;; ++*asked) {
		if (read(fd, buf, sizeof(buf)) < 0)
			poll(&p, 1, 0);
	}
}

/* He asks for nothing. */
static void computing(int fd)
{
	(void)fd;
	for (;; ++*asked)
		;
}

static pid_t stranger(void (*does)(int fd), int fd)
{
	struct rlimit many = { 1 << 14, 1 << 14 };
	pid_t pid = fork();

	if (pid)
		return pid;
	setrlimit(RLIMIT_NOFILE, &many);
	close(dev_genl.fd);
	stranger_nobody();
	pin(sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 1 : 0);
	does(fd);
	_exit(0);
}

/*
 * The neighbour's calls a second beside one who computes. That is what a storm is compared with: on a busy host, the
 * emulator's processors share one, and whatever runs on the other takes half of the neighbour's time.
 */
static double beside_computing(struct worker *neighbour, int fd)
{
	pid_t pid = stranger(computing, fd);
	double calls = measure(neighbour).calls;

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return calls;
}

static void stormed(const char *what, void (*does)(int fd), const struct worker *mine, struct worker *neighbour,
		    struct cost alone)
{
	struct cost c;
	double other;
	size_t size;
	pid_t pid;
	int fd = stranger_view(dev_session, mine->cid, NULL, &size);

	if (fd < 0)
		ksft_exit_fail_msg("no view: %s\n", strerror(-fd));
	pid = stranger(does, fd);
	usleep(500000);
	*asked = 0;
	c = measure(neighbour);
	ksft_test_result(c.works <= alone.works + MOST_INTERRUPTS && !waitpid(pid, NULL, WNOHANG),
			 "%s: %.0f IRQ works a second, %.0f without; he asked %lu times\n", what, c.works, alone.works, *asked);
	/*
	 * Instructions can be counted in an emulator of one processor alone: here only what anyone would notice. The
	 * host's load may change between the two, so the pair is measured again if it does not hold.
	 */
	for (int pair = 0; pair < 5; pair++) {
		kill(pid, SIGSTOP);
		other = beside_computing(neighbour, fd);
		kill(pid, SIGCONT);
		if (c.calls * 2.5 >= other)
			break;
		c = measure(neighbour);
	}
	ksft_test_result(c.calls * 2.5 >= other, "%s: the neighbour makes %.0f calls a second, %.0f beside one who computes\n",
			 what, c.calls, other);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
}

/* --- idle views ------------------------------------------------------------------------- */

static void idle(const struct worker *mine, struct worker *neighbour)
{
	pid_t *pids = calloc(nviews, sizeof(*pids));
	long before = 0, after = 0;
	double without;
	struct cost c;
	int n;

	for (n = 0; n < nviews; n++) {
		size_t size;
		int fd = stranger_view(dev_session, mine->cid, NULL, &size);

		if (fd < 0)
			break;
		pids[n] = fork();
		if (pids[n] < 0)
			break;
		if (!pids[n]) {
			struct pollfd p = { .fd = fd, .events = POLLIN };

			stranger_nobody();
			for (;;)
				poll(&p, 1, -1);
		}
		close(fd);
	}
	usleep(500000 + 2000 * n);
	for (int i = 0; i < n; i++)
		before += proc_sleeps(pids[i]);
	c = measure(neighbour);
	for (int i = 0; i < n; i++)
		after += proc_sleeps(pids[i]);
	ksft_test_result(n >= nviews / 2, "%d views of a container that rests, each with one who waits\n", n);
	ksft_test_result(after - before <= n / 10 + 10, "woken for the neighbour: %ld times in %d seconds\n", after - before, seconds);
	for (int pair = 0; pair < 5; pair++) {
		for (int i = 0; i < n; i++)
			kill(pids[i], SIGSTOP);
		without = measure(neighbour).calls;
		for (int i = 0; i < n; i++)
			kill(pids[i], SIGCONT);
		if (c.calls * 2.5 >= without)
			break;
		c = measure(neighbour);
	}
	ksft_test_result(c.calls * 2.5 >= without, "the neighbour makes %.0f calls a second beside them, %.0f without\n",
			 c.calls, without);
	for (int i = 0; i < n; i++)
		kill(pids[i], SIGKILL);
	while (wait(NULL) > 0 && n--)
		if (n == 0)
			break;
	free(pids);
}

/* A view's own reader is woken for its own records, though everyone else is left alone. */
static void woken(struct worker *mine)
{
	int64_t *took = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	size_t size;
	int fd = stranger_view(dev_session, mine->cid, NULL, &size);
	pid_t pid = fork();

	if (!pid) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		stranger_nobody();
		while (poll(&p, 1, 0) > 0)
			;	/* events of before */
		took[0] = poll(&p, 1, 20000);
		_exit(0);
	}
	usleep(500000);
	worker_make(mine, 1);
	waitpid(pid, NULL, 0);
	ksft_test_result(took[0] == 1, "one who waits is woken for his own container's call\n");
	close(fd);
}

int main(int argc, char **argv)
{
	struct genl_sizes s = { .arena = 8 << 20, .ring = 65536 };
	struct worker mine, neighbour;
	struct cost alone;

	seconds = argc > 1 ? atoi(argv[1]) : 2;
	nviews = argc > 2 ? atoi(argv[2]) : 200;
	asked = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ksft_print_header();
	ksft_set_plan(2 * 5 + 3 + 2);
	if (box_init(BOX_MOUNTS))
		ksft_exit_fail_msg("no cgroups\n");
	dev_session_make(&s, "syscall:getpriority");
	worker_start(&mine, "poll-mine", 0x706d);
	worker_start_as(&neighbour, "poll-neighbour", 0x706e, neighbour_init);
	dev_session_start(CTRACE_TARGET_ALL, 0);
	worker_make(&neighbour, 2000);
	alone = measure(&neighbour);
	ksft_test_result(alone.works <= MOST_INTERRUPTS, "nobody waits: %.0f IRQ works, %.0f calls a second\n", alone.works, alone.calls);
	stormed("poll() in a loop", in_a_loop, &mine, &neighbour, alone);
	stormed("thousands of copies in one epoll, asked in a loop", in_epoll, &mine, &neighbour, alone);
	stormed("thousands of copies in one epoll, which waits", in_epoll_waiting, &mine, &neighbour, alone);
	stormed("copied and closed in a loop", copying, &mine, &neighbour, alone);
	stormed("read() and poll() in a loop", reading, &mine, &neighbour, alone);
	idle(&mine, &neighbour);
	woken(&mine);
	worker_end(&neighbour);
	worker_end(&mine);
	stranger_session_end();
	ksft_finished();
}
