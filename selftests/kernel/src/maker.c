// SPDX-License-Identifier: GPL-2.0-only
/*
 * maker -n PAIRS [-j WORKERS] [-f FIRST] [-k KINDS] -o LOG: makes PAIRS short-lived containers, several at
 * once on all CPUs, in every order that runtimes use, and logs what it made. It knows
 * nothing of ctrace: it is the witness.
 *
 * The log has a line for each pair:
 *	NUMBER KIND BEGIN END MARKS TID,TID,...
 * The pair's tasks made MARKS marked calls with NUMBER in them, and had these host tids from
 * BEGIN to END (CLOCK_MONOTONIC). Number 0 is the worker itself, on the host. Cgroups are
 * removed, and made again under the same few names.
 */
#include "box.h"
#include <getopt.h>
#include <sys/socket.h>

enum kind {
	INTO,		/* runtime's name; born in cgroup and namespace at once, as crun does */
	HELPER,		/* runtime's name; a helper joins the cgroup first, as runc does */
	NS_FIRST,	/* runtime's name; the namespace exists first, then init joins the cgroup */
	HOST_PID,	/* runtime's name; no pid namespace */
	NS_ONLY,	/* a cgroup with any name: only the namespace shows it */
	ENTERED,	/* as INTO, and a task from outside joins the cgroup, as an exec does */
	KINDS
};
static const char * const kind_name[] = {
	"into", "helper", "ns-first", "host-pid", "ns-only", "entered",
};

#define NAMES 3		/* per worker: few, so that ids and paths are reused */
#define TASKS 4
#define MARKS 3		/* each task makes this many, and init as many before it joins */

static FILE *out;

struct pair {
	uint32_t number;
	enum kind kind;
	int sock[2];		/* [0] is the worker's: the kernel says who writes to [1] */
	int marks, tasks;
	pid_t tid[TASKS];
	char path[200];
};

/* A task makes its marked calls before anything else. */
static void marks(const struct pair *p)
{
	for (int i = 0; i < MARKS; i++)
		box_mark(p->number);
}

/* Tells the worker our host tid, which the kernel translates. */
static void report(const struct pair *p)
{
	if (write(p->sock[1], "t", 1) != 1)
		_exit(90);
}

static void heard(struct pair *p)
{
	char c, ctl[CMSG_SPACE(sizeof(struct ucred))];
	struct iovec iov = { &c, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = ctl,
			    .msg_controllen = sizeof(ctl) };
	struct ucred cred;

	if (recvmsg(p->sock[0], &m, 0) != 1 || !CMSG_FIRSTHDR(&m) || p->tasks == TASKS) {
		fprintf(stderr, "maker: pair %u: a task did not report\n", p->number);
		exit(1);
	}
	memcpy(&cred, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(cred));
	p->tid[p->tasks++] = cred.pid;
}

/* The init of a container: makes its marked calls, has a child that makes its own, and waits. */
static void init(struct pair *p, bool join)
{
	pid_t pid;
	char c;

	marks(p);
	if (join) {
		if (box_cgroup_enter(p->path, 0))
			_exit(91);
		marks(p);
	}
	report(p);
	pid = box_clone(0, -1);
	if (!pid) {
		marks(p);
		report(p);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	if (p->kind == ENTERED && read(p->sock[1], &c, 1) != 1)
		_exit(92);
	_exit(0);
}

static void check(int err, const struct pair *p, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "maker: pair %u (%s): %s: %s\n", p->number, kind_name[p->kind], what,
		strerror(err < 0 ? -err : err));
	exit(1);
}

/* runc's way: a helper joins the cgroup, in the host's pid namespace, and has init as its sibling. */
static void helper(struct pair *p)
{
	pid_t pid;

	if (box_cgroup_enter(p->path, 0))
		_exit(91);
	marks(p);
	if (p->kind == HOST_PID)
		init(p, false);
	pid = box_clone(CLONE_NEWPID | CLONE_PARENT, -1);
	/* before 3.12 not both flags at once */
	if (pid < 0 && errno == EINVAL && !unshare(CLONE_NEWPID))
		pid = box_clone(CLONE_PARENT, -1);
	if (!pid)
		init(p, false);
	_exit(pid < 0 ? 93 : 0);
}

static void reap(int n, const struct pair *p)
{
	while (n--) {
		int st;

		if (waitpid(-1, &st, __WALL) < 0 || st) {
			fprintf(stderr, "maker: pair %u (%s): a task ended with %#x\n", p->number,
				kind_name[p->kind], st);
			exit(1);
		}
	}
}

static void make(struct pair *p)
{
	int dir, joined = 0, helps;
	pid_t pid;

	p->tasks = 0;
	p->marks = 2 * MARKS;
	check(box_cgroup_make(p->path), p, "mkdir");
	dir = box_cgroup_open(p->path);
	/* On a v1 host, no task can be born in a cgroup. */
	if (dir < 0 && (p->kind == INTO || p->kind == ENTERED))
		joined = 1;
	helps = p->kind == HELPER || (p->kind == HOST_PID && dir < 0);
	if (p->kind == NS_FIRST)
		joined = 1;
	if (joined || helps)
		p->marks += MARKS;
	if (helps)
		pid = box_clone(0, -1);
	else if (p->kind == HOST_PID)
		pid = box_clone(0, dir);
	else
		pid = box_clone(CLONE_NEWPID, joined ? -1 : dir);
	check(pid < 0 ? errno : 0, p, "clone");
	if (!pid) {
		if (helps)
			helper(p);
		init(p, joined);
	}
	heard(p);
	heard(p);
	/* Before the helper joined it was the host's: its tid is not the container's alone. */
	if (helps && p->kind == HOST_PID)
		p->tid[0] = p->tid[--p->tasks];
	if (p->kind == ENTERED) {
		pid = box_clone(0, dir);
		check(pid < 0 ? errno : 0, p, "clone");
		if (!pid) {
			if (dir < 0 && box_cgroup_enter(p->path, 0))
				_exit(91);
			marks(p);
			/* here too, before it joined it was the host's */
			if (dir >= 0)
				report(p);
			_exit(0);
		}
		if (dir >= 0)
			heard(p);
		p->marks += MARKS;
		if (write(p->sock[0], "g", 1) != 1)
			exit(1);
		reap(1, p);
	}
	/* runc's init is the helper's sibling, so there are two children */
	reap(p->kind == HELPER ? 2 : 1, p);
	if (dir >= 0)
		close(dir);
	check(box_cgroup_remove(p->path), p, "rmdir");
}

static void line(const struct pair *p, const char *kind, uint64_t begin)
{
	char b[200];
	int n = snprintf(b, sizeof(b), "%u %s %llu %llu %d ", p->number, kind, (unsigned long long)begin,
			 (unsigned long long)box_now(), p->marks);

	for (int i = 0; i < p->tasks; i++)
		n += snprintf(b + n, sizeof(b) - n, "%d,", p->tid[i]);
	b[n - 1] = '\n';
	if (fwrite(b, 1, n, out) != (size_t)n || fflush(out))
		exit(1);
}

static int worker(int w, uint32_t first, int pairs, unsigned int kinds)
{
	uint64_t began = box_now();
	struct pair me = { .tasks = 1, .tid = { getpid() } }, p = { 0 };
	int on = 1;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p.sock) ||
	    setsockopt(p.sock[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)))
		return 1;
	for (int i = 0; i < pairs; i++) {
		uint64_t begin = box_now();
		char hex[65], word[32];

		p.number = first + i;
		do
			p.kind = (p.kind + 1) % KINDS;
		while (!(kinds & 1u << p.kind));
		snprintf(word, sizeof(word), "maker-%d", w);
		box_hex(hex, word, i % NAMES);
		if (p.kind == NS_ONLY)
			snprintf(p.path, sizeof(p.path), "/made/w%d-%d", w, i % NAMES);
		else
			snprintf(p.path, sizeof(p.path), "/made/%s", hex);
		make(&p);
		line(&p, kind_name[p.kind], begin);
		box_mark(0);
		me.marks++;
	}
	line(&me, "host", began);
	return 0;
}

int main(int argc, char **argv)
{
	int o, workers = 4, st, bad = 0;
	pid_t worker_pid[64];
	siginfo_t si;
	uint32_t pairs = 100, first = 1;
	unsigned int kinds = (1u << KINDS) - 1;

	while ((o = getopt(argc, argv, "n:j:f:k:o:")) != -1) {
		if (o == 'n')
			pairs = atoi(optarg);
		else if (o == 'j')
			workers = atoi(optarg);
		else if (o == 'f')
			first = atoi(optarg);
		else if (o == 'k')
			kinds = strtoul(optarg, NULL, 0);
		else if (o == 'o')
			out = fopen(optarg, "ae");
		else
			return 2;
	}
	if (!out || workers > 64)
		return 2;
	/* A few v1 hierarchies are enough, and making cgroups is most of the work. */
	if (box_init(3))
		return 1;
	for (int w = 0; w < workers; w++) {
		int share = pairs / workers + (w < (int)(pairs % workers));

		worker_pid[w] = fork();
		if (!worker_pid[w])
			_exit(worker(w, first, share, kinds));
		first += share;
	}
	/*
	 * No worker is reaped before all have ended. Otherwise its tid could be reused in a pair that had
	 * begun before, and the log tells tasks apart by tid and pair.
	 */
	for (int w = 0; w < workers; w++)
		if (worker_pid[w] < 0 || waitid(P_PID, worker_pid[w], &si, WEXITED | WNOWAIT))
			return 1;
	while (wait(&st) > 0)
		bad |= st;
	box_cgroup_remove("/made");
	return bad != 0;
}
