// SPDX-License-Identifier: GPL-2.0-only
/*
 * nl_memory charged DIR USAGE LIMIT: it runs in the memory cgroup DIR, which allows 64 MiB by its file LIMIT. A session
 * is charged to it, and one that is larger is refused. With "uncharged" in place of "charged" the kernel cannot charge
 * memory that is mapped (before 5.11): then the session's pages are mapped, touched and given back all the same.
 * nl_memory members PARAMETER: what one user's sessions may have without CAP_SYS_ADMIN; PARAMETER is the file of the
 * module's parameter. nl_memory sessions: how many sessions such a user may have. nl_memory many: targets and probes of
 * one session.
 */
#include "dev.h"
#include "box.h"
#include "caps.h"

#define MIB		(1ull << 20)
#define TARGETS		1024	/* of a session */
#define PROBES		4096

/* Returns the new session's id, or -errno. tables: bytes for aggregates. */
static int session(struct genl *g, uint64_t arena, uint64_t tables)
{
	static struct msg m;
	uint32_t id = 0, at;
	int err;

	msg_new(&m, g->family, CTRACE_CMD_SESSION_NEW, 0);
	at = msg_nest(&m, CTRACE_A_SESSION);
	msg_u64(&m, CTRACE_A_SESSION_ARENA_SIZE, arena);
	msg_u64(&m, CTRACE_A_SESSION_RING_SIZE, 65536);
	msg_u64(&m, CTRACE_A_SESSION_TABLE_SIZE, tables);
	msg_nest_end(&m, at);
	err = genl_call(g, &m, genl_session_fn, &id);
	return err ? err : (int)id;
}

static int session_end(struct genl *g, int id)
{
	return genl_session_do(g, CTRACE_CMD_SESSION_DEL, id, -1);
}

static void refused(const struct genl *g, int err, int expected, const char *word, const char *what)
{
	ksft_test_result(err == expected && strstr(g->text, word), "%s: expected %s and a text with '%s', seen %s \"%s\"\n", what,
			 strerror(-expected), word, err < 0 ? strerror(-err) : "success", g->text);
}

static void made(const struct genl *g, int id, const char *what)
{
	ksft_test_result(id > 0, "%s: expected a session, seen %d \"%s\"\n", what, id, g->text);
}

static long long number(const char *file)
{
	char text[32] = "";
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		ksft_exit_fail_msg("%s: %s\n", file, strerror(errno));
	close(fd);
	return atoll(text);
}

/* --- the cgroup --------------------------------------------------------------------------------------- */

/* Maps all that the session has, and reads a word of each page. */
static uint64_t look_at_all(int fd, uint64_t size)
{
	const char *p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	uint64_t sum = 0;

	if (p == MAP_FAILED)
		ksft_exit_fail_msg("mmap: %s\n", strerror(errno));
	for (uint64_t at = 0; at < size; at += 4096)
		sum += *(const volatile uint64_t *)(p + at);
	munmap((void *)p, size);
	return sum;
}

/* A charge may be given back a little later, by RCU. */
static bool falls_to(const char *file, long long at_most)
{
	for (int i = 0; i < 100; i++) {
		if (number(file) <= at_most)
			return true;
		usleep(100000);
	}
	return false;
}

static void in_cgroup(const char *usage, bool charged)
{
	long long before, with;
	uint64_t size = 0;
	int id, fd;

	ksft_set_plan(5);
	id = session(&dev_genl, 128 * MIB, 0);
	if (charged)
		refused(&dev_genl, id, -ENOMEM, "cgroup", "a session of more than the cgroup may have");
	else
		made(&dev_genl, id, "a session of more than the cgroup may have, which this kernel cannot charge");
	if (id > 0)
		session_end(&dev_genl, id);
	before = number(usage);
	id = session(&dev_genl, 32 * MIB, 0);
	made(&dev_genl, id, "a smaller one");
	with = number(usage);
	ksft_test_result((with - before >= (long long)(31 * MIB)) == charged, "the cgroup had %lld KiB, and has %lld with a session of %llu\n",
			 before >> 10, with >> 10, 32 * MIB >> 10);
	fd = dev_open(0);
	if (dev_bind(fd, id, CTRACE_CID_ALL, &size))
		ksft_exit_fail_msg("bind\n");
	ksft_test_result(look_at_all(fd, size), "all its pages are mapped\n");
	close(fd);
	session_end(&dev_genl, id);
	ksft_test_result(falls_to(usage, before + (long long)(8 * MIB)), "after its end the cgroup has %lld KiB\n", number(usage) >> 10);
}

/* --- members ------------------------------------------------------------------------------------------- */

/* A socket of a user with these capabilities and no other. The kernel asks the opener and the sender. */
static struct genl become(uint64_t caps)
{
	struct genl g;

	if (caps_only(caps) || genl_open(&g))
		ksft_exit_fail_msg("no socket with capabilities %#llx\n", (unsigned long long)caps);
	return g;
}

/* The module's parameter says 16 MiB. */
static void members(const char *parameter)
{
	const uint64_t perfmon = 1ull << 38, admin = 1 << CAP_SYS_ADMIN, lock = 1 << CAP_IPC_LOCK;
	int fd = open(parameter, O_WRONLY | O_CLOEXEC), bound, first, second, id;
	struct genl a, b;

	ksft_set_plan(11);
	if (fd < 0 || write(fd, "16", 2) != 2)
		ksft_exit_fail_msg("%s: %s\n", parameter, strerror(errno));
	close(fd);
	if (caps_of_nobody(perfmon | admin | lock))
		ksft_exit_fail_msg("cannot become another user\n");
	/* Each time fewer: what a process has given up it does not get back. */
	a = become(perfmon | admin | lock);
	id = session(&a, 24 * MIB, 0);
	made(&a, id, "with CAP_SYS_ADMIN there is no limit");
	session_end(&a, id);

	a = become(perfmon | lock);
	id = session(&a, 24 * MIB, 0);
	made(&a, id, "with CAP_IPC_LOCK there is none, either");
	session_end(&a, id);

	a = become(perfmon);
	b = become(perfmon);
	id = session(&a, 24 * MIB, 0);
	refused(&a, id, -ENOMEM, "member_memory", "a member's session of more than a user may have");
	id = session(&a, 2 * MIB, 24 * MIB);
	refused(&a, id, -ENOMEM, "member_memory", "one whose tables are too large");
	first = session(&a, 6 * MIB, 0);
	made(&a, first, "a smaller one");
	second = session(&b, 6 * MIB, 0);
	made(&b, second, "a second one");
	id = session(&b, 6 * MIB, 0);
	refused(&b, id, -ENOMEM, "member_memory", "a third one: sessions count together, whatever socket they have");
	bound = dev_open(0);
	dev_expect(0, dev_bind(bound, first, CTRACE_CID_ALL, NULL), "the first one is bound");
	session_end(&a, first);
	id = session(&b, 6 * MIB, 0);
	refused(&b, id, -ENOMEM, "member_memory", "it ends, but a descriptor keeps its memory");
	close(bound);
	id = session(&b, 6 * MIB, 0);
	made(&b, id, "the descriptor is closed");
	session_end(&b, id);
	session_end(&b, second);
	id = session(&b, 15 * MIB, 0);
	made(&b, id, "all have ended: nothing is left of them");
}

/* --- how many sessions ---------------------------------------------------------------------------------- */

/* A process of a user who may trace, with two sockets: it makes and ends sessions on request. */
struct member {
	int sock;
	pid_t pid;
};

struct answer {
	int ret;	/* the session, or -errno */
	char text[256];
};

struct question {
	int socket;
	int end;	/* this session; 0: make one */
	uint64_t arena;
};

static void member_run(int sock, uid_t uid, uint64_t caps)
{
	struct question q;
	struct answer a;
	struct genl g[2];

	if (caps_of(uid, caps) || genl_open(&g[0]) || genl_open(&g[1]))
		_exit(1);
	while (read(sock, &q, sizeof(q)) == sizeof(q)) {
		a.ret = q.end ? session_end(&g[q.socket], q.end) : session(&g[q.socket], q.arena, 0);
		strcpy(a.text, g[q.socket].text);
		if (write(sock, &a, sizeof(a)) != sizeof(a))
			_exit(1);
	}
	_exit(0);
}

static struct member member_new(uid_t uid, uint64_t caps)
{
	struct member m;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		ksft_exit_fail_msg("socketpair: %s\n", strerror(errno));
	m.sock = pair[0];
	m.pid = fork();
	if (!m.pid) {
		/* others' sockets, too: their processes end when these are closed */
		for (int fd = 3; fd < 64; fd++)
			if (fd != pair[1])
				close(fd);
		member_run(pair[1], uid, caps);
	}
	close(pair[1]);
	return m;
}

/* The answer's text is g's then, as if the member's process had been this one. */
static int member_ask(const struct member *m, struct question q)
{
	struct answer a = { .ret = -EIO };

	if (write(m->sock, &q, sizeof(q)) != sizeof(q) || read(m->sock, &a, sizeof(a)) != sizeof(a))
		ksft_exit_fail_msg("user's process has ended\n");
	memcpy(dev_genl.text, a.text, sizeof(a.text));
	return a.ret;
}

static int member_session(const struct member *m, int socket)
{
	return member_ask(m, (struct question){ .socket = socket, .arena = MIB });
}

static void member_end(struct member *m)
{
	close(m->sock);
	waitpid(m->pid, NULL, 0);
}

/* Until n sessions are made or one is refused. Returns how many; the last one is *last. */
static int member_fill(const struct member *m, int socket, int n, int *last)
{
	int i, id;

	for (i = 0; i < n; i++) {
		id = member_session(m, socket);
		if (id < 0)
			break;
		*last = id;
	}
	return i;
}

static void how_many(void)
{
	const uint64_t perfmon = 1ull << 38, lock = 1 << CAP_IPC_LOCK;
	struct member first = member_new(65534, perfmon | lock), second = member_new(65533, perfmon);
	int last = 0, own[32], n, id, waits;

	ksft_set_plan(15);
	n = member_fill(&first, 0, 9, &last) + member_fill(&first, 1, 9, &last);
	ksft_test_result(n == 16, "a user without CAP_SYS_ADMIN, but with CAP_IPC_LOCK, makes 16 sessions by two sockets (%d)\n", n);
	refused(&dev_genl, member_session(&first, 1), -EUSERS, "as many as a user without CAP_SYS_ADMIN may have: end one", "one more");
	refused(&dev_genl, member_session(&first, 0), -EUSERS, "user 65534 has 16 sessions", "one by the first socket");
	ksft_test_result(!member_ask(&first, (struct question){ .socket = 1, .end = last }), "one is ended\n");
	for (n = 0; n < 20; n++)
		id = member_ask(&first, (struct question){ .arena = 1 });
	refused(&dev_genl, id, -EINVAL, "too small", "20 that are refused for their size");
	made(&dev_genl, member_session(&first, 0), "they were not counted: another");
	refused(&dev_genl, member_session(&first, 0), -EUSERS, "16 sessions", "and no further one");

	for (n = 0; n < 16 && (own[n] = id = member_session(&second, 0)) > 0; n++)
		;
	ksft_test_result(n == 12, "another user makes sessions until they have 28 together (%d)\n", n);
	refused(&dev_genl, id, -EUSERS, "are kept for those with it: end one", "one more");
	while (n-- > 0)
		member_ask(&second, (struct question){ .end = own[n] });
	for (n = 0; n < 32 && (own[n] = session(&dev_genl, MIB, 0)) > 0; n++)
		;
	ksft_test_result(n == 16, "root makes all that are left, %d\n", n);
	refused(&dev_genl, session(&dev_genl, MIB, 0), -EUSERS, "all 32 sessions", "one more");
	for (n = 0; n < 20; n++)
		id = member_session(&second, 0);
	refused(&dev_genl, id, -EUSERS, "all 32 sessions", "20 of another user");
	session_end(&dev_genl, own[0]);
	made(&dev_genl, member_session(&second, 0), "root ended one: the other user has it");
	member_end(&first);
	for (n = 0; n < 200 && (id = member_session(&second, 1)) == -EUSERS; n++)
		usleep(20000);	/* sessions of a closed socket end a moment later */
	made(&dev_genl, id, "the first user's process has ended: the other one has another session");
	first = member_new(65534, perfmon);
	for (n = 0, waits = 0; n < 14 && waits < 1000; )	/* each of the 16 ends on its own */
		if (member_session(&first, 0) > 0)
			n++;
		else if (!usleep(20000))
			waits++;
	ksft_test_result(n == 14, "and the first one may make sessions again (%d)\n", n);
	member_end(&first);
	member_end(&second);
}

/* --- lists of a session ---------------------------------------------------------------------------------- */

static const char * const calls[] = {
	"read", "write", "close", "fstat", "lseek", "mmap", "mprotect", "munmap", "brk", "ioctl", "pread64", "pwrite64", "readv",
	"writev", "sched_yield", "mremap", "msync", "mincore", "madvise", "shmget", "shmat", "shmctl", "dup", "nanosleep",
	"getitimer", "setitimer", "getpid", "sendfile", "socket", "connect", "accept", "sendto", "recvfrom", "sendmsg", "recvmsg",
	"shutdown", "bind", "listen", "getsockname", "getpeername", "socketpair", "setsockopt", "getsockopt", "clone", "execve",
	"exit", "wait4", "kill", "uname", "semget", "semop", "semctl", "shmdt", "msgget", "msgsnd", "msgrcv", "msgctl", "fcntl",
	"flock", "fsync", "fdatasync", "truncate", "ftruncate", "getcwd", "chdir", "fchdir", "fchmod", "fchown", "umask",
};
#define CALLS	(sizeof(calls) / sizeof(*calls))

/* The n-th of CALLS * CALLS names of probes that are all different. */
static int probe(int s, unsigned int n)
{
	char name[64];

	snprintf(name, sizeof(name), "call:%s,%s", calls[n / CALLS], calls[n % CALLS]);
	return genl_probe_add(&dev_genl, s, name);
}

static void many(void)
{
	int s = session(&dev_genl, 4 * MIB, 0), id, last = 0, n = 0;

	ksft_set_plan(7);
	while (n <= TARGETS && (id = genl_target_add(&dev_genl, s, CTRACE_TARGET_CID, CTRACE_CID_HOST)) > 0) {
		last = id;
		n++;
	}
	ksft_test_result(n == TARGETS, "%d targets of a session\n", n);
	refused(&dev_genl, id, -ENOSPC, "1024 targets", "one more");
	genl_target_del(&dev_genl, s, last);
	id = genl_target_add(&dev_genl, s, CTRACE_TARGET_ALL, 0);
	ksft_test_result(id > last, "another after one was deleted (%d)\n", id);
	id = session(&dev_genl, 4 * MIB, 0);
	ksft_test_result(genl_target_add(&dev_genl, id, CTRACE_TARGET_ALL, 0) > 0, "another session has its own\n");
	for (n = 0; n <= PROBES && (last = probe(s, n)) > 0; n++)
		;
	ksft_test_result(n == PROBES, "%d probes of a session\n", n);
	refused(&dev_genl, last, -ENOSPC, "4096 probes", "one more");
	ksft_test_result(probe(id, 0) > 0, "another session has its own\n");
}

int main(int argc, char **argv)
{
	ksft_print_header();
	if (genl_open(&dev_genl))
		ksft_exit_fail_msg("no genetlink family\n");
	if (argc == 3 && (!strcmp(argv[1], "charged") || !strcmp(argv[1], "uncharged")))
		in_cgroup(argv[2], argv[1][0] == 'c');
	else if (argc == 3 && !strcmp(argv[1], "members"))
		members(argv[2]);
	else if (argc == 2 && !strcmp(argv[1], "sessions"))
		how_many();
	else if (argc == 2 && !strcmp(argv[1], "many"))
		many();
	else
		ksft_exit_fail_msg("nl_memory: which test?\n");
	ksft_finished();
}
