// SPDX-License-Identifier: GPL-2.0-only
/*
 * A path in a container is walked name by name, and each link is resolved here: "/" and ".." mean what they
 * mean to a process with that root directory, so no link leads out of the container.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "base/far.h"
#include "base/foreign.h"

#define LINKS_MAX	40	/* as in the kernel */
#define DEPTH_MAX	64	/* directories below the root */
#define DONT_SYNC	0x4000	/* AT_STATX_DONT_SYNC, which older headers lack */

/* Where the walk is: the root, and each directory below it on the way. */
struct walk {
	int fd[DEPTH_MAX];	/* O_PATH, ours */
	size_t n;
	unsigned int links;
};

/*
 * The device that fd is on; 0: not known. AT_STATX_DONT_SYNC waits for no server: FUSE from Linux 5.0 on and
 * NFS from 4.16 on answer from their caches. The C library may be older than statx(). The struct statx of
 * glibc 2.28 conflicts with the one of linux/stat.h, so the part needed here is declared here.
 */
static uint64_t device(int fd)
{
#ifdef SYS_statx
	struct {
		char others[136];
		uint32_t dev_major, dev_minor;
		char more[112];
	} x;

	if (!syscall(SYS_statx, fd, "", AT_EMPTY_PATH | DONT_SYNC, 0, &x))
		return makedev(x.dev_major, x.dev_minor);
#else
	(void)fd;
#endif
	return 0;
}

bool foreign_touch(int fd)
{
	/* device() may wait all the same: until it returns, no other file system is blamed */
	return !far_is_here() || (far_touch(0) && far_touch(device(fd)));
}

void foreign_close(int fd)
{
	if (fd < 0)
		return;
	foreign_touch(fd);
	close(fd);
	far_touch(0);
}

static void back_to(struct walk *w, size_t n)
{
	while (w->n > n)
		close(w->fd[--w->n]);
}

/* The path left to walk after a link: its target, then rest. NULL: too many links, or too long a path. */
static char *behind(struct walk *w, int link, const char *rest)
{
	char to[PATH_MAX];
	ssize_t n = readlinkat(link, "", to, sizeof(to) - 1);

	if (n <= 0 || ++w->links > LINKS_MAX || (size_t)n + strlen(rest) >= 2 * PATH_MAX)
		return NULL;
	to[n] = '\0';
	if (to[0] == '/')
		back_to(w, 1);
	return xasprintf("%s/%s", to, rest);
}

/* False: there is no such file. left is ours. */
static bool walk(struct walk *w, char *left)
{
	char *next = left, *name, *more;
	struct stat st;
	bool is = true;
	int fd;

	while (is && (name = strsep(&next, "/"))) {
		if (!*name || !strcmp(name, "."))
			continue;
		if (!strcmp(name, "..")) {
			back_to(w, w->n > 1 ? w->n - 1 : 1);
			continue;
		}
		fd = w->n < DEPTH_MAX && foreign_touch(w->fd[w->n - 1]) ?
		     openat(w->fd[w->n - 1], name, O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1;
		is = fd >= 0 && foreign_touch(fd) && !fstat(fd, &st);
		if (is && S_ISLNK(st.st_mode)) {
			more = behind(w, fd, next ? next : "");
			is = more;
			free(left);
			next = left = more;
		} else if (is) {
			w->fd[w->n++] = fd;
			continue;
		}
		if (fd >= 0)
			close(fd);
	}
	free(left);
	return is;
}

/* Opens for reading the file that the O_PATH descriptor refers to. */
static int reopen(int named, int flags)
{
	char self[32];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", named);
	return open(self, flags | O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

static bool has_contents(int named, struct stat *st)
{
	return !fstat(named, st) && S_ISREG(st->st_mode) && st->st_blocks;
}

/* named is ours. dev: 0: not known */
static int open_named(int named, uint64_t dev, struct stat *st)
{
	int fd = -1;

	if (named < 0)
		return -1;
	if ((dev ? far_touch(dev) : foreign_touch(named)) && has_contents(named, st))
		fd = reopen(named, 0);
	close(named);
	return fd;
}

/* O_PATH, or -1. */
static int name_below(int in, const char *path)
{
	char *copy = xstrdup(path), *save = NULL;
	int fd = fcntl(in, F_DUPFD_CLOEXEC, 0), next;

	for (char *p = strtok_r(copy, "/", &save); p && fd >= 0; p = strtok_r(NULL, "/", &save)) {
		next = strcmp(p, "..") && foreign_touch(fd) ? openat(fd, p, O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1;
		close(fd);
		fd = next;
	}
	free(copy);
	return fd;
}

static int name(int in, const char *path)
{
	far_touch(0);
	return in < 0 ? open(path, O_PATH | O_CLOEXEC) : name_below(in, path);
}

int foreign_open(const char *path, uint64_t dev, struct stat *st)
{
	return far_touch(dev) ? open_named(open(path, O_PATH | O_CLOEXEC), dev, st) : -1;
}

int foreign_open_below(int in, const char *path, struct stat *st)
{
	return open_named(name_below(in, path), 0, st);
}

int foreign_open_in_root(const char *root, const char *path, struct stat *st)
{
	struct walk w = { .n = 0 };
	int named = -1, fd;

	far_touch(0);
	fd = open(*root ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	w.fd[w.n++] = fd;
	if (walk(&w, xstrdup(path)))
		named = fcntl(w.fd[w.n - 1], F_DUPFD_CLOEXEC, 0);
	back_to(&w, 0);
	return open_named(named, 0, st);
}

DIR *foreign_dir(int in, const char *path)
{
	int named = name(in, path), fd = named >= 0 && foreign_touch(named) ? reopen(named, O_DIRECTORY) : -1;
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

	if (named >= 0)
		close(named);
	if (fd >= 0 && !d)
		close(fd);
	return d;
}

char *foreign_text(int in, const char *path, const uint32_t *owner, size_t limit, size_t *len)
{
	int named = name(in, path), fd = -1;
	struct stat st;

	errno = 0;
	if (named >= 0 && foreign_touch(named) && has_contents(named, &st) && (!owner || st.st_uid == *owner)) {
		if ((uint64_t)st.st_size > limit)
			errno = EFBIG;
		else
			fd = reopen(named, 0);
	}
	if (named >= 0)
		close(named);
	return read_fd(fd, limit, len);
}
