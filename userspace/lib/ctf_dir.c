// SPDX-License-Identifier: LGPL-2.1-only
/* The directory of a trace: making it, taking one over, writing files that are never half there. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"
#include "ctf_format.h"

bool ctrace_ctf_is_stream(const char *name)
{
	const char *p = name;

	if (!strncmp(name, "shared_", 7))
		p += 7;
	else if (name[0] == 'c' && name[1] >= '0' && name[1] <= '9' && strchr(name, '_'))
		p += 1 + strspn(name + 1, "0123456789") + 1;
	else
		return false;
	if (p[-1] != '_' || !*p)
		return false;
	p += strspn(p, "0123456789");
	if (*p == '.')
		p += 1 + strspn(p + 1, "0123456789");
	return !*p;
}

static bool is_of_trace(const char *name)
{
	return !strcmp(name, "metadata") || ctrace_ctf_is_stream(name);
}

static bool is_begun(const char *name)
{
	size_t len = strlen(name), suffix = strlen(CTRACE_CTF_BEGUN);

	return len > suffix && !strcmp(name + len - suffix, CTRACE_CTF_BEGUN);
}

/*
 * What the command keeps in ctrace/, and what a recorder that was killed had begun. Other files there are
 * not ours: the directory may be of another use and have that name by chance.
 */
static bool is_of_side(const char *name)
{
	return !strcmp(name, CTRACE_CTF_SCHEMA) || !strcmp(name, CTRACE_CTF_CONTAINERS) ||
	       !strcmp(name, CTRACE_CTF_ASKED) || !strcmp(name, CTRACE_CTF_THREADS) ||
	       !strcmp(name, CTRACE_CTF_SOCKETS) || !strcmp(name, CTRACE_CTF_SYMBOLS) || is_begun(name);
}

bool ctrace_ctf_dir_takes(const char *name)
{
	size_t len = strlen(name);

	return len && len + strlen(CTRACE_CTF_BEGUN) <= NAME_MAX && name[0] != '.' && !strchr(name, '/') &&
	       !is_begun(name) && !ctrace_ctf_is_stream(name);
}

/* Calls fn for the names in a directory. 0, or the first error. */
static int each_name(int at, const char *path, int (*fn)(int dirfd, const char *name))
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), err = 0;
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;

	if (!d) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			err = fn(fd, e->d_name);
	closedir(d);
	return err;
}

static int is_there(int dirfd, const char *name)
{
	(void)dirfd, (void)name;
	return -ENOTEMPTY;
}

static int remove_file(int dirfd, const char *name)
{
	return unlinkat(dirfd, name, 0) ? -errno : 0;
}

static int clear_trace(int dirfd, const char *name)
{
	return is_of_trace(name) ? remove_file(dirfd, name) : 0;
}

static int clear_side(int dirfd, const char *name)
{
	return is_of_side(name) ? remove_file(dirfd, name) : 0;
}

static int remove_side(int dirfd)
{
	int err = each_name(dirfd, CTRACE_CTF_SIDE, clear_side);

	unlinkat(dirfd, CTRACE_CTF_SIDE, AT_REMOVEDIR);	/* stays if others have files in it */
	return err == -ENOENT ? 0 : err;
}

void ctrace_ctf_dir_undo(int dirfd)
{
	unlinkat(dirfd, "metadata", 0);
	remove_side(dirfd);
}

/* Removes an older trace of ours, and leaves other files. */
static int clear(int dirfd)
{
	int err = each_name(dirfd, ".", clear_trace);

	return err ? err : remove_side(dirfd);
}

int ctrace_ctf_dir_open(int at, const char *path, bool replace, const char **what)
{
	int fd, err;

	*what = "cannot make directory";
	if (mkdirat(at, path, 0755) && errno != EEXIST)
		return -errno;
	*what = "cannot record into";
	fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = each_name(fd, ".", is_there);
	if (err == -ENOTEMPTY && replace) {
		*what = "cannot clear";
		err = clear(fd);
	}
	if (!err && mkdirat(fd, CTRACE_CTF_SIDE, 0755) && errno != EEXIST)
		err = -errno;
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int write_all(int fd, const char *p, size_t len)
{
	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

int ctrace_ctf_dir_put(int dirfd, const char *name, const void *data, size_t len)
{
	char tmp[sizeof(CTRACE_CTF_SIDE "/" CTRACE_CTF_BEGUN) + NAME_MAX];
	const char *slash = strrchr(name, '/');
	int fd, err;

	/* Begun in ctrace/: beside the streams, CTF readers would take the unfinished file for a stream. */
	snprintf(tmp, sizeof(tmp), CTRACE_CTF_SIDE "/%s" CTRACE_CTF_BEGUN, slash ? slash + 1 : name);
	fd = openat(dirfd, tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return -errno;
	err = write_all(fd, data, len);
	if (close(fd) && !err)
		err = -errno;
	if (!err && renameat(dirfd, tmp, dirfd, name))
		err = -errno;
	if (err)
		unlinkat(dirfd, tmp, 0);
	return err;
}
