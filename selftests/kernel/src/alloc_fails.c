// SPDX-License-Identifier: GPL-2.0-only
/*
 * alloc_fails SECONDS [OPERATION...]: fails every allocation that an operation makes, one at a time, by
 * fail-nth of the kernel's fault injection. The allocations are made by the task that asks, or by the
 * kernel thread that works for it. The operation must either succeed all the same, or say that memory is
 * short and have done nothing. In the second case it must succeed when repeated at once, and the next
 * caller must find everything as it was.
 *
 * Each operation gets SECONDS. The last allocations are tried first: the module's own come after the ones of
 * its loading (for the operation "insmod", which runs only when named). Further from the end, fewer are
 * tried: where there are thousands of allocations, they fill a pool. (Taking per-CPU memory that exists
 * already is no allocation that could fail.)
 *
 * With ALLOC_FAILS_TELL in the environment, each attempt is printed.
 *
 * alloc_fails workers: does the same to the work that no caller waits for, which fills the pools and
 * announces containers. There, all allocations fail for a while.
 */
#include <dirent.h>
#include <time.h>
#include "alloc_ops.h"

#define MANY	1000000
#define PASSES	2	/* the kernel's checkers allocate now and then, too: what was the 7th may be the 8th */
#define DENSE	120	/* within this many allocations of the end, each one is tried */

static int nth_fd;	/* of the task in which the fault is injected */

/* --- faults ---------------------------------------------------------------------------------- */

static int open_nth(pid_t pid, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/fail-nth", pid, tid);
	return open(path, O_RDWR | O_CLOEXEC);
}

static void set_nth(long n)
{
	char text[24];
	int len = snprintf(text, sizeof(text), "%ld", n);

	if (pwrite(nth_fd, text, len, 0) != len)
		ksft_exit_fail_msg("fail-nth: %s\n", strerror(errno));
}

static long get_nth(void)
{
	char text[24] = "";

	return pread(nth_fd, text, sizeof(text) - 1, 0) > 0 ? atol(text) : -1;
}

static void knob(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		ksft_exit_skip("%s: %s\n", path, strerror(errno));
	close(fd);
}

/* Calls fn for each process whose name begins with `name`. */
static void each_called(const char *name, void (*fn)(pid_t pid, void *arg), void *arg)
{
	char path[300], comm[64];
	struct dirent *e;
	ssize_t n;
	DIR *d = opendir("/proc");
	int fd;

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		fd = atoi(e->d_name) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
		n = fd < 0 ? -1 : read(fd, comm, sizeof(comm) - 1);
		if (fd >= 0)
			close(fd);
		if (n <= 0)
			continue;
		comm[n] = 0;
		if (!strncmp(comm, name, strlen(name)))
			fn(atoi(e->d_name), arg);
	}
	if (d)
		closedir(d);
}

static void keep_pid(pid_t pid, void *arg)
{
	*(pid_t *)arg = pid;
}

/* --- the machinery ------------------------------------------------------------------------- */

static void clean(void)
{
	if (x.map && x.map != MAP_FAILED)
		munmap(x.map, x.size);
	if (x.fd > 0)
		close(x.fd);
	if (x.other > 0)
		close(x.other);
	if (x.cgroup > 0)
		close(x.cgroup);
	/* definitions belong to no socket */
	if (x.g.fd > 0)
		event("allocfails", CTRACE_CMD_EVENT_DEL);
	/* Delete it: closing the socket ends the session only a moment later, and there are few sessions. */
	if (x.g.fd > 0 && x.session > 0)
		genl_session_do(&x.g, CTRACE_CMD_SESSION_DEL, x.session, -1);
	if (x.g.fd > 0)
		close(x.g.fd);
	memset(&x, 0, sizeof(x));
}

static int count_fn(const struct nlmsghdr *h, void *arg)
{
	uint64_t *v = arg;

	v[0]++;
	v[1] += msg_get_u64(h, CTRACE_A_SESSION, CTRACE_A_SESSION_EVENTS);
	return 0;
}

/* Counts the sessions, and the events of all of them. */
static void look(struct genl *g, uint64_t v[2])
{
	v[0] = v[1] = 0;
	msg_new(&m, g->family, CTRACE_CMD_SESSION_GET, NLM_F_DUMP);
	genl_call(g, &m, count_fn, v);
}

/* Everything is as it was: no session is left, and a new one records what it should. */
static bool sound(const char *name)
{
	const struct op o = { .name = name };
	uint64_t v[2] = { 1, 0 };
	bool good;
	int err, i;

	err = with_socket(&o);
	for (i = 0; !err && v[0] && i < 100; i++) {
		look(&x.g, v);
		if (v[0])
			usleep(50000);
	}
	if (v[0])
		ksft_print_msg("%s: %llu sessions are left\n", name, (unsigned long long)v[0]);
	clean();
	err = err ?: with_running(&o);
	for (i = 0; i < 10; i++)
		getpriority(0x4d41524b, i);
	if (!err)
		look(&x.g, v);
	good = !err && v[0] == 1 && v[1] == 20;
	if (!good)
		ksft_print_msg("%s: afterwards: error %d \"%s\", %llu sessions, %llu events of 20\n", name, err,
			       x.g.text, (unsigned long long)v[0], (unsigned long long)v[1]);
	clean();
	return good;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Runs one operation with fault n, and returns its result. *left is 0 if there was such an allocation. */
static int once(const struct op *o, long n, long *left)
{
	int err = o->prepare(o), result;

	*left = -1;
	if (err) {
		ksft_print_msg("%s: cannot be prepared: %s \"%s\"\n", o->name, strerror(-err), x.g.text);
		return err;
	}
	x.g.text[0] = 0;
	set_nth(n);
	result = o->act(o);
	*left = get_nth();
	set_nth(0);
	return result || !o->check ? result : o->check(o);
}

/*
 * An operation that failed must have done nothing, and succeed now. This does not apply to a dump, which
 * the netlink core continues on that socket, nor to an operation whose answer alone could not be sent
 * (ENOBUFS). It is skipped for an operation that takes seconds: the next attempt begins with the same.
 */
static int again(const struct op *o, int err)
{
	if (err == -ENOBUFS || o->nlflags || o->act == loaded)
		return 0;
	/* A session has views of containers as long as no probe of it shows kernel addresses. Binding one
	 * here fails if the failed probe_add() marked the session. */
	if (o->act == probe_add) {
		x.other = open(CTRACE_DEVICE, O_RDONLY | O_CLOEXEC);
		err = dev_bind(x.other, x.session, CTRACE_CID_HOST, NULL);
		close(x.other);
		x.other = 0;
		if (err)
			return err;
	}
	return o->act(o);
}

static void fail_all(const struct op *o, double seconds)
{
	long sites, n, left, tried = 0, failed = 0, through = 0, worded = 0, odd = 0, stopped = 0;
	double until = now() + seconds;
	pid_t pid = getpid();
	char words[128];
	int err, second, pass;

	clean();
	if (o->thread)
		each_called(o->thread, keep_pid, &pid);
	nth_fd = open_nth(pid, pid);
	if (nth_fd < 0)
		ksft_exit_skip("no fail-nth in this kernel\n");
	err = once(o, MANY, &left);
	snprintf(words, sizeof(words), "%.100s", x.g.text);
	clean();
	sites = MANY - left;
	if (err || left < 0) {
		ksft_test_result(false, "%s: without a fault: %s \"%s\"\n", o->name, strerror(-err), words);
		goto out;
	}
	/* Some allocations happen only now and then (a slab's new page), so try a few numbers more. */
	for (pass = 0, n = sites + 2; pass < PASSES; n -= 1 + (sites - n > DENSE ? (sites - n - DENSE) / 4 : 0)) {
		if (n <= 0) {
			pass++;
			n = sites + 3;
			continue;
		}
		if (now() > until) {
			stopped = pass ? 0 : n;
			break;
		}
		tried++;
		err = once(o, n, &left);
		snprintf(words, sizeof(words), "%.100s", x.g.text);
		second = 0;
		if (left == 0 && err) {
			failed++;
			worded += *words != 0;
			second = again(o, err);
		} else if (left == 0) {
			through++;
		}
		if (getenv("ALLOC_FAILS_TELL"))
			ksft_print_msg("%s, allocation %ld: %s \"%s\", %ld left\n", o->name, n, strerror(-err),
				       words, left);
		if (second || left < 0 || (err && left) || (err && err != -ENOMEM && err != -ENOBUFS)) {
			odd++;
			ksft_print_msg("%s, allocation %ld: %s \"%s\", fault %s; then %s \"%s\"\n", o->name, n,
				       strerror(-err), words, left ? "not reached" : "made",
				       strerror(-second), x.g.text);
		}
		clean();
	}
	if (o->act == loaded && !without_module(o))
		loaded(o);
	clean();
	ksft_test_result(sound(o->name) && !odd,
			 "%s: %ld allocations; %ld faults failed it (%ld with words), %ld did not; %ld tried%s\n",
			 o->name, sites, failed, worded, through, tried,
			 stopped ? ", out of time" : "");
out:
	close(nth_fd);
}

/* --- work that no caller waits for ---------------------------------------------------------- */

static void let_fail(pid_t pid, void *arg)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/make-it-fail", pid);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && write(fd, arg, 1) != 1)
		perror(path);
	if (fd >= 0)
		close(fd);
}

/* ctrace's work is bound to no CPU, and its threads are started as they are needed. */
static void workers_fail(const char *on)
{
	each_called("kworker/u", let_fail, (void *)on);
}

static int unknown_fn(const struct nlmsghdr *h, void *arg)
{
	*(uint64_t *)arg = msg_get_u64(h, CTRACE_A_INFO, CTRACE_A_INFO_UNKNOWN);
	return 0;
}

/* The number of events so far that found no container in the pool. */
static uint64_t unknown(void)
{
	uint64_t n = 0;

	msg_new(&m, x.g.family, CTRACE_CMD_INFO_GET, 0);
	genl_call(&x.g, &m, unknown_fn, &n);
	return n;
}

/* Counts the births that the subscriber receives until none comes for a second. *lost: it got a notice that
 * some are missing. */
static long told(int fd, bool *lost)
{
	static char buf[65536] __attribute__((aligned(8)));
	struct timeval patience = { .tv_sec = 1 };
	long births = 0;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	for (;;) {
		ssize_t n = recv(fd, buf, sizeof(buf), 0);
		const struct genlmsghdr *g = NLMSG_DATA((struct nlmsghdr *)buf);

		if (n < 0 && errno == ENOBUFS)
			*lost = true;
		else if (n < 0)
			return births;
		else
			births += g->cmd == CTRACE_CMD_CONTAINER_NEW;
	}
}

static void workers(void)
{
	const struct op o = { .name = "workers" };
	bool lost = false, never = false;
	uint64_t before, seen = 0;
	double until = now() + 120;
	struct genl listener;
	long births = 0, n;
	int size = 8 << 20;

	if (with_running(&o) || genl_open(&listener) ||
	    setsockopt(listener.fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &listener.mcgrp, sizeof(listener.mcgrp)) ||
	    setsockopt(listener.fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		ksft_exit_fail_msg("workers: no session, or no listener: %s\n", x.g.text);
	before = unknown();
	knob("/sys/kernel/debug/failslab/task-filter", "Y");
	knob("/sys/kernel/debug/failslab/times", "-1");
	knob("/sys/kernel/debug/failslab/probability", "100");
	for (; seen == 0 && now() < until; seen = unknown() - before) {
		workers_fail("1");
		for (int i = 0; i < 50; i++, births++)
			born(&o);
	}
	usleep(200000);
	knob("/sys/kernel/debug/failslab/probability", "0");
	workers_fail("0");
	ksft_test_result(seen, "workers: the pool was empty after %ld births: %llu events of unknown containers\n",
			 births, (unsigned long long)seen);
	n = told(listener.fd, &lost);
	ksft_test_result(n == births || lost, "workers: of %ld births %ld were told, and %s\n", births, n,
			 lost ? "that some were not" : "nothing of any missing");
	/* The next birth that finds the pool empty has it filled: a moment later all is well. */
	born(&o);
	usleep(500000);
	told(listener.fd, &lost);
	before = unknown();
	for (int i = 0; i < 50; i++)
		born(&o);
	n = told(listener.fd, &never);
	ksft_test_result(unknown() == before && n == 50 && !never,
			 "workers: afterwards all is known: %ld births of 50 were told\n", n);
	close(listener.fd);
	clean();
	ksft_test_result(sound("workers"), "workers: and it records\n");
}

static bool chosen(const struct op *o, int argc, char **argv)
{
	for (int i = 2; i < argc; i++)
		if (!strcmp(argv[i], o->name))
			return true;
	return argc <= 2 && o->act != loaded;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1e9;
	size_t i, n = 0, all = sizeof(ops) / sizeof(ops[0]);

	ksft_print_header();
	if (getenv("ALLOC_FAILS_MODULE"))
		module = getenv("ALLOC_FAILS_MODULE");
	/* Let every kind of allocation fail, also those that may sleep and so hardly ever fail; and print
	 * no stack traces. */
	knob("/sys/kernel/debug/failslab/ignore-gfp-wait", "N");
	knob("/sys/kernel/debug/failslab/verbose", "0");
	knob("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N");
	knob("/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem", "N");
	knob("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	knob("/sys/kernel/debug/fail_page_alloc/verbose", "0");
	if (argc > 1 && !strcmp(argv[1], "workers")) {
		ksft_set_plan(4);
		workers();
		ksft_finished();
	}
	for (i = 0; i < all; i++)
		n += chosen(&ops[i], argc, argv);
	ksft_set_plan(n);
	for (i = 0; i < all; i++)
		if (chosen(&ops[i], argc, argv)) {
			fail_all(&ops[i], seconds);
			fflush(stdout);
		}
	ksft_finished();
}
