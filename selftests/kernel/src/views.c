// SPDX-License-Identifier: GPL-2.0-only
/*
 * views kept|taken|dead|realtime, views expires TRACEFS: what a view's holder keeps, and when he loses it; and a view that cannot be had. The
 * holder is a process of nobody's, which is given the descriptor over a socket.
 */
#include "views.h"
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define MAX_VIEWS	20
#define DRAIN_US	(CTRACE_VIEW_DRAIN_MS * 1000)

/* What a holder sees of a view. */
struct seen {
	uint32_t state;		/* of the directory */
	int records;		/* that read() gave, or -errno */
	int bytes;		/* of the mapping, behind the directory, that are not 0 */
	int hup;		/* poll() says so */
	int again;		/* it can be mapped again */
};

struct held {
	int fd;
	char *map;
	uint64_t size;
};

static int hold(struct held *h, int sock)
{
	struct ctrace_shown s;

	h->fd = dev_fd_recv(sock);
	if (h->fd < 0 || ioctl(h->fd, CTRACE_IOC_INFO, &s))
		return -1;
	h->size = s.map_size;
	fcntl(h->fd, F_SETFL, O_NONBLOCK);
	h->map = mmap(NULL, h->size, PROT_READ, MAP_SHARED, h->fd, 0);
	return h->map == MAP_FAILED ? -1 : 0;
}

static struct seen see(const struct held *h)
{
	static char buf[65536] __attribute__((aligned(8)));
	struct pollfd p = { .fd = h->fd, .events = POLLIN };
	struct seen s = { 0 };
	ssize_t n;
	char *q;

	for (uint64_t at = 4096; at < h->size; at += 8)
		s.bytes += *(volatile uint64_t *)(h->map + at) != 0;
	while ((n = read(h->fd, buf, sizeof(buf))) > 0)
		for (ssize_t at = 0; at < n; at += ((struct ctrace_record *)(buf + at))->len)
			s.records += ((struct ctrace_record *)(buf + at))->id != CTRACE_ID_LOST;
	if (n < 0 && errno != EAGAIN)
		s.records = -errno;
	s.hup = poll(&p, 1, 0) == 1 && p.revents & POLLHUP;
	s.state = *(volatile uint32_t *)&((struct ctrace_dir *)h->map)->state;
	q = mmap(NULL, h->size, PROT_READ, MAP_SHARED, h->fd, 0);
	s.again = q != MAP_FAILED && ((struct ctrace_dir *)q)->state == s.state;
	if (q != MAP_FAILED)
		munmap(q, h->size);
	return s;
}

/*
 * The holder: takes `n` views; then, for each byte 'l' that comes, reports what it sees of all. Ends with
 * the socket.
 */
static pid_t holder(int n, int *sock)
{
	struct held h[MAX_VIEWS];
	struct seen s;
	int sv[2];
	pid_t pid;
	char c;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv))
		ksft_exit_fail_msg("socketpair\n");
	pid = fork();
	if (pid) {
		close(sv[1]);
		*sock = sv[0];
		return pid;
	}
	close(sv[0]);
	if (to_nobody())
		_exit(1);
	for (int i = 0; i < n; i++)
		if (hold(&h[i], sv[1]) || write(sv[1], "h", 1) != 1)
			_exit(2);
	while (read(sv[1], &c, 1) == 1)
		for (int i = 0; i < n; i++) {
			s = see(&h[i]);
			if (write(sv[1], &s, sizeof(s)) != sizeof(s))
				_exit(3);
		}
	_exit(0);
}

static void give(int sock, int fd)
{
	char c;

	dev_fd_send(sock, fd);
	if (read(sock, &c, 1) != 1)
		ksft_exit_fail_msg("the holder did not take the view\n");
}

static struct seen ask(int sock, int n, struct seen *all)
{
	struct seen s = { 0 };

	if (write(sock, "l", 1) != 1)
		ksft_exit_fail_msg("no holder\n");
	for (int i = 0; i < n; i++) {
		if (read(sock, &s, sizeof(s)) != sizeof(s))
			ksft_exit_fail_msg("the holder said nothing\n");
		if (all)
			all[i] = s;
	}
	return s;
}

static bool revoked(const struct seen *s)
{
	return s->state == CTRACE_DIR_REVOKED && !s->records && !s->bytes && s->hup && s->again;
}

static void tell(const char *what, const struct seen *s)
{
	ksft_print_msg("%s: state %u, read %d, %d words not 0, hup %d, mapped again %d\n", what, s->state, s->records,
		       s->bytes, s->hup, s->again);
}

/* Arenas of at least `bytes` that exist. */
static int arenas(uint64_t bytes)
{
	FILE *f = fopen("/proc/vmallocinfo", "re");
	char line[512];
	int n = 0;
	char *at;

	while (f && fgets(line, sizeof(line), f)) {
		at = strchr(line, ' ');
		n += at && strstr(line, "[ctrace]") && strtoull(at, NULL, 10) >= bytes;
	}
	if (f)
		fclose(f);
	return n;
}

/* --- kept: the session ends ------------------------------------------------------------------ */

static int session_with_view(const struct genl_sizes *s, int *fd)
{
	int id = -ENOMEM;

	/* arenas of sessions that ended before remain while their views drain */
	for (int i = 0; i < 200 && id == -ENOMEM; i++) {
		id = genl_session_new(&dev_genl, s);
		if (id == -ENOMEM)
			usleep(100000);
	}
	if (id < 0)
		ksft_exit_fail_msg("no session: %s: %s\n", strerror(-id), dev_genl.text);
	dev_session = id;
	if (genl_probe_add(&dev_genl, id, "syscall:getpriority") < 0)
		ksft_exit_fail_msg("no probe: %s\n", dev_genl.text);
	*fd = dev_open(0);
	if (dev_bind(*fd, id, CTRACE_CID_HOST, NULL))
		ksft_exit_fail_msg("no view: %s\n", strerror(errno));
	dev_session_start(CTRACE_TARGET_PID, getpid());
	return id;
}

static void kept(void)
{
	struct genl_sizes s = { .arena = 64 << 20, .ring = 65536 };
	struct seen all[MAX_VIEWS];
	int sock, fd, id, bad = 0, left = 0;
	pid_t pid;

	ksft_set_plan(4);
	if (genl_open(&dev_genl))
		ksft_exit_fail_msg("no family\n");
	pid = holder(MAX_VIEWS, &sock);
	for (int i = 0; i < MAX_VIEWS; i++) {
		id = session_with_view(&s, &fd);
		give(sock, fd);
		close(fd);
		for (int k = 0; k < 10; k++)
			box_mark(k);
		genl_session_do(&dev_genl, CTRACE_CMD_SESSION_DEL, id, -1);
	}
	ask(sock, MAX_VIEWS, all);
	tell("just ended", &all[MAX_VIEWS - 1]);
	ksft_test_result(all[MAX_VIEWS - 1].state == CTRACE_DIR_ENDED && all[MAX_VIEWS - 1].records == 20 &&
			 all[MAX_VIEWS - 1].hup && all[MAX_VIEWS - 1].bytes,
			 "a session that has just ended can be read to its end\n");
	usleep(DRAIN_US);
	for (int i = 0; i < 100; i++) {
		left = arenas(60 << 20);
		if (!left)
			break;
		usleep(100000);
	}
	ksft_test_result(!left, "%d views are held: %d arenas of 64 MiB are left\n", MAX_VIEWS, left);
	ask(sock, MAX_VIEWS, all);
	for (int i = 0; i < MAX_VIEWS; i++)
		bad += !revoked(&all[i]);
	tell("after the time to drain", &all[0]);
	ksft_test_result(!bad, "all of them read as revoked (%d do not)\n", bad);
	close(sock);
	waitpid(pid, &bad, 0);
	ksft_test_result(!bad, "the holder met no fault: status %#x\n", bad);
}

/* --- taken: by the giver ---------------------------------------------------------------------- */

/* Blocks in read() or poll() on the view, as nobody, and exits with what it got. */
static pid_t blocked(int fd, bool reads)
{
	pid_t pid = fork();
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char buf[4096];
	ssize_t n;

	if (pid)
		return pid;
	if (to_nobody())
		_exit(100);
	fcntl(fd, F_SETFL, 0);
	if (reads) {
		while ((n = read(fd, buf, sizeof(buf))) > 0)
			;
		_exit(n ? 101 : 0);
	}
	for (;;) {
		if (poll(&p, 1, -1) < 0)
			_exit(102);
		if (p.revents & POLLHUP)
			_exit(p.revents & POLLIN ? 103 : 0);
	}
}

/* Is a word behind the directory not 0? */
static bool any_word(const char *p, uint64_t size)
{
	for (uint64_t at = 4096; at < size; at += 8)
		if (*(volatile const uint64_t *)(p + at))
			return true;
	return false;
}

/*
 * Faults all pages in, over and over, while the view is revoked, and then looks whether one of the arena's has come
 * back: a fault that began before must not insert it after the mapping was emptied.
 */
static pid_t toucher(int fd, uint64_t size)
{
	pid_t pid = fork();
	const struct ctrace_dir *dir;
	char *p;

	if (pid)
		return pid;
	p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	dir = (void *)p;
	while (*(volatile const uint32_t *)&dir->state != CTRACE_DIR_REVOKED) {
		madvise(p, size, MADV_DONTNEED);
		for (uint64_t at = 4096; at < size; at += 4096)
			(void)*(volatile char *)(p + at);
	}
	usleep(200000);		/* it says so before its pages go */
	_exit(any_word(p, size));
}

static void taken(void)
{
	struct genl_sizes s = { .arena = 4 << 20, .ring = 65536 };
	int sock, fd, id, st[4], err, sum = 0;
	struct ctrace_shown shown;
	struct seen before, after;
	struct rlimit no = { 0, 0 };
	pid_t pid, p[4];

	setrlimit(RLIMIT_CORE, &no);
	ksft_set_plan(6);
	if (genl_open(&dev_genl))
		ksft_exit_fail_msg("no family\n");
	pid = holder(1, &sock);
	id = session_with_view(&s, &fd);
	if (ioctl(fd, CTRACE_IOC_INFO, &shown))
		ksft_exit_fail_msg("no info\n");
	give(sock, fd);
	for (int k = 0; k < 10; k++)
		box_mark(k);
	before = ask(sock, 1, NULL);
	tell("before", &before);
	ksft_test_result(before.state == CTRACE_DIR_RUNNING && before.records == 20 && before.bytes && !before.hup,
			 "a view of a session that runs\n");
	p[0] = blocked(fd, true);
	p[1] = blocked(fd, false);
	p[2] = toucher(fd, shown.map_size);
	p[3] = toucher(fd, shown.map_size);
	usleep(300000);
	err = ioctl(fd, CTRACE_IOC_REVOKE) ? -errno : 0;
	dev_expect(0, err, "its giver takes it back");
	after = ask(sock, 1, NULL);
	tell("after", &after);
	ksft_test_result(revoked(&after), "the holder reads that it has ended, and nothing else\n");
	for (int i = 0; i < 4; i++) {
		waitpid(p[i], &st[i], 0);
		sum += st[i] != 0;
	}
	ksft_test_result(!sum, "read() that waited %#x, poll() that waited %#x, and who touched pages meanwhile %#x %#x\n",
			 st[0], st[1], st[2], st[3]);
	fd = dev_open(0);
	err = dev_bind(fd, id, CTRACE_CID_HOST, NULL);
	for (int k = 0; k < 5; k++)
		box_mark(k);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	ksft_test_result(!err && read(fd, (char[65536]){ 0 }, 65536) > 0, "the session goes on, and gives another view\n");
	close(sock);
	waitpid(pid, &err, 0);
	ksft_test_result(!err, "the holder met no fault: status %#x\n", err);
}

/* --- dead: the container dies ------------------------------------------------------------------- */

static int maker(void *arg)
{
	cpu_set_t set;
	long n = (long)arg;

	for (int cpu = 0; n && cpu < CPU_SETSIZE; cpu++) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (!sched_setaffinity(0, sizeof(set), &set))
			for (long i = 0; i < n; i++)
				box_mark(i);
	}
	return 0;
}

static void dead(void)
{
	struct genl_sizes s = { .arena = 0, .ring = 8192 };
	int sock, fd, err, st, cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct box a, b;
	struct seen last;
	uint32_t cid;
	uint64_t t;
	pid_t pid;

	ksft_set_plan(5);
	if (box_init(BOX_MOUNTS))
		ksft_exit_fail_msg("no cgroups\n");
	/* on each CPU the shared ring, and one for one container */
	s.arena = 8192 + cpus * 2 * (12288 + 8);
	dev_session_make(&s, "syscall:getpriority");
	pid = holder(1, &sock);
	cid = start(&a, "views-a", maker, 20);
	fd = dev_open(0);
	dev_expect(0, dev_bind(fd, dev_session, cid, NULL), "a view of the first container");
	dev_session_start(CTRACE_TARGET_CID, cid);
	give(sock, fd);
	close(fd);
	box_go(&a);
	box_end(&a);
	cid = start(&b, "views-b", maker, 20);
	fd = dev_open(0);
	err = dev_view(fd, dev_session, cid, NULL);
	dev_expect(-ENOSPC, err < 0 ? err : 0, "no ring for the second while the first drains");
	t = box_now();
	while (err == -ENOSPC && box_now() - t < 40000000000ull) {
		usleep(200000);
		err = dev_view(fd, dev_session, cid, NULL);
	}
	ksft_test_result(err >= 0, "after %llu ms the dead container's rings are free: %s\n",
			 (unsigned long long)(box_now() - t) / 1000000, err < 0 ? strerror(-err) : "a view");
	last = ask(sock, 1, NULL);
	tell("the first's view", &last);
	ksft_test_result(revoked(&last), "its view reads as revoked\n");
	box_go(&b);
	box_end(&b);
	close(sock);
	waitpid(pid, &st, 0);
	ksft_test_result(!st, "the holder met no fault: status %#x\n", st);
}

/* --- realtime: a task owns a CPU -------------------------------------------------------------------- */

static void put_number(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		ksft_exit_skip("%s cannot be set to %s\n", file, text);
	close(fd);
}

/* Owns CPU 1, for a while or until it is killed. */
static pid_t owner(void)
{
	struct sched_param par = { .sched_priority = 1 };
	pid_t pid = fork();
	cpu_set_t set;

	if (pid)
		return pid;
	alarm(40);
	CPU_ZERO(&set);
	CPU_SET(1, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || sched_setscheduler(0, SCHED_FIFO, &par))
		_exit(1);
	for (;;)
		;
}

static void rung(int sig)
{
	(void)sig;
}

static int dump_fn(const struct nlmsghdr *h, void *arg)
{
	(void)h;
	++*(int *)arg;
	return 0;
}

/* How long control takes at that time, in ms. */
static int control(void)
{
	uint64_t t = box_now();
	static struct msg m;
	struct genl g;
	int n = 0;

	if (genl_open(&g))
		return -1;
	msg_new(&m, g.family, CTRACE_CMD_STATS_GET, NLM_F_DUMP);
	genl_call(&g, &m, dump_fn, &n);
	return n ? (int)((box_now() - t) / 1000000) : -1;
}

static void realtime(void)
{
	struct sigaction sa = { .sa_handler = rung };
	struct genl_sizes s = { .arena = 4 << 20, .ring = 65536 };
	int fd, err, took[2], p[2];
	pid_t pid, asker;
	uint64_t t;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		ksft_exit_skip("needs two CPUs\n");
	ksft_set_plan(4);
	put_number("/proc/sys/kernel/sched_rt_runtime_us", "-1");
	sigaction(SIGALRM, &sa, NULL);
	dev_session_make(&s, "syscall:getpriority");
	fd = dev_open(0);
	if (pipe(p))
		ksft_exit_fail_msg("pipe\n");
	pid = owner();
	usleep(200000);
	alarm(1);
	err = dev_view(fd, dev_session, CTRACE_CID_HOST, NULL);
	dev_expect(-EINTR, err < 0 ? err : 0, "a signal ends the waiting");
	asker = fork();
	if (!asker) {
		sleep(2);
		took[0] = control();
		_exit(write(p[1], took, sizeof(took[0])) < 0);
	}
	t = box_now();
	err = dev_view(fd, dev_session, CTRACE_CID_HOST, NULL);
	took[1] = (box_now() - t) / 1000000;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	put_number("/proc/sys/kernel/sched_rt_runtime_us", "950000");
	ksft_test_result(err == -ETIMEDOUT && took[1] < 30000, "a view that CPU 1 does not prepare: %s after %d ms\n",
			 err < 0 ? strerror(-err) : "given", took[1]);
	if (read(p[0], took, sizeof(took[0])) != sizeof(took[0]))
		took[0] = -1;
	waitpid(asker, NULL, 0);
	ksft_test_result(took[0] >= 0 && took[0] < 4000, "control answered meanwhile, after %d ms\n", took[0]);
	err = dev_view(fd, dev_session, CTRACE_CID_HOST, NULL);
	dev_expect(0, err < 0 ? err : 0, "a view when the CPU is free again");
}

/* --- expires: on which worker ------------------------------------------------------------------------- */

/* The newest line of the kernel's own trace that has the word. */
static bool traced(const char *tracefs, const char *word, char *line, size_t n)
{
	char path[128], l[512];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/trace", tracefs);
	f = fopen(path, "r");
	while (f && fgets(l, sizeof(l), f))
		if (strstr(l, word)) {
			snprintf(line, n, "%s", l + strspn(l, " "));
			found = true;
		}
	if (f)
		fclose(f);
	return found;
}

/*
 * A view that is taken back may have very many mappings to empty: a worker of one CPU would keep others' work there waiting.
 * Workers that are bound to no CPU are called kworker/u.
 */
static void expires(const char *tracefs)
{
	struct genl_sizes s = { .arena = 4 << 20, .ring = 65536 };
	const volatile struct ctrace_dir *dir;
	char line[512] = "no line", path[128];
	uint64_t t;
	int fd;

	snprintf(path, sizeof(path), "%s/events/workqueue/workqueue_execute_start/enable", tracefs);
	if (access(path, W_OK))
		ksft_exit_skip("%s: %s\n", path, strerror(errno));
	ksft_set_plan(2);
	dev_session_make(&s, "syscall:getpriority");
	fd = dev_open(0);
	if (dev_bind(fd, dev_session, CTRACE_CID_HOST, NULL))
		ksft_exit_fail_msg("no view\n");
	dir = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	if (dir == MAP_FAILED)
		ksft_exit_fail_msg("no mapping\n");
	put_number(path, "1");
	genl_session_do(&dev_genl, CTRACE_CMD_SESSION_DEL, dev_session, -1);
	t = box_now();
	while (dir->state != CTRACE_DIR_REVOKED && box_now() - t < 40000000000ull)
		usleep(20000);
	put_number(path, "0");
	ksft_test_result(dir->state == CTRACE_DIR_REVOKED, "the view of a session that has ended is revoked after %llu ms\n",
			 (unsigned long long)(box_now() - t) / 1000000);
	ksft_test_result(traced(tracefs, "function expire [ctrace]", line, sizeof(line)) && !strncmp(line, "kworker/u", 9),
			 "by a worker that is bound to no CPU: %s\n", strtok(line, "\n"));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*fn)(void);
	} tests[] = {
		{ "kept", kept }, { "taken", taken }, { "dead", dead }, { "realtime", realtime },
	};

	ksft_print_header();
	if (argc == 3 && !strcmp(argv[1], "expires")) {
		expires(argv[2]);
		ksft_finished();
	}
	for (size_t i = 0; argc > 1 && i < sizeof(tests) / sizeof(*tests); i++)
		if (!strcmp(argv[1], tests[i].name)) {
			tests[i].fn();
			ksft_finished();
		}
	return 2;
}
