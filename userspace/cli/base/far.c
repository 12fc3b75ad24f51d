// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/far.h"

#ifndef SYS_close_range
#define SYS_close_range	436	/* the headers are older than Linux 5.9 */
#endif

#define STUCK_MAX	8			/* processes that were given up and have not ended */
/* time that late requests may take; beyond, a tenth of all time */
#define LATE_FREE	(10 * NSEC_PER_SEC)
/* ns between two looks at the process; beyond, the machine stood still */
#define STEP_MAX	(200 * 1000000ull)
#define PLACE_MAX	4096

/* A shared page: shows how far the process is, even if it does not answer. Only the process writes it. */
struct far_page {
	uint64_t steps;
	uint64_t dev;		/* of the file system that it waits for; 0: not known */
	char place[PLACE_MAX];
};

struct far {
	far_serve_fn *serve;
	void *arg;
	struct far_page *page;
	pid_t pid;		/* 0: there is none */
	int fd;			/* our end of the socket; in the process, its own */
	struct far_limits limits;
	uint64_t *dead;		/* devices of file systems that did not answer; the process has a copy */
	size_t ndead;
	pid_t stuck[STUCK_MAX];
	size_t nstuck;
	uint64_t began, lost;	/* CLOCK_MONOTONIC, ns: the first request; the time that late ones took */
	char place[PLACE_MAX];
};

static struct far *here;		/* in the process: what it serves */

struct far *far_new(far_serve_fn *serve, void *arg, struct far_limits limits)
{
	struct far *f = xcalloc(1, sizeof(*f));

	f->serve = serve;
	f->arg = arg;
	f->limits = limits;
	f->fd = -1;
	return f;
}

static void reap(struct far *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->nstuck; i++)
		if (!waitpid(f->stuck[i], NULL, WNOHANG))
			f->stuck[n++] = f->stuck[i];
	f->nstuck = n;
}

/* The process may sleep where no signal reaches it, so nothing here waits for its end. */
static void give_up(struct far *f)
{
	if (!f->pid)
		return;
	snprintf(f->place, sizeof(f->place), "%.*s", (int)strnlen(f->page->place, PLACE_MAX - 1), f->page->place);
	close(f->fd);
	f->fd = -1;
	/* if SIGCHLD is ignored, the kernel has reaped it, and its pid may be another process's */
	if (!waitpid(f->pid, NULL, WNOHANG)) {
		kill(f->pid, SIGKILL);
		f->stuck[f->nstuck++] = f->pid;
	}
	f->pid = 0;
	munmap(f->page, sizeof(*f->page));
	f->page = NULL;
	reap(f);
}

void far_free(struct far *f)
{
	if (!f)
		return;
	give_up(f);
	free(f->dead);
	free(f);
}

const char *far_place(const struct far *f)
{
	return f->place;
}

/* --- in the process ------------------------------------------------------------------- */

void far_at(const char *path)
{
	if (!here)
		return;
	snprintf(here->page->place, PLACE_MAX, "%s", path);
	__atomic_fetch_add(&here->page->steps, 1, __ATOMIC_RELEASE);
}

bool far_is_here(void)
{
	return here;
}

bool far_touch(uint64_t dev)
{
	if (!here)
		return true;
	for (size_t i = 0; dev && i < here->ndead; i++)
		if (here->dead[i] == dev)
			return false;
	__atomic_store_n(&here->page->dev, dev, __ATOMIC_RELAXED);
	__atomic_fetch_add(&here->page->steps, 1, __ATOMIC_RELEASE);
	return true;
}

static bool write_all(int fd, const void *what, size_t n)
{
	for (const char *p = what; n;) {
		ssize_t k = send(fd, p, n, MSG_NOSIGNAL);

		if (k < 0 && errno != EINTR)
			return false;
		if (k > 0) {
			p += k;
			n -= (size_t)k;
		}
	}
	return true;
}

static bool read_all(int fd, void *to, size_t n)
{
	for (char *p = to; n;) {
		ssize_t k = read(fd, p, n);

		if (!k || (k < 0 && errno != EINTR))
			return false;
		if (k > 0) {
			p += k;
			n -= (size_t)k;
		}
	}
	return true;
}

/* A message is its length, 32 bits, and its bytes; the answer to a request ends with one of length 0. */
static bool put(int fd, const char *what, uint32_t n)
{
	return write_all(fd, &n, sizeof(n)) && write_all(fd, what, n);
}

void far_tell(struct far *f, const char *what, size_t n)
{
	if (n > FAR_TELL_MAX || !put(f->fd, what, (uint32_t)n))
		_exit(0);
}

/* False: the kernel is older than 5.9. */
static bool close_all(unsigned int from, unsigned int to)
{
	return from > to || !syscall(SYS_close_range, from, to, 0);
}

/*
 * Closes descriptors and mappings of rings: they would keep a session alive if we have ended and this process
 * cannot end. All shared mappings go except the page.
 */
static void leave_all(const struct far *f)
{
	char *text = read_file("/proc/self/maps", NULL), *save = NULL, perms[5];
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	unsigned long start, end;

	for (char *l = text ? strtok_r(text, "\n", &save) : NULL; l; l = strtok_r(NULL, "\n", &save))
		if (sscanf(l, "%lx-%lx %4s", &start, &end, perms) == 3 && perms[3] == 's' && start != (unsigned long)f->page)
			munmap((void *)start, end - start);
	free(text);
	for (int i = 0; i < 3 && null >= 0; i++)
		dup2(null, i);
	if (close_all(3, (unsigned int)f->fd - 1) && close_all((unsigned int)f->fd + 1, UINT_MAX))
		return;
	for (long fd = 3, max = sysconf(_SC_OPEN_MAX); fd < max && fd < 65536; fd++)
		if (fd != f->fd)
			close((int)fd);
}

static void limit_memory(size_t more)
{
	char *text = read_file("/proc/self/statm", NULL);
	rlim_t has = text ? (rlim_t)strtoull(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) : 0;
	const struct rlimit as = { has + more, has + more }, core = { 0, 0 };

	free(text);
	setrlimit(RLIMIT_CORE, &core);
	if (has)
		setrlimit(RLIMIT_AS, &as);
}

/* Runs first at exit(), so that our process's exit handlers do not run in this one. */
static void just_end(void)
{
	_exit(0);
}

static void __attribute__((noreturn)) be_far(struct far *f, pid_t parent)
{
	sigset_t none;
	uint32_t n;
	char *request;

	here = f;
	atexit(just_end);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "ctrace-reader");
	if (getppid() != parent)
		_exit(0);
	/* Ctrl-C is for our process, which may still need this one to show its results */
	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	leave_all(f);
	limit_memory(f->limits.memory);
	while (read_all(f->fd, &n, sizeof(n))) {
		request = xcalloc(1, (size_t)n + 1);
		if (!read_all(f->fd, request, n))
			break;
		f->serve(f, f->arg, request);
		free(request);
		if (!put(f->fd, "", 0))
			break;
	}
	_exit(0);
}

/* --- in ours -------------------------------------------------------------------------- */

static bool make(struct far *f)
{
	pid_t us = getpid();
	int ends[2], err;

	if (f->pid)
		return true;
	reap(f);
	if (f->nstuck == STUCK_MAX || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return false;
	f->page = mmap(NULL, sizeof(*f->page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	f->pid = f->page == MAP_FAILED ? -1 : fork();
	err = errno;
	if (!f->pid) {
		f->fd = ends[1];
		be_far(f, us);
	}
	close(ends[1]);
	f->fd = ends[0];
	if (f->pid > 0)
		return true;
	f->pid = 0;
	close(f->fd);
	f->fd = -1;
	if (f->page != MAP_FAILED)
		munmap(f->page, sizeof(*f->page));
	f->page = NULL;
	errno = err;
	return false;
}

/*
 * Changes while the process makes progress: it looks at another file, or computes. Both are slow on a busy
 * machine.
 */
static uint64_t progress(const struct far *f)
{
	struct timespec ts = { 0 };
	clockid_t clock;

	if (!clock_getcpuclockid(f->pid, &clock))
		clock_gettime(clock, &ts);
	return __atomic_load_n(&f->page->steps, __ATOMIC_ACQUIRE) + (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* Adds the file system that the process waits for to f->dead. False: it is not known which one that is. */
static bool leave_alone(struct far *f)
{
	uint64_t dev = __atomic_load_n(&f->page->dev, __ATOMIC_RELAXED);

	if (!dev)
		return false;
	f->dead = xrealloc(f->dead, (f->ndead + 1) * sizeof(f->dead[0]));
	f->dead[f->ndead++] = dev;
	return true;
}

/*
 * How long a request has taken, and how long the process made no progress, less time in which the machine
 * stood still
 */
struct waited {
	uint64_t last, spent, quiet, steps;
};

static void pass(const struct far *f, struct waited *w)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), passed = now - w->last, steps = progress(f);

	if (passed > STEP_MAX)
		passed = STEP_MAX;
	w->last = now;
	w->spent += passed;
	w->quiet = steps == w->steps ? w->quiet + passed : 0;
	w->steps = steps;
}

/* Reads n bytes. While it waits, it checks that the process makes progress. */
static enum far_end get(struct far *f, void *to, size_t n, struct waited *w)
{
	struct pollfd p = { .fd = f->fd, .events = POLLIN };

	for (char *at = to; n;) {
		ssize_t k = recv(f->fd, at, n, MSG_DONTWAIT);

		if (!k || (k < 0 && errno != EAGAIN && errno != EINTR))
			return FAR_DIED;
		if (k < 0)
			poll(&p, 1, 100);
		pass(f, w);
		if (k > 0) {
			at += k;
			n -= (size_t)k;
			w->quiet = 0;
			/* late data is read, too, but not for ever */
			if (w->spent > 2 * f->limits.longest)
				return FAR_LATE;
		} else if (w->quiet > f->limits.quiet && poll(&p, 1, 0) <= 0) {
			return f->limits.once && leave_alone(f) ? FAR_AGAIN : FAR_LATE;
		} else if (w->spent > f->limits.longest && poll(&p, 1, 0) <= 0) {
			return FAR_LATE;
		}
	}
	return FAR_DONE;
}

/* The process reads files that anyone may have made, so its answer is trusted no more than they are. */
static enum far_end hear(struct far *f, size_t most, far_take_fn *take, void *arg)
{
	struct waited w = { .last = clock_ns(CLOCK_MONOTONIC), .steps = progress(f) };
	enum far_end end;
	char *told;
	uint32_t n;

	for (;;) {
		end = get(f, &n, sizeof(n), &w);
		if (end != FAR_DONE || !n)
			return end;
		if (n > most || n > FAR_TELL_MAX)
			return FAR_DIED;
		most -= n;
		told = xcalloc(1, (size_t)n + 1);
		end = get(f, told, n, &w);
		if (end == FAR_DONE)
			take(arg, told, n);
		free(told);
		if (end != FAR_DONE)
			return end;
	}
}

enum far_end far_ask(struct far *f, const char *request, size_t most, bool known, far_take_fn *take, void *arg)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	enum far_end end = FAR_DIED;

	if (!f->began)
		f->began = now;
	if (!known && f->lost > LATE_FREE + (now - f->began) / 10)
		return FAR_NOT;
	if (!make(f))
		return f->nstuck == STUCK_MAX ? FAR_NOT : FAR_NONE;
	f->page->place[0] = '\0';
	if (put(f->fd, request, (uint32_t)strlen(request)))
		end = hear(f, most, take, arg);
	if (end != FAR_DONE) {
		f->lost += clock_ns(CLOCK_MONOTONIC) - now;
		give_up(f);
	}
	return end;
}
