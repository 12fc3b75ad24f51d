// SPDX-License-Identifier: GPL-2.0-only
/*
 * crowd N: makes N containers, each a cgroup and a pid namespace with one process that waits. Prints "born"
 * and the median ns for making one, over the last half of them. After SIGINT it removes them, and prints
 * "died" and the median for removing one.
 */
#include "box.h"
#include "values.h"

static volatile sig_atomic_t interrupted;

static void on_int(int sig)
{
	interrupted = sig;
}

static void path_of(char path[100], int i)
{
	char hex[65];

	box_hex(hex, "crowd", i);
	snprintf(path, 100, "/crowd/%s", hex);
}

static int born(pid_t *pid, int i)
{
	char path[100];
	int dir;

	path_of(path, i);
	if (box_cgroup_make(path))
		return -1;
	dir = box_cgroup_open(path);
	*pid = box_clone(CLONE_NEWPID, dir);
	if (!*pid) {
		signal(SIGINT, SIG_IGN);
		for (;;)
			pause();
	}
	close(dir);
	return *pid < 0 ? -1 : 0;
}

static void died(pid_t pid, int i)
{
	char path[100];

	path_of(path, i);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	box_cgroup_remove(path);
}

static void tell(const char *what, uint64_t *took, int n)
{
	values_sort(took, n);
	printf("%s %llu\n", what, (unsigned long long)took[n / 2]);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100, i;
	struct sigaction sa = { .sa_handler = on_int };
	uint64_t *took = calloc(n + 1, sizeof(*took)), began;
	pid_t *pid = calloc(n + 1, sizeof(*pid));

	if (!took || !pid || box_init(0) || n < 1)
		return 2;
	sigaction(SIGINT, &sa, NULL);
	for (i = 0; i < n; i++) {
		began = box_now();
		if (born(&pid[i], i)) {
			perror("crowd");
			n = i;
			break;
		}
		took[i] = box_now() - began;
	}
	tell("born", took + n / 2, n - n / 2);
	while (!interrupted)
		usleep(100000);
	for (i = 0; i < n; i++) {
		began = box_now();
		died(pid[i], i);
		took[i] = box_now() - began;
	}
	tell("died", took, n);
	return 0;
}
