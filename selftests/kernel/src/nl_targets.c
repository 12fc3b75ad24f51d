// SPDX-License-Identifier: GPL-2.0-only
/*
 * nl_targets: targets are added, listed and deleted by their ids; a pid target that is deleted takes away
 * what it led to, and only that. A target of births has what is born after it, and lets single containers go.
 * Also: the module's features are what the module does.
 */
#include "dev.h"
#include "box.h"
#include <sys/prctl.h>
#include <sys/wait.h>

#define WORKERS	4
#define TARGETS	256	/* pid targets in the module */

/* --- workers: processes that make the marked call, or fork the next worker, on request -------------- */

static int to[WORKERS][2], from[WORKERS][2];
static pid_t workers[WORKERS];
static uint32_t cids[WORKERS];	/* of each worker's newest record */

static void work(int i)
{
	pid_t pid;
	char c;

	while (read(to[i][0], &c, 1) == 1) {
		if (c == 'c') {
			box_mark(i);
			pid = 0;
		} else {
			pid = fork();
			if (!pid) {
				i++;	/* the new process is the next worker */
				continue;
			}
		}
		if (write(from[i][1], &pid, sizeof(pid)) != sizeof(pid))
			break;
	}
	_exit(0);
}

static pid_t tell(int i, char c)
{
	pid_t pid = -1;

	if (write(to[i][1], &c, 1) != 1 || read(from[i][0], &pid, sizeof(pid)) != sizeof(pid))
		ksft_exit_fail_msg("worker %d\n", i);
	return pid;
}

/* Each worker that exists calls once. *seen: bit i is set if a record of worker i came. */
static void calls(int fd, uint32_t *seen)
{
	static char buf[1 << 16] __attribute__((aligned(8)));
	ssize_t n;

	for (int i = 0; i < WORKERS; i++)
		if (workers[i])
			tell(i, 'c');
	*seen = 0;
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (ssize_t at = 0; at < n; ) {
			const struct ctrace_record *r = (void *)(buf + at);

			for (int i = 0; i < WORKERS; i++)
				if (r->id != CTRACE_ID_LOST && r->tid == workers[i]) {
					*seen |= 1u << i;
					cids[i] = r->cid;
				}
			at += r->len;
		}
}

static void expect(int fd, uint32_t expected, const char *what)
{
	uint32_t seen;

	calls(fd, &seen);
	ksft_test_result(seen == expected, "%s: expected records of %#x, seen %#x\n", what, expected, seen);
}

/* --- ids --------------------------------------------------------------------------------------- */

struct listed {
	uint32_t session, n, ids[8], kinds[8];
};

static int listed_fn(const struct nlmsghdr *h, void *arg)
{
	struct listed *l = arg;

	if (msg_get_u32(h, CTRACE_A_SESSION, CTRACE_A_SESSION_ID) != l->session || l->n == 8)
		return 0;
	l->ids[l->n] = msg_get_u32(h, CTRACE_A_TARGET, CTRACE_A_TARGET_ID);
	l->kinds[l->n++] = msg_get_u32(h, CTRACE_A_TARGET, CTRACE_A_TARGET_KIND);
	return 0;
}

static struct listed listed(uint32_t session)
{
	struct listed l = { .session = session };
	static struct msg m;

	msg_new(&m, dev_genl.family, CTRACE_CMD_TARGET_GET, NLM_F_DUMP);
	genl_call(&dev_genl, &m, listed_fn, &l);
	return l;
}

static void refused(int err, int expected, const char *word, const char *what)
{
	ksft_test_result(err == expected && strstr(dev_genl.text, word), "%s: expected %s and a text with '%s', seen %s \"%s\"\n",
			 what, strerror(-expected), word, err < 0 ? strerror(-err) : "success", dev_genl.text);
}

static void ids(void)
{
	int s = genl_session_new(&dev_genl, NULL), other = genl_session_new(&dev_genl, NULL);
	int a = genl_target_add(&dev_genl, s, CTRACE_TARGET_ALL, 0);
	int b = genl_target_add(&dev_genl, s, CTRACE_TARGET_CID, CTRACE_CID_HOST);
	int c = genl_target_add(&dev_genl, s, CTRACE_TARGET_PID, getpid());
	int d = genl_target_add(&dev_genl, other, CTRACE_TARGET_ALL, 0);
	struct listed l = listed(s);

	ksft_test_result(s > 0 && other > 0 && 0 < a && a < b && b < c && c < d, "each target has an id: %d %d %d %d\n", a, b, c, d);
	ksft_test_result(l.n == 3 && l.ids[0] == (uint32_t)a && l.ids[1] == (uint32_t)b && l.ids[2] == (uint32_t)c &&
			 l.kinds[0] == CTRACE_TARGET_ALL && l.kinds[1] == CTRACE_TARGET_CID && l.kinds[2] == CTRACE_TARGET_PID,
			 "%u targets are listed with their ids and kinds\n", l.n);
	refused(genl_target_del(&dev_genl, s, d), -ENOENT, "has no target", "another session's target");
	dev_expect(0, genl_target_del(&dev_genl, s, b), "a target is deleted by its id");
	refused(genl_target_del(&dev_genl, s, b), -ENOENT, "has no target", "once");
	l = listed(s);
	ksft_test_result(l.n == 2 && l.ids[0] == (uint32_t)a && l.ids[1] == (uint32_t)c, "%u targets are left\n", l.n);
	genl_session_do(&dev_genl, CTRACE_CMD_SESSION_DEL, s, -1);
	genl_session_do(&dev_genl, CTRACE_CMD_SESSION_DEL, other, -1);
}

/* --- pid targets ---------------------------------------------------------------------------------- */

static int pid_target(int worker)
{
	int id = genl_target_add(&dev_genl, dev_session, CTRACE_TARGET_PID, workers[worker]);

	if (id < 0)
		ksft_exit_fail_msg("a target: %s: %s\n", strerror(-id), dev_genl.text);
	return id;
}

/* Worker 0 is targeted and forks 1; then 1 is targeted as well and forks 2; nobody targets 3. */
static void pids(int fd)
{
	int first, second, again;

	first = pid_target(0);
	workers[1] = tell(0, 'f');
	second = pid_target(1);
	workers[2] = tell(1, 'f');
	expect(fd, 7, "two targets and what they forked");
	dev_expect(0, genl_target_del(&dev_genl, dev_session, first), "the first target goes");
	expect(fd, 6, "what the second target covers stays");
	again = pid_target(0);
	expect(fd, 7, "the first process again, by a new target");
	dev_expect(0, genl_target_del(&dev_genl, dev_session, second), "the second target goes");
	expect(fd, 1, "what the new target found it follows, and no more");
	dev_expect(0, genl_target_del(&dev_genl, dev_session, again), "the last target goes");
	expect(fd, 0, "none is left");
}

/* The module has room for so many, and for another when one goes. */
static void limit(void)
{
	int s = genl_session_new(&dev_genl, NULL), id, last = 0, n = 0;

	while ((id = genl_target_add(&dev_genl, s, CTRACE_TARGET_PID, getpid())) > 0 && n < 2 * TARGETS) {
		last = id;
		n++;
	}
	ksft_test_result(n == TARGETS, "%d pid targets\n", n);
	refused(id, -ENOSPC, "pid targets", "one more");
	genl_target_del(&dev_genl, s, last);
	id = genl_target_add(&dev_genl, s, CTRACE_TARGET_PID, getpid());
	ksft_test_result(id > last, "another after one was deleted (%d)\n", id);
	genl_session_do(&dev_genl, CTRACE_CMD_SESSION_DEL, s, -1);
	id = pid_target(0);
	dev_expect(0, genl_target_del(&dev_genl, dev_session, id), "and for all after the session's end");
}

/* --- births --------------------------------------------------------------------------------------------- */

static int let_go(uint32_t session, uint32_t target, uint32_t cid)
{
	static struct msg m;
	uint32_t at;

	msg_new(&m, dev_genl.family, CTRACE_CMD_TARGET_DEL, 0);
	at = msg_nest(&m, CTRACE_A_SESSION);
	msg_u32(&m, CTRACE_A_SESSION_ID, session);
	msg_nest_end(&m, at);
	at = msg_nest(&m, CTRACE_A_TARGET);
	msg_u32(&m, CTRACE_A_TARGET_ID, target);
	msg_u32(&m, CTRACE_A_TARGET_CID, cid);
	msg_nest_end(&m, at);
	return genl_call(&dev_genl, &m, NULL, NULL);
}

/*
 * Makes worker i anew, as the init of a pid namespace, which makes it a container. The old one must be gone
 * first: a killed process that waits in read() may still take the byte that is meant for the new one.
 */
static void boxed(int i)
{
	kill(workers[i], SIGKILL);
	if (waitpid(workers[i], NULL, 0) != workers[i])
		ksft_exit_fail_msg("worker %d is not ours: %s\n", i, strerror(errno));
	workers[i] = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
	if (!workers[i])
		work(i);
	if (workers[i] < 0)
		ksft_exit_fail_msg("no pid namespace: %s\n", strerror(errno));
}

/* Worker 3 is older than the target; 0, 1 and 2 are born after it. */
static void births(int fd)
{
	int born, host, s;

	boxed(3);
	born = genl_target_add(&dev_genl, dev_session, CTRACE_TARGET_BORN, 0);
	ksft_test_result(born > 0, "a target of births (%d)\n", born);
	for (int i = 0; i < 3; i++)
		boxed(i);
	expect(fd, 7, "what is born after the target, and nothing older");
	ksft_test_result(cids[0] && cids[1] && cids[2] && cids[0] != cids[1] && cids[1] != cids[2] && cids[0] != cids[2],
			 "these are three containers: %u %u %u\n", cids[0], cids[1], cids[2]);
	dev_expect(0, let_go(dev_session, born, cids[1]), "one of them is let go");
	dev_expect(0, let_go(dev_session, born, cids[1]), "and again, which changes nothing");
	expect(fd, 5, "without that one");
	host = genl_target_add(&dev_genl, dev_session, CTRACE_TARGET_CID, CTRACE_CID_HOST);
	dev_expect(0, genl_target_del(&dev_genl, dev_session, host), "another target comes and goes");
	expect(fd, 5, "the masks were made anew, and are the same");
	ksft_test_result(listed(dev_session).n == 1, "there is one target, whatever was let go\n");
	refused(let_go(dev_session, born, 0x7ffffff0), -ENOENT, "2147483632", "an unknown container is let go");
	s = genl_session_new(&dev_genl, NULL);
	refused(let_go(s, born, cids[0]), -ENOENT, "has no target", "another session's");
	host = genl_target_add(&dev_genl, s, CTRACE_TARGET_ALL, 0);
	refused(let_go(s, host, cids[0]), -EINVAL, "not of kind BORN", "a target that is not of births");
	genl_session_do(&dev_genl, CTRACE_CMD_SESSION_DEL, s, -1);
	expect(fd, 5, "the other session's end changes nothing here");
	dev_expect(0, genl_target_del(&dev_genl, dev_session, born), "the target goes");
	expect(fd, 0, "and all that it had");
	born = genl_target_add(&dev_genl, dev_session, CTRACE_TARGET_BORN, 0);
	expect(fd, 0, "a new one has nothing older than itself");
	boxed(2);
	expect(fd, 4, "but what is born then");
	genl_target_del(&dev_genl, dev_session, born);
}

/* --- features ---------------------------------------------------------------------------------------- */

static int features_fn(const struct nlmsghdr *h, void *arg)
{
	*(uint64_t *)arg = msg_get_u64(h, CTRACE_A_INFO, CTRACE_A_INFO_FEATURES);
	return 0;
}

static void features(int fd)
{
	const struct ctrace_dir *d = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	int view = dev_open(0), bound, sample;
	static struct msg m;
	uint64_t f = 0;

	msg_new(&m, dev_genl.family, CTRACE_CMD_INFO_GET, 0);
	genl_call(&dev_genl, &m, features_fn, &f);
	ksft_test_result(d != MAP_FAILED && d->features == f, "the directory tells the features that INFO_GET tells: %#llx\n",
			 (unsigned long long)f);
	bound = dev_bind(view, dev_session, CTRACE_CID_HOST, NULL);
	ksft_test_result(bound == (f & CTRACE_FEATURE_VIEWS ? 0 : -EOPNOTSUPP), "views of one container (%s)\n", strerror(-bound));
	close(view);
	sample = genl_probe_add(&dev_genl, dev_session, "sample:10");
	ksft_test_result(f & CTRACE_FEATURE_SAMPLES ? sample > 0 : sample == -EOPNOTSUPP, "samples (%d)\n", sample);
}

int main(void)
{
	struct genl_sizes s = { .arena = 4 << 20, .ring = 65536 };
	int fd, err;

	ksft_print_header();
	ksft_set_plan(6 + 8 + 4 + 17 + 3);
	for (int i = 0; i < WORKERS; i++)
		if (pipe(to[i]) || pipe(from[i]))
			ksft_exit_fail_msg("no pipe\n");
	/* A worker whose parent is gone becomes a child of this process, which waits for it in boxed(). */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
		ksft_exit_fail_msg("prctl: %s\n", strerror(errno));
	workers[0] = fork();
	if (!workers[0])
		work(0);
	workers[3] = fork();
	if (!workers[3])
		work(3);
	dev_session_make(&s, "syscall:getpriority");
	fd = dev_open(O_NONBLOCK);
	err = dev_bind(fd, dev_session, CTRACE_CID_ALL, NULL) ?:
	      genl_session_do(&dev_genl, CTRACE_CMD_SESSION_SET, dev_session, 1);
	if (err)
		ksft_exit_fail_msg("bind or start: %s: %s\n", strerror(-err), dev_genl.text);
	ids();
	pids(fd);
	limit();
	births(fd);
	features(fd);
	for (int i = 0; i < WORKERS; i++)
		kill(workers[i], SIGKILL);
	ksft_finished();
}
