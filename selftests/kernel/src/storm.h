/* SPDX-License-Identifier: GPL-2.0-only */
/* storm.h: what the tasks in storm.c's containers do, and what is done to the machine at that time. */
#ifndef STORM_H
#define STORM_H

#include "box.h"
#include "readers.h"
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#define BOXES_MAX	64
#define TASKS		2	/* in each container, beside its init */
#define READERS_MAX	64

/* --- what all processes share --------------------------------------------------------- */

/* Marked calls that one task made: in its main loop, in signal handlers, in its children. */
struct made {
	uint64_t here, handler, children;
	pid_t pid;	/* in its own pid namespace */
	int _pad;
};

static struct shared {
	int stop_work, stop_read;
	uint64_t plugged, moved, not_moved;
	uint32_t cids[BOXES_MAX];
	struct made made[BOXES_MAX][TASKS];
	struct result results[READERS_MAX];
} *sh;

static int boxes = 50, cpus;
static struct box box[BOXES_MAX];

static bool at_work(void)
{
	return !__atomic_load_n(&sh->stop_work, __ATOMIC_RELAXED);
}

/* --- storms --------------------------------------------------------------------------- */

static int number;		/* of this container */
static struct made *mine;

static void mark(uint64_t *count)
{
	box_mark(number);
	(*(volatile uint64_t *)count)++;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu % cpus, &set);
	sched_setaffinity(0, sizeof(set), &set);	/* this CPU may just now be offline */
}

static void storm_calls(void)
{
	while (at_work())
		mark(&mine->here);
}

static void storm_forks(void)
{
	int st;

	while (at_work()) {
		pid_t pid = fork();

		if (!pid) {
			box_mark(number);
			box_mark(number);
			_exit(2);
		}
		if (pid > 0 && waitpid(pid, &st, 0) == pid && WIFEXITED(st))
			mine->children += WEXITSTATUS(st);
		mark(&mine->here);
	}
}

/* Two tasks on different CPUs that wake each other. */
static void storm_switches(void)
{
	int a[2], b[2], st;
	uint64_t n = 0;
	pid_t pid;
	char c;

	if (pipe(a) || pipe(b))
		_exit(1);
	pid = fork();
	if (!pid) {
		close(a[1]);
		close(b[0]);
		pin(number + 1);
		while (read(a[0], &c, 1) == 1 && write(b[1], &c, 1) == 1)
			;
		_exit(0);
	}
	close(a[0]);
	close(b[1]);
	pin(number);
	while (at_work() && write(a[1], "x", 1) == 1 && read(b[0], &c, 1) == 1)
		if (!(n++ % 4))
			mark(&mine->here);
	close(a[1]);
	waitpid(pid, &st, 0);
}

static void on_alarm(int sig)
{
	int e = errno;

	(void)sig;
	mark(&mine->handler);
	errno = e;
}

static void storm_signals(void)
{
	struct itimerval every = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &every, NULL);
	while (at_work()) {
		mark(&mine->here);
		kill(getpid(), SIGALRM);
		usleep(100);
	}
	setitimer(ITIMER_REAL, &never, NULL);
}

static void storm_packets(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t len = sizeof(at);
	char data[64] = "";

	if (bind(s, (void *)&at, sizeof(at)) || getsockname(s, (void *)&at, &len))
		_exit(1);
	while (at_work()) {
		for (int i = 0; i < 8; i++)
			if (sendto(s, data, sizeof(data), 0, (void *)&at, sizeof(at)) < 0)
				usleep(100);
		while (recv(s, data, sizeof(data), MSG_DONTWAIT) > 0)
			;
		mark(&mine->here);
	}
}

/* Interrupts from one processor to the others, and tasks that hop between them. */
static void storm_ipis(void)
{
	uint64_t n = 0;

	syscall(SYS_membarrier, NEWER_MEMBARRIER_REGISTER_GLOBAL_EXPEDITED, 0, 0);
	while (at_work()) {
		syscall(SYS_membarrier, NEWER_MEMBARRIER_GLOBAL_EXPEDITED, 0, 0);
		mark(&mine->here);
		if (!(n++ % 16))
			pin(n / 16);
	}
}

static void (*const storms[])(void) = {
	storm_calls, storm_forks, storm_switches, storm_signals, storm_packets, storm_ipis,
};

static int in_container(void *arg)
{
	int st, bad = 0;

	number = (long)arg;
	for (int t = 0; t < TASKS; t++) {
		if (fork())
			continue;
		mine = &sh->made[number][t];
		__atomic_store_n(&mine->pid, getpid(), __ATOMIC_RELEASE);
		storms[(number + t) % (sizeof(storms) / sizeof(*storms))]();
		_exit(0);
	}
	while (wait(&st) > 0)
		bad |= st;
	return !!bad;
}

/* --- what is done to the machine --------------------------------------------------------- */

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), n, len = strlen(text);

	if (fd < 0)
		return -1;
	n = write(fd, text, len);
	close(fd);
	return n == len ? 0 : -1;
}

#define ONLINE	"/sys/devices/system/cpu/cpu1/online"

static void plug(void)
{
	/* at least once, however slow the machine */
	for (int tries = 0; at_work() || (!sh->plugged && tries < 20); tries++) {
		if (!write_file(ONLINE, "0"))
			sh->plugged++;
		usleep(30000 + rand() % 100000);
		write_file(ONLINE, "1");
		usleep(30000 + rand() % 100000);
	}
	_exit(0);
}

/* Moves a task of one container to the cgroup of another, whatever it is doing just now. */
static void move(void)
{
	static pid_t tasks[BOXES_MAX][TASKS];
	static int there[BOXES_MAX];

	while (at_work()) {
		int of = rand() % boxes;

		if (there[of] < TASKS)
			there[of] = box_children(box[of].pid, tasks[of], TASKS);
		if (!there[of])
			continue;
		if (box_cgroup_enter(box[rand() % boxes].path, tasks[of][rand() % there[of]]))
			sh->not_moved++;
		else
			sh->moved++;
		usleep(500);
	}
	_exit(0);
}

#endif
