// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens files that a container chose. A path is walked name by name, and each link is resolved here: "/" and ".." in it
 * mean what they mean to one whose root that directory is, so no link leads to another file system.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "symbols/symbols.h"

#define LINKS_MAX	40	/* as in the kernel */
#define DEPTH_MAX	64	/* directories below the root */

/* Where the walk is: the root, and each directory below it on the way. */
struct walk {
	int fd[DEPTH_MAX];	/* O_PATH, ours */
	size_t n;
	unsigned int links;
};

static void back_to(struct walk *w, size_t n)
{
	while (w->n > n)
		close(w->fd[--w->n]);
}

/* What is left to walk behind a link: where it leads, and the rest. NULL: there are too many, or it is too long. */
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
		fd = w->n < DEPTH_MAX ? openat(w->fd[w->n - 1], name, O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1;
		is = fd >= 0 && !fstat(fd, &st);
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

/*
 * It is looked at before it is opened for reading. What proc, sysfs and their like make up has no blocks, and reading it
 * may have effects.
 */
static int open_named(int named, struct stat *st)
{
	char self[64];

	if (fstat(named, st) || !S_ISREG(st->st_mode) || !st->st_blocks)
		return -1;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", named);
	return open(self, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

int open_regular(const char *path, struct stat *st)
{
	int named = open(path, O_PATH | O_CLOEXEC), fd;

	if (named < 0)
		return -1;
	fd = open_named(named, st);
	close(named);
	return fd;
}

int open_in_root(const char *root, const char *path, struct stat *st)
{
	struct walk w = { .n = 0 };
	int fd = open(*root ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	w.fd[w.n++] = fd;
	fd = walk(&w, xstrdup(path)) ? open_named(w.fd[w.n - 1], st) : -1;
	back_to(&w, 0);
	return fd;
}
