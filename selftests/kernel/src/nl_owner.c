// SPDX-License-Identifier: GPL-2.0-only
/*
 * nl_owner: a session belongs to its socket. No other socket changes it, unprivileged users cannot make
 * one, and it ends when the socket closes. So does a definition, unless it was made to stay.
 */
#include "dev.h"
#include <sys/wait.h>

static int count_fn(const struct nlmsghdr *h, void *arg)
{
	(void)h;
	(*(int *)arg)++;
	return 0;
}

static int dump_count(struct genl *g, uint8_t cmd)
{
	static struct msg m;
	int n = 0, err;

	msg_new(&m, g->family, cmd, NLM_F_DUMP);
	err = genl_call(g, &m, count_fn, &n);
	return err ? err : n;
}

static int probe_del(struct genl *g, uint32_t session, uint32_t probe)
{
	static struct msg m;
	uint32_t at;

	msg_new(&m, g->family, CTRACE_CMD_PROBE_DEL, 0);
	at = msg_nest(&m, CTRACE_A_SESSION);
	msg_u32(&m, CTRACE_A_SESSION_ID, session);
	msg_nest_end(&m, at);
	at = msg_nest(&m, CTRACE_A_PROBE);
	msg_u32(&m, CTRACE_A_PROBE_ID, probe);
	msg_nest_end(&m, at);
	return genl_call(g, &m, NULL, NULL);
}

static void others(void)
{
	struct genl a, b;
	int s, p;

	if (genl_open(&a) || genl_open(&b))
		ksft_exit_fail_msg("no sockets\n");
	s = genl_session_new(&a, NULL);
	p = genl_probe_add(&a, s, "syscall:getpriority");
	ksft_test_result(s > 0 && p > 0, "a session with a probe (%d, %d: %s)\n", s, p, a.text);
	dev_expect(-EPERM, genl_session_do(&b, CTRACE_CMD_SESSION_SET, s, 1), "another starts it");
	dev_expect(-EPERM, genl_probe_add(&b, s, "sched_switch"), "another adds a probe");
	dev_expect(-EPERM, probe_del(&b, s, p), "another takes a probe away");
	dev_expect(-EPERM, genl_target_add(&b, s, CTRACE_TARGET_ALL, 0), "another adds a target");
	dev_expect(-EPERM, genl_session_do(&b, CTRACE_CMD_SESSION_DEL, s, -1), "another ends it");
	ksft_test_result(b.text[0], "with a reason: \"%s\"\n", b.text);
	ksft_test_result(dump_count(&b, CTRACE_CMD_SESSION_GET) == 1, "but another sees it\n");
	dev_expect(0, probe_del(&a, s, p), "its owner takes the probe away");
	dev_expect(-ENOENT, probe_del(&a, s, p), "once");
	close(a.fd);
	for (int i = 0; i < 100 && dump_count(&b, CTRACE_CMD_SESSION_GET); i++)
		usleep(20000);
	ksft_test_result(!dump_count(&b, CTRACE_CMD_SESSION_GET), "the socket closes, the session is gone\n");
	ksft_test_result(!dump_count(&b, CTRACE_CMD_PROBE_GET), "and so are its probes\n");
	close(b.fd);
}

static int define(struct genl *g, uint8_t cmd, const char *text, uint32_t flags)
{
	static struct msg m;
	uint32_t at;

	msg_new(&m, g->family, cmd, 0);
	at = msg_nest(&m, CTRACE_A_EVENT);
	msg_str(&m, cmd == CTRACE_CMD_EVENT_NEW ? CTRACE_A_EVENT_DEFINITION : CTRACE_A_EVENT_NAME, text);
	if (flags)
		msg_u32(&m, CTRACE_A_EVENT_FLAGS, flags);
	msg_nest_end(&m, at);
	return genl_call(g, &m, NULL, NULL);
}

/* What EVENT_GET says of the definition of that name. */
struct defined {
	const char *name;
	uint32_t flags, owner;
	int n;
};

static int defined_fn(const struct nlmsghdr *h, void *arg)
{
	struct defined *d = arg;
	const char *name = msg_get(h, CTRACE_A_EVENT, CTRACE_A_EVENT_NAME, NULL);

	if (!name || strcmp(name, d->name) || !msg_get(h, CTRACE_A_EVENT, CTRACE_A_EVENT_DEFINITION, NULL))
		return 0;
	d->n++;
	d->flags = msg_get_u32(h, CTRACE_A_EVENT, CTRACE_A_EVENT_FLAGS);
	d->owner = msg_get_u32(h, CTRACE_A_EVENT, CTRACE_A_EVENT_OWNER);
	return 0;
}

static struct defined defined(struct genl *g, const char *name)
{
	struct defined d = { .name = name };
	static struct msg m;

	msg_new(&m, g->family, CTRACE_CMD_EVENT_GET, NLM_F_DUMP);
	genl_call(g, &m, defined_fn, &d);
	return d;
}

static void definitions(void)
{
	struct genl a, b;
	struct defined d;

	if (genl_open(&a) || genl_open(&b))
		ksft_exit_fail_msg("no sockets\n");
	dev_expect(0, define(&a, CTRACE_CMD_EVENT_NEW, "p:own_mine do_exit", 0), "a definition");
	dev_expect(0, define(&a, CTRACE_CMD_EVENT_NEW, "p:own_kept do_exit", CTRACE_EVENT_F_KEEP), "one to be kept");
	d = defined(&b, "own_mine");
	ksft_test_result(d.n == 1 && !d.flags && d.owner == (uint32_t)getpid(),
			 "another sees it: %d of it, flags %u, owner %u, which is %u\n", d.n, d.flags, d.owner, getpid());
	d = defined(&b, "own_kept");
	ksft_test_result(d.n == 1 && d.flags == CTRACE_EVENT_F_KEEP && d.owner == (uint32_t)getpid(),
			 "and the other: %d of it, flags %u, owner %u\n", d.n, d.flags, d.owner);
	dev_expect(-EEXIST, define(&b, CTRACE_CMD_EVENT_NEW, "p:own_mine do_exit", 0), "its name is taken");
	close(a.fd);
	ksft_test_result(!defined(&b, "own_mine").n, "the socket closes, the definition is gone\n");
	ksft_test_result(defined(&b, "own_kept").n == 1, "the one to be kept is there\n");
	dev_expect(-ENOENT, define(&b, CTRACE_CMD_EVENT_DEL, "own_mine", 0), "what is gone cannot be deleted");
	dev_expect(0, define(&b, CTRACE_CMD_EVENT_NEW, "p:own_mine do_exit", 0), "its name is free");
	if (genl_open(&a))
		ksft_exit_fail_msg("no socket\n");
	dev_expect(0, define(&a, CTRACE_CMD_EVENT_DEL, "own_mine", 0), "another deletes one");
	dev_expect(0, define(&a, CTRACE_CMD_EVENT_DEL, "own_kept", 0), "and one that was to be kept");
	close(a.fd);
	close(b.fd);
}

/* A probe of another socket, named in a session of one's own. */
static void crossed(void)
{
	struct genl a, b;
	int sa, sb, p;

	if (genl_open(&a) || genl_open(&b))
		ksft_exit_fail_msg("no sockets\n");
	sa = genl_session_new(&a, NULL);
	sb = genl_session_new(&b, NULL);
	p = genl_probe_add(&a, sa, "sched_switch");
	dev_expect(-ENOENT, probe_del(&b, sb, p), "another session's probe is not found in mine");
	close(a.fd);
	close(b.fd);
}

static void unprivileged(void)
{
	int p[2], r[5] = { 0 };
	pid_t pid;

	if (pipe(p))
		ksft_exit_fail_msg("pipe\n");
	pid = fork();
	if (!pid) {
		struct genl g;

		if (setgid(65534) || setuid(65534))
			_exit(1);
		r[0] = genl_open(&g);
		r[1] = genl_session_new(&g, NULL);
		r[2] = dump_count(&g, CTRACE_CMD_SESSION_GET);
		r[3] = dump_count(&g, CTRACE_CMD_CONTAINER_GET);
		r[4] = dump_count(&g, CTRACE_CMD_STATS_GET);
		_exit(write(p[1], r, sizeof(r)) != sizeof(r));
	}
	if (read(p[0], r, sizeof(r)) != sizeof(r))
		ksft_exit_fail_msg("child\n");
	waitpid(pid, NULL, 0);
	dev_expect(0, r[0], "nobody finds the family");
	dev_expect(-EPERM, r[1], "nobody makes no session");
	dev_expect(-EPERM, r[2], "nobody lists no sessions");
	dev_expect(-EPERM, r[3], "nobody lists no containers");
	dev_expect(-EPERM, r[4], "nobody reads no statistics");
}

/* Dumps that are read half, and left in the middle. */
static void interrupted(void)
{
	static struct msg m;
	char buf[4096];
	int err = 0;

	for (int i = 0; i < 200; i++) {
		struct genl g;

		err |= genl_open(&g);
		msg_new(&m, g.family, CTRACE_CMD_EVENT_GET, NLM_F_DUMP);
		if (send(g.fd, &m, m.h.nlmsg_len, 0) < 0)
			err = -errno;
		if (i & 1 && recv(g.fd, buf, sizeof(buf), 0) < 0)
			err = -errno;
		close(g.fd);
	}
	ksft_test_result(!err, "200 dumps left in the middle (%d)\n", err);
}

int main(void)
{
	ksft_print_header();
	ksft_set_plan(12 + 11 + 1 + 5 + 1);
	others();
	definitions();
	crossed();
	unprivileged();
	interrupted();
	ksft_finished();
}
