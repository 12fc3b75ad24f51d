// SPDX-License-Identifier: GPL-2.0-only
/*
 * strangers_many CGROUPS SECONDS: what a user may make as many of as he likes. Nobody has a subtree of cgroups
 * delegated to him, as every login has, and makes so many containers in it; he nests pid namespaces to the
 * kernel's limit; he asks for dumps and never reads them; he forks. Meanwhile a container is traced, and
 * its account must be exact; commands must be answered soon, and all must go when he goes.
 */
#include "stranger_hold.h"

#define USER_TREE	"/strangers-user"
#define LEVELS		32
#define LEVEL_CALLS	20
#define LEVEL_MARK	0x6e6573u
#define SOON		3.0	/* seconds: one, on a machine that has other work */

static int cgroups, seconds;

static double seconds_since(uint64_t began)
{
	return (box_now() - began) / 1e9;
}

static int count_fn(const struct nlmsghdr *h, void *arg)
{
	(void)h;
	++*(long *)arg;
	return 0;
}

/* How many containers are listed, the dead ones too, and how long that took. */
static long listed(double *took)
{
	static struct msg m;
	uint64_t began = box_now();
	long n = 0;

	msg_new(&m, dev_genl.family, CTRACE_CMD_CONTAINER_GET, NLM_F_DUMP);
	genl_call(&dev_genl, &m, count_fn, &n);
	*took = seconds_since(began);
	return n;
}

static int unknown_fn(const struct nlmsghdr *h, void *arg)
{
	*(uint64_t *)arg = msg_get_u64(h, CTRACE_A_INFO, CTRACE_A_INFO_UNKNOWN);
	return 0;
}

static uint64_t unknown(struct genl *g)
{
	static struct msg m;
	uint64_t n = 0;

	msg_new(&m, g->family, CTRACE_CMD_INFO_GET, 0);
	genl_call(g, &m, unknown_fn, &n);
	return n;
}

/* A session of all, from its making to its end: how long that takes. */
static double session_took(void)
{
	struct genl_sizes s = { .arena = 1 << 20, .ring = 16384 };
	uint64_t began = box_now();
	struct genl g;
	int id;

	if (genl_open(&g))
		ksft_exit_fail_msg("no family\n");
	id = genl_session_new(&g, &s);
	if (id < 0 || genl_probe_add(&g, id, "syscall:getpriority") < 0 || genl_target_add(&g, id, CTRACE_TARGET_ALL, 0) < 0 ||
	    genl_session_do(&g, CTRACE_CMD_SESSION_SET, id, 1) || genl_session_do(&g, CTRACE_CMD_SESSION_DEL, id, -1))
		ksft_exit_fail_msg("session: %s\n", g.text);
	close(g.fd);
	return seconds_since(began);
}

/* --- many cgroups ---------------------------------------------------------------------- */

static const char *user_top(void)
{
	static char top[256];

	snprintf(top, sizeof(top), "%s%s", box_mount[box_v2 < 0 ? 0 : box_v2], USER_TREE);
	return top;
}

/* What systemd does for a login: the directory and its lists of processes belong to the user. */
static void delegate(const char *dir)
{
	static const char * const files[] = { "", "/cgroup.procs", "/cgroup.subtree_control", "/cgroup.threads", "/tasks" };
	char path[400];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "%s%s", dir, files[i]);
		if (chown(path, NOBODY, NOBODY) && !i)
			ksft_exit_fail_msg("%s: %s\n", path, strerror(errno));
	}
}

static bool enter(const char *dir)
{
	char path[400];
	int fd;
	bool in;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	in = fd >= 0 && write(fd, "0", 1) == 1;
	close(fd);
	return in;
}

static void name_of(char *path, size_t room, int i)
{
	char name[65];

	box_hex(name, "strangers-many", i);
	snprintf(path, room, "%s/%s", user_top(), name);
}

/* Nobody makes them, and goes into each once. Then he waits, and removes them. Ends with how many there were. */
static pid_t maker(int *made, const int *go)
{
	char path[400], start[300];
	pid_t pid;
	char c;
	int n;

	snprintf(start, sizeof(start), "%s/start", user_top());
	mkdir(user_top(), 0755);
	mkdir(start, 0755);
	delegate(user_top());
	delegate(start);
	pid = fork();
	if (pid)
		return pid;
	close(dev_genl.fd);
	close(go[1]);
	if (!enter(start))
		_exit(1);
	stranger_nobody();
	for (n = 0; n < cgroups; n++) {
		name_of(path, sizeof(path), n);
		if (mkdir(path, 0755) || !enter(path))
			break;
		__atomic_store_n(made, n + 1, __ATOMIC_RELAXED);
	}
	enter(start);
	__atomic_store_n(&made[1], 1, __ATOMIC_RELEASE);
	if (read(go[0], &c, 1) < 0)
		_exit(1);
	while (n >= 0) {
		name_of(path, sizeof(path), n--);
		rmdir(path);
	}
	_exit(0);
}

static void many_cgroups(struct worker *mine, struct watch *w)
{
	int *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), go[2], st = 0;
	uint64_t began = box_now(), unknown_before = unknown(&dev_genl), unknown_now, calls = mine->made;
	double took, longest = 0, one;
	long before = listed(&took), n;
	pid_t pid;
	bool ok;

	if (pipe2(go, O_CLOEXEC))
		ksft_exit_fail_msg("pipe\n");
	worker_ask(mine, 2000);
	pid = maker(made, go);
	while (!__atomic_load_n(&made[1], __ATOMIC_ACQUIRE) && !waitpid(pid, &st, WNOHANG)) {
		one = session_took();
		longest = one > longest ? one : longest;
		usleep(500000);
	}
	worker_stop(mine);
	unknown_now = unknown(&dev_genl);
	n = listed(&took);
	ksft_test_result(made[0] == cgroups, "nobody made %d containers of %d in %.0f s\n", made[0], cgroups, seconds_since(began));
	ksft_test_result(n - before >= made[0] || unknown_now > unknown_before,
			 "%ld are listed, %llu events were of containers that have no number\n", n - before,
			 (unsigned long long)(unknown_now - unknown_before));
	ksft_test_result(took < SOON, "to list them took %.2f s\n", took);
	one = session_took();
	ksft_test_result(one < SOON && longest < SOON, "a session of all took %.2f s, %.2f at the longest meanwhile\n", one, longest);
	ok = watch_ok(w);
	ksft_test_result(ok, "%llu calls of a traced container meanwhile: %s\n", (unsigned long long)(mine->made - calls),
			 ok ? "its account is exact" : w->why);
	close(go[1]);
	waitpid(pid, &st, 0);
	began = box_now();
	do {
		usleep(200000);
		n = listed(&took);
	} while (n > before + 2 && seconds_since(began) < 120);
	ksft_test_result(n <= before + 2, "%ld of them are left %.1f s after their end\n", n - before, seconds_since(began));
}

/* --- nested pid namespaces ---------------------------------------------------------------- */

/* Each level makes its calls, then the next level. Returns how many there were below and with this one. */
static int nest(int level)
{
	int st;
	pid_t pid;

	if (level)
		for (int i = 0; i < LEVEL_CALLS; i++)
			box_mark(LEVEL_MARK);
	if (level > LEVELS)
		return 1;
	pid = syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
	if (pid < 0)
		return level ? 1 : 0;
	if (!pid)
		_exit(nest(level + 1));
	while (waitpid(pid, &st, 0) < 0 && errno == EINTR)
		;
	return (WIFEXITED(st) ? WEXITSTATUS(st) : 0) + (level ? 1 : 0);
}

/* Counts the marked entries that the session has, and those whose container is the host. */
static long marked(int fd, long *hosts)
{
	static char buf[65536] __attribute__((aligned(8)));
	long seen = 0;
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		for (ssize_t at = 0; at < n; ) {
			const struct ctrace_record *r = (void *)(buf + at);
			uint64_t who;

			at += r->len;
			if (r->id != CTRACE_ID_SYS_ENTER + SYS_getpriority || r->len < sizeof(*r) + 8)
				continue;
			/* an int each: which, who */
			for (size_t i = sizeof(*r); i + 4 <= r->len; i += 4) {
				who = *(uint32_t *)((char *)r + i);
				if (who != LEVEL_MARK)
					continue;
				seen++;
				*hosts += r->cid == CTRACE_CID_HOST;
				break;
			}
		}
	}
	return seen;
}

static void nested(void)
{
	int fd = dev_open(O_NONBLOCK), st;
	long hosts = 0, seen;
	pid_t pid;

	if (dev_bind(fd, dev_session, CTRACE_CID_ALL, NULL))
		ksft_exit_fail_msg("bind\n");
	marked(fd, &hosts);
	hosts = 0;
	pid = fork();
	if (!pid) {
		close(dev_genl.fd);
		stranger_nobody();
		_exit(unshare(CLONE_NEWUSER) ? 0 : nest(0));
	}
	waitpid(pid, &st, 0);
	seen = marked(fd, &hosts);
	close(fd);
	if (!WIFEXITED(st) || !WEXITSTATUS(st)) {
		ksft_test_result_skip("nobody may make no user namespace\n");
		return;
	}
	ksft_test_result(WEXITSTATUS(st) >= LEVELS - 1 && seen == (long)WEXITSTATUS(st) * LEVEL_CALLS && !hosts,
			 "%d nested pid namespaces: %ld calls recorded of %d, %ld of them as the host's\n", WEXITSTATUS(st), seen,
			 WEXITSTATUS(st) * LEVEL_CALLS, hosts);
}

/* --- dumps that are never read -------------------------------------------------------------- */

/* Asks for each kind of dump on many sockets, and never reads. Returns how many sockets there are. */
static int never_reads(int sockets)
{
	static const uint8_t dumps[] = { CTRACE_CMD_EVENT_GET, CTRACE_CMD_CONTAINER_GET, CTRACE_CMD_TRACEPOINT_GET,
					 CTRACE_CMD_SESSION_GET };
	static struct msg m;
	int small = 2048, n;

	for (n = 0; n < sockets; n++) {
		struct genl g;

		if (genl_open(&g))
			break;
		setsockopt(g.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
		msg_new(&m, g.family, dumps[n % sizeof(dumps)], NLM_F_DUMP);
		m.h.nlmsg_seq = 1;
		if (send(g.fd, &m, m.h.nlmsg_len, 0) < 0)
			break;
	}
	return n;
}

static pid_t unread(bool privileged, int *ready)
{
	pid_t pid = fork();

	if (pid) {
		while (!__atomic_load_n(ready, __ATOMIC_ACQUIRE) && kill(pid, 0) == 0)
			usleep(10000);
		return pid;
	}
	close(dev_genl.fd);
	if (!privileged)
		stranger_nobody();
	__atomic_store_n(ready, never_reads(64) + 1, __ATOMIC_RELEASE);
	for (;;)
		pause();
}

static void unread_dumps(struct worker *mine, struct watch *w)
{
	int *ready = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (int privileged = 0; privileged < 2; privileged++) {
		double took, one;
		uint64_t began;
		pid_t pid;
		bool ok;

		*ready = 0;
		pid = unread(privileged, ready);
		worker_make(mine, 200);
		began = box_now();
		unknown(&dev_genl);
		took = seconds_since(began);
		listed(&one);
		one += session_took();
		ok = watch_ok(w);
		ksft_test_result(ok && took < SOON && one < SOON && *ready > 1,
				 "%d dumps that %s never reads: INFO_GET took %.2f s, a list and a session %.2f s; %s\n",
				 *ready - 1, privileged ? "root" : "nobody", took, one, ok ? "its account is exact" : w->why);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

/* --- forks --------------------------------------------------------------------------------- */

static int forks(void *arg)
{
	time_t end = time(NULL) + seconds;
	unsigned long *n = arg;

	stranger_nobody();
	for (int i = 0; i < 7; i++)
		if (!fork())
			break;
	while (time(NULL) < end) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid > 0)
			__sync_fetch_and_add(n, 1);
		waitpid(pid, NULL, 0);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}

static void fork_storm(struct worker *mine, struct watch *w)
{
	unsigned long *n = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t before = mine->made;
	char name[65], path[100];
	struct box b;
	bool ok;

	box_hex(name, "strangers-forks", getpid());
	snprintf(path, sizeof(path), "/box/%s", name);
	if (box_start(&b, path, CLONE_NEWPID, forks, n))
		ksft_exit_fail_msg("no container\n");
	worker_ask(mine, 2000);
	box_go(&b);
	box_end(&b);
	worker_stop(mine);
	ok = watch_ok(w);
	ksft_test_result(ok && *n, "%lu forks of a neighbour, %llu calls meanwhile: %s\n", *n,
			 (unsigned long long)(mine->made - before), ok ? "its account is exact" : w->why);
}

int main(int argc, char **argv)
{
	int *ready = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), err = -1;
	struct worker mine;
	struct watch w;
	pid_t pid;

	cgroups = argc > 1 ? atoi(argv[1]) : 2000;
	seconds = argc > 2 ? atoi(argv[2]) : 3;
	setvbuf(stdout, NULL, _IOLBF, 0);
	ksft_print_header();
	ksft_set_plan(6 + 1 + 2 + 1 + 1);
	if (box_init(BOX_MOUNTS))
		ksft_exit_fail_msg("no cgroups\n");
	stranger_session(STRANGER_RING, 4);
	worker_start(&mine, "many-mine", 0x6d61);
	watch_start(&w, &mine);
	dev_session_start(CTRACE_TARGET_ALL, 0);
	worker_make(&mine, 100);
	many_cgroups(&mine, &w);
	nested();
	unread_dumps(&mine, &w);
	fork_storm(&mine, &w);
	watch_end(&w);
	worker_end(&mine);
	/* what nobody asked for and does not read keeps no module */
	pid = unread(false, ready);
	stranger_session_end();
	for (int i = 0; i < 100 && err; i++) {
		err = syscall(SYS_delete_module, "ctrace", O_NONBLOCK) ? errno : 0;
		usleep(100000);
	}
	ksft_test_result(!err, "rmmod while nobody does not read his dumps: %s\n", err ? strerror(err) : "done");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	rmdir(user_top());
	ksft_finished();
}
