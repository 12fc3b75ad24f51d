// SPDX-License-Identifier: GPL-2.0-only
/*
 * nl_waits [PROCESSES]: nobody waits for ctrace's control, and control for nobody. While a state dump of that
 * many processes (default 1500; two thirds of them 32 pid namespaces deep, so with a record for each level) is
 * written into small rings, other users of generic netlink, INFO_GET, another session, and the births of containers go on.
 */
#include "dev.h"
#include "box.h"
#include <sys/prctl.h>
#include <sys/wait.h>

#define DEPTH	32	/* the kernel allows no more */

static double seconds(void)
{
	return box_now() / 1e9;
}

/* --- the crowd ------------------------------------------------------------------------------- */

static void wait_for_death(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

/* Makes a namespace in a namespace, and so on, and n processes in the last one. Does not return. */
static void go_down(int levels, int n, int ready)
{
	pid_t pid = 0;

	while (levels-- && !pid)
		pid = box_clone(CLONE_NEWPID, -1);
	if (pid < 0)
		_exit(1);
	if (pid)
		wait_for_death();
	for (int i = 0; i < n; i++)
		if (!fork())
			wait_for_death();
	if (write(ready, "", 1) != 1)
		_exit(1);
	wait_for_death();
}

/* Returns the first process of the crowd, whose death is the death of all. */
static pid_t crowd(int n)
{
	int p[2];
	pid_t pid;
	char c;

	if (pipe(p))
		ksft_exit_fail_msg("pipe: %s\n", strerror(errno));
	pid = box_clone(CLONE_NEWPID, -1);
	if (!pid) {
		for (int i = 0; i < n / 3; i++)
			if (!fork())
				wait_for_death();
		go_down(DEPTH - 1, n - n / 3, p[1]);
	}
	close(p[1]);
	if (pid < 0 || read(p[0], &c, 1) != 1)
		ksft_exit_fail_msg("no crowd of %d processes\n", n);
	close(p[0]);
	return pid;
}

/* --- the recorder ---------------------------------------------------------------------------- */

/* What the recorder wrote down, in memory that it shares with us. */
static struct {
	uint32_t session;
	double began, ended;
	int err;
} *told;

static pid_t recorder(void)
{
	pid_t pid;

	memset(told, 0, sizeof(*told));
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dev_session_make(&(struct genl_sizes){ .arena = 128 << 10, .ring = 16 << 10,
						       .flags = CTRACE_SESSION_F_STATEDUMP }, "syscall:getpriority");
		if (genl_target_add(&dev_genl, dev_session, CTRACE_TARGET_ALL, 0) < 0)
			_exit(1);
		told->session = dev_session;
		told->began = seconds();
		told->err = genl_session_do(&dev_genl, CTRACE_CMD_SESSION_SET, dev_session, 1);
		told->ended = seconds();
		wait_for_death();
	}
	while (!*(volatile double *)&told->began)
		usleep(1000);
	return pid;
}

static bool dumping(void)
{
	return !*(volatile double *)&told->ended;
}

static void gone(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* --- those who must not wait ------------------------------------------------------------------ */

static struct genl other;

/* As `genl ctrl list` does. */
static int ctrl_list(void)
{
	static struct msg m;

	msg_new(&m, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_DUMP);
	return genl_call(&other, &m, NULL, NULL);
}

/* As a program does that looks for a family. */
static int ctrl_get(void)
{
	static struct msg m;

	msg_new(&m, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	msg_str(&m, CTRL_ATTR_FAMILY_NAME, "nlctrl");
	return genl_call(&other, &m, NULL, NULL);
}

static int info_get(void)
{
	static struct msg m;

	msg_new(&m, other.family, CTRACE_CMD_INFO_GET, 0);
	return genl_call(&other, &m, NULL, NULL);
}

static int sessions_get(void)
{
	static struct msg m;

	msg_new(&m, other.family, CTRACE_CMD_SESSION_GET, NLM_F_DUMP);
	return genl_call(&other, &m, NULL, NULL);
}

static int session(void)
{
	struct genl_sizes z = { .arena = 256 << 10, .ring = 8 << 10 };
	int id = genl_session_new(&other, &z), err;

	if (id < 0)
		return id;
	err = genl_probe_add(&other, id, "sched_switch");
	return err < 0 ? err : genl_session_do(&other, CTRACE_CMD_SESSION_DEL, id, -1);
}

/* A container is born: it is a pid namespace. How long until its birth is announced? */
static int birth(void)
{
	struct timeval tv = { .tv_sec = 60 };
	struct sockaddr_nl nl = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC), err = -ETIME;
	char buf[8192];
	struct nlmsghdr *h = (void *)buf;
	pid_t pid;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	if (fd < 0 || bind(fd, (void *)&nl, sizeof(nl)) ||
	    setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &other.mcgrp, sizeof(other.mcgrp)))
		return -errno;
	pid = box_clone(CLONE_NEWPID, -1);
	if (!pid) {
		box_mark(1);
		wait_for_death();
	}
	while (err && recv(fd, buf, sizeof(buf), 0) > (ssize_t)NLMSG_HDRLEN)
		if (((struct genlmsghdr *)NLMSG_DATA(h))->cmd == CTRACE_CMD_CONTAINER_NEW &&
		    msg_get_u32(h, CTRACE_A_CONTAINER, CTRACE_A_CONTAINER_INIT_PID) == (uint32_t)pid)
			err = 0;
	gone(pid);
	close(fd);
	return err;
}

static struct {
	const char *what;
	int (*fn)(void);
	double longest;
	unsigned int times;
	int err;
} who[] = {
	{ .what = "genl ctrl list", .fn = ctrl_list },
	{ .what = "a look for a family", .fn = ctrl_get },
	{ .what = "INFO_GET", .fn = info_get },
	{ .what = "SESSION_GET", .fn = sessions_get },
	{ .what = "another session", .fn = session },
	{ .what = "a birth", .fn = birth },
};
#define WHO	(sizeof(who) / sizeof(*who))

static void beside_a_dump(void)
{
	double whole;
	pid_t pid = recorder();

	usleep(100000);
	while (dumping()) {
		for (size_t i = 0; i < WHO; i++) {
			double began = seconds(), took;

			who[i].err = who[i].fn() ?: who[i].err;
			took = seconds() - began;
			if (took > who[i].longest)
				who[i].longest = took;
			who[i].times++;
		}
		usleep(10000);
	}
	whole = told->ended - told->began;
	gone(pid);
	ksft_test_result(!told->err && whole > 2, "a state dump takes %.1f s, more than 2 (%d)\n", whole, told->err);
	for (size_t i = 0; i < WHO; i++)
		ksft_test_result(!who[i].err && who[i].longest < whole / 4 && who[i].times > 3,
				 "%s beside it: %.0f ms at most, of %u (%d)\n", who[i].what, who[i].longest * 1e3,
				 who[i].times, who[i].err);
}

/* --- ends ------------------------------------------------------------------------------------- */

struct look {
	uint32_t session;
	bool there;
	uint64_t events;
};

static int look_fn(const struct nlmsghdr *h, void *arg)
{
	struct look *l = arg;

	if (msg_get_u32(h, CTRACE_A_SESSION, CTRACE_A_SESSION_ID) == l->session) {
		l->there = true;
		l->events = msg_get_u64(h, CTRACE_A_SESSION, CTRACE_A_SESSION_EVENTS);
	}
	return 0;
}

static struct look look(uint32_t id)
{
	struct look l = { .session = id };
	static struct msg m;

	msg_new(&m, other.family, CTRACE_CMD_SESSION_GET, NLM_F_DUMP);
	genl_call(&other, &m, look_fn, &l);
	return l;
}

static void killed(double whole)
{
	pid_t pid = recorder();
	double began;

	usleep(whole * 200000);
	began = seconds();
	gone(pid);
	while (look(told->session).there && seconds() - began < 2 * whole)
		usleep(1000);
	began = seconds() - began;
	ksft_test_result(began < whole / 4, "its owner is killed amid a dump: it is gone after %.0f ms\n", began * 1e3);
}

/* The answer to a start comes when the dump is complete; no record of it comes later. */
static void answered(int n)
{
	pid_t pid = recorder();
	uint64_t events;

	while (dumping())
		usleep(1000);
	events = look(told->session).events;
	usleep(300000);
	ksft_test_result(events > (uint64_t)n * 20 && look(told->session).events == events,
			 "the start is answered after %llu records, and no more come\n", (unsigned long long)events);
	gone(pid);
}

/* The answer to the request with this number: its error. Returns the time it took. */
static double answer(uint32_t seq, int *err, char *text)
{
	double began = seconds();
	char buf[8192];
	struct nlmsghdr *h = (void *)buf;

	*err = -ETIME;
	text[0] = 0;
	while (recv(dev_genl.fd, buf, sizeof(buf), 0) > 0) {
		struct nlmsgerr *e = NLMSG_DATA(h);

		if (h->nlmsg_type != NLMSG_ERROR || h->nlmsg_seq != seq)
			continue;
		*err = e->error;
		if (e->error && h->nlmsg_flags & NLM_F_ACK_TLVS) {
			genl_take_text(&dev_genl, h, NLMSG_HDRLEN + sizeof(*e));
			strcpy(text, dev_genl.text);
		}
		break;
	}
	return seconds() - began;
}

static void set_state(uint32_t seq, uint32_t on)
{
	static struct msg m;
	uint32_t at;

	msg_new(&m, dev_genl.family, CTRACE_CMD_SESSION_SET, NLM_F_ACK);
	m.h.nlmsg_seq = seq;
	at = msg_nest(&m, CTRACE_A_SESSION);
	msg_u32(&m, CTRACE_A_SESSION_ID, dev_session);
	msg_u32(&m, CTRACE_A_SESSION_STATE, on);
	msg_nest_end(&m, at);
	if (send(dev_genl.fd, &m, m.h.nlmsg_len, 0) < 0)
		ksft_exit_fail_msg("send: %s\n", strerror(errno));
}

/* Starts, and stops at once, over the same socket. Both are answered, and the session can be started again. */
static void stopped(double whole)
{
	struct timeval tv = { .tv_sec = 60 };
	double began = seconds();
	char text[256];
	int first, second;

	dev_session_make(&(struct genl_sizes){ .arena = 128 << 10, .ring = 16 << 10,
					       .flags = CTRACE_SESSION_F_STATEDUMP }, "syscall:getpriority");
	if (genl_target_add(&dev_genl, dev_session, CTRACE_TARGET_ALL, 0) < 0)
		ksft_exit_fail_msg("no target\n");
	setsockopt(dev_genl.fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	set_state(1001, 1);
	usleep(whole * 100000);
	set_state(1002, 0);
	answer(1001, &first, text);
	answer(1002, &second, dev_genl.text);
	began = seconds() - began;
	ksft_test_result(first == -ECANCELED && strstr(text, "state dump"), "the start is answered: %s \"%s\"\n",
			 strerror(-first), text);
	ksft_test_result(!second && began < whole / 2, "so is the stop amid it: %s, after %.0f ms\n",
			 strerror(-second), began * 1e3);
	set_state(1003, 1);
	usleep(whole * 100000);
	ksft_test_result(!genl_session_do(&dev_genl, CTRACE_CMD_SESSION_DEL, dev_session, -1),
			 "and it is deleted amid its second dump\n");
	close(dev_genl.fd);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1500;
	double whole;
	pid_t pid;

	told = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ksft_print_header();
	ksft_set_plan(1 + WHO + 5);
	if (told == MAP_FAILED || genl_open(&other))
		ksft_exit_fail_msg("no socket\n");
	pid = crowd(n);
	beside_a_dump();
	whole = told->ended - told->began;
	killed(whole);
	answered(n);
	stopped(whole);
	gone(pid);
	ksft_finished();
}
