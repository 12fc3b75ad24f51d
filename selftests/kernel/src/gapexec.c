// SPDX-License-Identifier: GPL-2.0-only
/*
 * gapexec N: makes N containers as runc does, with mounts of its own, and prints for each "PATH STARTER INIT", with
 * host pids. They live until it is killed.
 *
 * The starter executes itself again (as runc init does) after the kernel has moved it into the container's
 * cgroup, and before the kernel has reported that. For this the cgroup has a cpuset of CPU 0, and the
 * starter spins on CPU 1 as a real-time task. As it is moved, the kernel brings it to CPU 0, where it runs on
 * at once:
 * whoever moves it is an ordinary task of CPU 0, waits for that, and gets the CPU back when the starter sleeps.
 *
 * Exits with 4 if there is no cpuset, or only one CPU.
 */
#include "box.h"
#include <sys/mount.h>
#include <sys/prctl.h>

static char self[] = "/proc/self/exe";

static int pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

static int real_time(int prio)
{
	struct sched_param p = { .sched_priority = prio };

	return sched_setscheduler(0, prio ? SCHED_FIFO : SCHED_OTHER, &p);
}

/* The starter, after its second exec. go: a byte comes when it is in all its cgroups. */
static int again(int go, int answer)
{
	char c;
	pid_t pid;

	real_time(0);
	if (read(go, &c, 1) != 1 || unshare(CLONE_NEWNS | CLONE_NEWPID))
		return 1;
	pid = fork();
	if (!pid) {
		execl(self, "gapinit", "init", NULL);
		_exit(1);
	}
	if (write(answer, &pid, sizeof(pid)) != sizeof(pid))
		return 1;
	pause();
	return 0;
}

static void starter(int go, int answer)
{
	char a[16], b[16];

	snprintf(a, sizeof(a), "%d", go);
	snprintf(b, sizeof(b), "%d", answer);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pin(1) || real_time(1))
		_exit(2);
	if (write(answer, "r", 1) != 1)
		_exit(2);
	while (sched_getcpu() == 1)
		;
	execl(self, "gapexec", "again", a, b, NULL);
	_exit(2);
}

static int put(const char *dir, const char *file, const char *text)
{
	char p[700];
	int fd, n = strlen(text), err;

	snprintf(p, sizeof(p), "%s/%s", dir, file);
	fd = open(p, O_WRONLY | O_CLOEXEC);
	err = fd < 0 || write(fd, text, n) != n ? -errno : 0;
	close(fd);
	return err;
}

/* Finds the hierarchy of cpusets, which must be the one where tasks are moved first. */
static int find_cpusets(void)
{
	char p[300];

	for (int i = 0; i < box_mounts; i++) {
		if (!strstr(box_mount[i], "cpuset"))
			continue;
		strcpy(p, box_mount[0]);
		strcpy(box_mount[0], box_mount[i]);
		strcpy(box_mount[i], p);
		box_v2 = box_v2 == 0 ? i : box_v2;
		return 0;
	}
	if (box_v2 != 0 || put(box_mount[0], "cgroup.subtree_control", "+cpuset"))
		return -1;
	snprintf(p, sizeof(p), "%s/box", box_mount[0]);
	mkdir(p, 0755);
	return put(p, "cgroup.subtree_control", "+cpuset");
}

static int make(int n)
{
	int go[2], answer[2];
	char path[100], hex[65], dir[300], c;
	pid_t pid, init;

	box_hex(hex, "gap", n);
	snprintf(path, sizeof(path), "/box/%s", hex);
	if (box_cgroup_make(path) || pipe(go) || pipe(answer))
		return 1;
	snprintf(dir, sizeof(dir), "%s%s", box_mount[0], path);
	if (put(dir, "cpuset.cpus", "0"))
		return 1;
	pid = fork();
	if (!pid)
		starter(go[0], answer[1]);
	if (read(answer[0], &c, 1) != 1 || box_cgroup_enter(path, pid) || write(go[1], "g", 1) != 1 ||
	    read(answer[0], &init, sizeof(init)) != sizeof(init))
		return 1;
	printf("%s %d %d\n", path, pid, init);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4)
		return again(atoi(argv[2]), atoi(argv[3]));
	if (argc == 2 && !strcmp(argv[1], "init"))
		return pause();
	setbuf(stdout, NULL);
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2 || box_init(BOX_MOUNTS) || find_cpusets())
		return 4;
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) || pin(0))
		return 1;
	for (int i = 0; i < atoi(argv[1]); i++)
		if (make(i)) {
			perror("gapexec");
			return 1;
		}
	printf("done\n");
	pause();
	return 0;
}
