// SPDX-License-Identifier: GPL-2.0-only
/*
 * signalled statedump: measures how long the owner of a state dump lives after kill -9, while others wait
 * for its end.
 * signalled SECONDS [MODULE [SEED]]: processes wait in the module, for its lock, for the ends of probes and
 * sessions, in read() and poll(), during a dump or a state dump. They are interrupted (SIGINT, with and
 * without a handler) and killed at random moments. Each must be gone soon, and leave nothing. With MODULE,
 * the same for loading and unloading. On a slow machine it runs longer, until it has killed twice as many
 * processes as there are workers.
 */
#include "dev.h"
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#define WORKERS		8
#define IDLE		600	/* tasks for state dumps to list */
#define PATIENCE	60	/* seconds: for a machine that is emulated, with each access checked */

static uint32_t session;	/* the readers' session, which is the parent's */
static const char *module;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void nothing(int sig)
{
	(void)sig;
}

/* --- workers: none of them ends by itself ------------------------------------------ */

static void owner(void)
{
	static const char *const probes[] = {
		"syscalls", "calls", "sched_switch", "kprobe:do_exit", "raw:sched_wakeup",
		"p:signalled vfs_read a=%di:x64", "sample:50",
	};
	struct genl_sizes z = { .arena = 256 << 10, .ring = 8 << 10 };
	struct genl g;
	int id;

	if (genl_open(&g))
		_exit(2);
	for (;;) {
		z.flags = rnd() % 2 ? CTRACE_SESSION_F_STATEDUMP : 0;
		id = genl_session_new(&g, &z);
		if (id < 0)
			continue;
		for (int i = rnd() % 4; i >= 0; i--)
			genl_probe_add(&g, id, probes[rnd() % 7]);
		genl_target_add(&g, id, CTRACE_TARGET_ALL, 0);
		genl_session_do(&g, CTRACE_CMD_SESSION_SET, id, 1);
		if (rnd() % 2)
			genl_session_do(&g, CTRACE_CMD_SESSION_SET, id, 0);
		genl_session_do(&g, CTRACE_CMD_SESSION_DEL, id, -1);
	}
}

static void reader(bool polls)
{
	static char buf[65536];
	int fd = open(CTRACE_DEVICE, O_RDONLY | O_CLOEXEC);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t size = 0;
	char *map;

	if (fd < 0 || dev_bind(fd, session, rnd() % 2 ? CTRACE_CID_ALL : CTRACE_CID_HOST, &size))
		_exit(3);
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	for (uint64_t at = 0;; at = (at + 4096) % size) {
		if (polls && poll(&p, 1, -1) < 0 && errno != EINTR)
			_exit(4);
		if (!polls && read(fd, buf, sizeof(buf)) < 0 && errno != EINTR)
			_exit(5);
		if (map != MAP_FAILED)
			(void)*(volatile char *)(map + at);
	}
}

static void dumper(void)
{
	static const uint8_t cmds[] = {
		CTRACE_CMD_SESSION_GET, CTRACE_CMD_PROBE_GET, CTRACE_CMD_TARGET_GET, CTRACE_CMD_CONTAINER_GET,
		CTRACE_CMD_EVENT_GET, CTRACE_CMD_STATS_GET, CTRACE_CMD_TRACEPOINT_GET,
		CTRACE_CMD_TASK_GET, CTRACE_CMD_REQUEST_GET, CTRACE_CMD_FROZEN_GET,
	};
	static struct msg m;
	struct genl g;

	for (;;) {
		if (genl_open(&g))
			continue;
		for (int i = 0; i < 5; i++) {
			msg_new(&m, g.family, cmds[rnd() % sizeof(cmds)], NLM_F_DUMP);
			/* Do not go on after an interrupted dump: the next request on this socket may be
			 * told of the interruption. */
			if (genl_call(&g, &m, NULL, NULL))
				break;
		}
		close(g.fd);
	}
}

static void definer(void)
{
	static struct msg m;
	struct genl g;
	uint32_t at;

	if (genl_open(&g))
		_exit(2);
	for (;;) {
		for (int i = 0; i < 2; i++) {
			msg_new(&m, g.family, i ? CTRACE_CMD_EVENT_DEL : CTRACE_CMD_EVENT_NEW, 0);
			at = msg_nest(&m, CTRACE_A_EVENT);
			msg_str(&m, i ? CTRACE_A_EVENT_NAME : CTRACE_A_EVENT_DEFINITION,
				i ? "signalled_def" : "p:signalled_def vfs_write n=%dx");
			msg_nest_end(&m, at);
			genl_call(&g, &m, NULL, NULL);
		}
	}
}

static void loader(void)
{
	int fd = open(module, O_RDONLY | O_CLOEXEC);

	for (;;) {
		syscall(SYS_finit_module, fd, "", 0);
		usleep(rnd() % 20000);
		syscall(SYS_delete_module, "ctrace", O_NONBLOCK);
	}
}

static const char *const kinds[] = { "owner", "reader", "poller", "dumper", "definer", "loader" };

static int kind_of(int i)
{
	static const int of[WORKERS] = { 0, 0, 0, 1, 2, 3, 3, 4 };

	return module ? 5 : of[i];
}

static pid_t start(int i, bool handles)
{
	uint64_t seed = rnd();
	pid_t pid = fork();

	if (pid)
		return pid;
	rnd_state = seed;
	if (handles) {
		const struct sigaction sa = { .sa_handler = nothing };

		sigaction(SIGINT, &sa, NULL);
	}
	switch (kind_of(i)) {
	case 0: owner(); break;
	case 1: reader(false); break;
	case 2: reader(true); break;
	case 3: dumper(); break;
	case 4: definer(); break;
	default: loader();
	}
	_exit(0);
}

/* --- the parent -------------------------------------------------------------------------- */

static pid_t others[IDLE + 1];

static void others_start(void)
{
	for (int i = 0; i <= IDLE; i++) {
		others[i] = fork();
		if (others[i])
			continue;
		if (i)
			pause();
		for (uint32_t n = 0;; n++) {
			syscall(SYS_getpriority, 0x4d41524b, n);
			if (n % 64 == 0)
				usleep(1000);
		}
	}
}

static void others_end(void)
{
	for (int i = 0; i <= IDLE && others[i]; i++) {
		kill(others[i], SIGKILL);
		waitpid(others[i], NULL, 0);
	}
}

static void show_stack(pid_t pid)
{
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stack", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		ksft_print_msg("%s", line);
	if (f)
		fclose(f);
}

/* Returns the seconds until the process was gone; negative if it was not. */
static double gone_after(pid_t pid, int *status)
{
	double began = now();

	while (!waitpid(pid, status, WNOHANG)) {
		if (now() - began > PATIENCE)
			return -1;
		usleep(500);
	}
	return now() - began;
}

/* Starts a session that dumps all tasks, with many pauses on the way. */
static void dump_once(void)
{
	dev_session_make(&(struct genl_sizes){ .arena = 64 << 10, .ring = 8 << 10,
					       .flags = CTRACE_SESSION_F_STATEDUMP },
			 "syscall:getpriority");
	dev_session_start(CTRACE_TARGET_ALL, 0);
}

/* Starts a process with such a session, which ends with the process; writes to *told when the dump was
 * made. */
static pid_t dumping(int *told)
{
	pid_t pid;
	int p[2];

	if (pipe(p))
		ksft_exit_fail_msg("pipe: %s\n", strerror(errno));
	pid = fork();
	if (!pid) {
		dump_once();
		_exit(write(p[1], "", 1) != 1);
	}
	close(p[1]);
	*told = p[0];
	return pid;
}

static void statedump(void)
{
	double began, whole, end, took;
	int told, status;
	pid_t pid;
	char c;

	ksft_print_header();
	ksft_set_plan(1);
	others_start();
	began = now();
	pid = dumping(&told);
	if (read(told, &c, 1) != 1)
		ksft_exit_fail_msg("no dump\n");
	whole = now() - began;
	end = gone_after(pid, &status);
	pid = dumping(&told);
	usleep(whole * 200000);
	kill(pid, SIGKILL);
	took = gone_after(pid, &status);
	others_end();
	ksft_test_result(end >= 0 && took >= 0 && (WIFEXITED(status) || took < end + whole / 2),
			 "killed amid a state dump of %.3f s: gone after %.3f s, else its end took %.3f s\n",
			 whole, took, end);
}

int main(int argc, char **argv)
{
	double end, worst[6] = { 0 }, took;
	unsigned long kills = 0, ints = 0, hung = 0, ended = 0;
	int workers = WORKERS, status;
	pid_t pids[WORKERS];

	if (argc > 1 && !strcmp(argv[1], "statedump")) {
		statedump();
		ksft_finished();
	}
	module = argc > 2 && *argv[2] ? argv[2] : NULL;
	rnd_state = argc > 3 ? strtoull(argv[3], NULL, 0) : (uint64_t)time(NULL);
	ksft_print_header();
	ksft_set_plan(1);
	ksft_print_msg("seed %llu\n", (unsigned long long)rnd_state);
	if (module) {
		workers = 2;
	} else {
		dev_session_make(&(struct genl_sizes){ .arena = 512 << 10, .ring = 16 << 10 },
				 "syscall:getpriority");
		dev_session_start(CTRACE_TARGET_ALL, 0);
		session = dev_session;
		others_start();
	}
	for (int i = 0; i < workers; i++)
		pids[i] = start(i, false);
	/* From now on: on a slow machine, all of the above takes long. */
	end = now() + (argc > 1 ? atof(argv[1]) : 5);
	while ((now() < end || kills < 2UL * workers) && !hung) {
		int i = rnd() % workers;
		bool handles = rnd() % 2;

		usleep(rnd() % 30000);
		for (int n = rnd() % 4; n; n--, ints++) {
			kill(pids[i], SIGINT);
			usleep(rnd() % 3000);
		}
		kill(pids[i], SIGKILL);
		kills++;
		took = gone_after(pids[i], &status);
		if (took < 0) {
			hung++;
			ksft_print_msg("%s %d does not die:\n", kinds[kind_of(i)], pids[i]);
			show_stack(pids[i]);
			break;
		}
		if (took > worst[kind_of(i)])
			worst[kind_of(i)] = took;
		if (WIFEXITED(status)) {
			ended++;
			ksft_print_msg("%s ended by itself: %d\n", kinds[kind_of(i)], WEXITSTATUS(status));
		}
		pids[i] = start(i, handles);
	}
	for (int i = 0; i < workers; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, hung ? WNOHANG : 0);
	}
	others_end();
	for (int i = 0; i < 6; i++)
		if (worst[i] > 0)
			ksft_print_msg("%s: gone after %.3f s at most\n", kinds[i], worst[i]);
	ksft_test_result(!hung && !ended, "%lu killed, %lu told to stop, %lu hung, %lu ended by themselves\n",
			 kills, ints, hung, ended);
	ksft_finished();
}
