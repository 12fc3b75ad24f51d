/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * box.h: a container as the kernel sees it, a cgroup and a pid namespace, without the seconds that a
 * runtime takes. The cgroup is made in every hierarchy that the host has mounted, as runtimes do.
 */
#ifndef BOX_H
#define BOX_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "newer.h"

/* The marked call, which nothing else makes: getpriority() with a wrong kind and a number of ours. */
#define BOX_MARK 0x4d41524b

static inline long box_mark(uint32_t number)
{
	return syscall(SYS_getpriority, BOX_MARK, number);
}

static inline uint64_t box_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

#define BOX_MOUNTS 16
static char box_mount[BOX_MOUNTS][128];
static int box_mounts;
static int box_v2 = -1;		/* index of the v2 mount, -1 none */

/* Finds the cgroup mounts; at most `most` hierarchies of v1. */
static inline int box_init(int most)
{
	const char *top = "/sys/fs/cgroup";
	struct statfs fs;
	struct dirent *e;
	DIR *d;

	box_mounts = 0;
	if (statfs(top, &fs))
		return -errno;
	if (fs.f_type == CGROUP2_SUPER_MAGIC) {
		strcpy(box_mount[0], top);
		box_mounts = 1;
		box_v2 = 0;
		return 0;
	}
	d = opendir(top);
	while (d && (e = readdir(d)) && box_mounts < BOX_MOUNTS) {
		char p[128];
		struct stat st;

		if (e->d_name[0] == '.' || strlen(e->d_name) > 60)
			continue;
		snprintf(p, sizeof(p), "%s/%s", top, e->d_name);
		if (lstat(p, &st) || !S_ISDIR(st.st_mode) || statfs(p, &fs))
			continue;
		if (fs.f_type == CGROUP2_SUPER_MAGIC)
			box_v2 = box_mounts;
		else if (fs.f_type != CGROUP_SUPER_MAGIC || most-- <= 0)
			continue;
		strcpy(box_mount[box_mounts++], p);
	}
	if (d)
		closedir(d);
	return box_mounts ? 0 : -ENOENT;
}

static inline int box_copy(const char *from, const char *to)
{
	char v[256];
	int fd = open(from, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, v, sizeof(v));

	close(fd);
	if (n <= 0)
		return -1;
	fd = open(to, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = write(fd, v, n);
	close(fd);
	return n < 0 ? -1 : 0;
}

/* Makes cgroup `path` (/a/b) and its parents, in every hierarchy. */
static inline int box_cgroup_make(const char *path)
{
	for (int i = 0; i < box_mounts; i++) {
		char p[512], up[512], f[560], t[560];
		size_t base = strlen(box_mount[i]);

		snprintf(p, sizeof(p), "%s%s", box_mount[i], path);
		for (char *s = p + base + 1; ; s++) {
			char c = *s;

			if (c && c != '/')
				continue;
			*s = 0;
			if (mkdir(p, 0755) && errno != EEXIST)
				return -errno;
			/* An empty v1 cpuset takes no task. */
			snprintf(up, sizeof(up), "%s", p);
			*strrchr(up, '/') = 0;
			if (strstr(box_mount[i], "cpuset")) {
				snprintf(f, sizeof(f), "%s/cpuset.cpus", up);
				snprintf(t, sizeof(t), "%s/cpuset.cpus", p);
				box_copy(f, t);
				snprintf(f, sizeof(f), "%s/cpuset.mems", up);
				snprintf(t, sizeof(t), "%s/cpuset.mems", p);
				box_copy(f, t);
			}
			if (!c)
				break;
			*s = c;
		}
	}
	return 0;
}

/* Moves pid (0: the caller) into cgroup `path` of every hierarchy, one by one. */
static inline int box_cgroup_enter(const char *path, pid_t pid)
{
	for (int i = 0; i < box_mounts; i++) {
		char p[560], n[16];
		int fd, len = snprintf(n, sizeof(n), "%d", pid);

		snprintf(p, sizeof(p), "%s%s/cgroup.procs", box_mount[i], path);
		fd = open(p, O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		if (write(fd, n, len) != len) {
			int err = errno;

			close(fd);
			return -err;
		}
		close(fd);
	}
	return 0;
}

/* Removes cgroup `path`. A cgroup stays busy for a moment after its last task. */
static inline int box_cgroup_remove(const char *path)
{
	int err = 0;

	for (int i = 0; i < box_mounts; i++) {
		char p[512];
		int tries = 3000;

		snprintf(p, sizeof(p), "%s%s", box_mount[i], path);
		while (rmdir(p) && errno != ENOENT) {
			if (errno != EBUSY || !tries--) {
				err = -errno;
				break;
			}
			usleep(1000);
		}
	}
	return err;
}

/* Can a task be born in a cgroup (since 5.7)? No descriptor has this number. */
static inline int box_clones_into(void)
{
	static int answer = -1;
	struct newer_clone_args a = {
		.flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = UINT64_MAX,
	};

	if (answer < 0)
		answer = syscall(SYS_clone3, &a, sizeof(a)) < 0 && errno == EINVAL;
	return answer;
}

/* fork() with flags; into the v2 cgroup open at cgroup_fd if that is >= 0. */
static inline pid_t box_clone(uint64_t flags, int cgroup_fd)
{
	struct newer_clone_args a = {
		.flags = flags,
		.exit_signal = flags & CLONE_PARENT ? 0 : SIGCHLD,
	};

	if (cgroup_fd >= 0) {
		a.flags |= CLONE_INTO_CGROUP;
		a.cgroup = cgroup_fd;
	}
	if (!box_clones_into())
		return syscall(SYS_clone, (unsigned long)(a.flags | a.exit_signal), 0, 0, 0, 0);
	return syscall(SYS_clone3, &a, sizeof(a));
}

/* Opens the v2 directory of `path`. Only on a host with v2 alone can a task be born in all of its cgroups
 * at once, if its kernel can do it. */
static inline int box_cgroup_open(const char *path)
{
	char p[512];

	if (box_mounts != 1 || box_v2 != 0 || !box_clones_into())
		return -1;
	snprintf(p, sizeof(p), "%s%s", box_mount[0], path);
	return open(p, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
}

/* 64 hex digits made from a word and a number, as runtimes name cgroups */
static inline void box_hex(char out[65], const char *word, unsigned int n)
{
	uint64_t h = 1469598103934665603ull ^ n;

	for (; *word; word++)
		h = (h ^ (unsigned char)*word) * 1099511628211ull;
	for (int i = 0; i < 4; i++) {
		h = h * 6364136223846793005ull + 1442695040888963407ull;
		sprintf(out + 16 * i, "%016llx", (unsigned long long)h);
	}
}

/*
 * Starts a container at cgroup `path`. Its init waits until box_go(), then calls fn(arg) and exits with
 * fn's result. Returns init's host pid.
 */
struct box {
	char path[256];
	pid_t pid;
	int go;			/* write end: one byte lets it run */
};

static inline int box_start(struct box *b, const char *path, uint64_t flags,
			    int (*fn)(void *), void *arg)
{
	int p[2], err, dir;

	snprintf(b->path, sizeof(b->path), "%s", path);
	err = box_cgroup_make(path);
	if (err)
		return err;
	if (pipe2(p, O_CLOEXEC))
		return -errno;
	dir = box_cgroup_open(path);
	b->pid = box_clone(flags, dir);
	if (b->pid < 0)
		return -errno;
	if (!b->pid) {
		char c;

		close(p[1]);
		if (dir < 0 && box_cgroup_enter(path, 0))
			_exit(99);
		while (read(p[0], &c, 1) < 0 && errno == EINTR)
			;
		_exit(fn(arg));
	}
	close(p[0]);
	if (dir >= 0)
		close(dir);
	b->go = p[1];
	return 0;
}

static inline void box_go(struct box *b)
{
	if (write(b->go, "g", 1) != 1)
		perror("box: go");
}

/* Waits for the container's end and removes its cgroup. Returns the exit status. */
static inline int box_end(struct box *b)
{
	int st = -1;

	close(b->go);
	while (waitpid(b->pid, &st, __WALL) < 0 && errno == EINTR)
		;
	box_cgroup_remove(b->path);
	return WIFEXITED(st) ? WEXITSTATUS(st) : 128;
}

/*
 * Finds the children of parent by the host's numbers, lowest first; returns how many of the `max` there
 * are. Not from /proc/PID/task/PID/children, which a small kernel lacks.
 */
static inline int box_children(pid_t parent, pid_t *children, int max)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	int n = 0;

	while (d && n < max && (e = readdir(d))) {
		char p[300];
		FILE *f;
		int ppid;

		if (e->d_name[0] < '1' || e->d_name[0] > '9')
			continue;
		snprintf(p, sizeof(p), "/proc/%s/stat", e->d_name);
		f = fopen(p, "re");
		if (!f)
			continue;
		if (fscanf(f, "%*d %*s %*c %d", &ppid) == 1 && ppid == parent)
			children[n++] = atoi(e->d_name);
		fclose(f);
	}
	if (d)
		closedir(d);
	return n;
}

#define STRING(x)	#x
#define NUMBER(x)	STRING(x)
#define READ_BLOCKED	NUMBER(__NR_read) " "

/* Waits until the box's init is in its cgroup and waits for box_go(). */
static inline void box_settle(struct box *b)
{
	char f[64], line[256];

	/* The file says "running", or the number of the call that init sleeps in. wchan says nothing on
	 * 5.10. */
	snprintf(f, sizeof(f), "/proc/%d/syscall", b->pid);
	for (int i = 0; i < 5000; i++) {
		FILE *w = fopen(f, "re");

		line[0] = 0;
		if (w && !fgets(line, sizeof(line), w))
			line[0] = 0;
		if (w)
			fclose(w);
		if (!strncmp(line, READ_BLOCKED, strlen(READ_BLOCKED)))
			return;
		usleep(1000);
	}
}

/*
 * Starts a child that makes containers one after the other until it is killed. Each is named after `word`
 * and has fn for its init. `met`, if not NULL, is called with each init before it runs.
 */
static inline pid_t box_births(const char *word, int (*fn)(void *), void (*met)(pid_t init))
{
	char name[65], path[100];
	pid_t pid = fork();
	struct box b;

	for (unsigned int i = 0; !pid; i++) {
		box_hex(name, word, i);
		snprintf(path, sizeof(path), "/box/%s", name);
		if (box_start(&b, path, CLONE_NEWPID, fn, NULL))
			_exit(1);
		if (met) {
			box_settle(&b);
			met(b.pid);
		}
		box_go(&b);
		usleep(50000);
		box_end(&b);
	}
	return pid;
}

#endif
