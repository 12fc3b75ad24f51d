// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cli.h"
#include "ctf/ctf_dir.h"
#include "ctf/sink_ctf.h"

bool ctf_dir_is_stream(const char *name)
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

/* Removes an older trace of ours, and leaves other files. Without force, -EEXIST if there is any file. */
static int clear(int dirfd, bool force)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	int err = 0;

	if (!d) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (!force)
			err = -EEXIST;
		else if (!strcmp(e->d_name, "metadata") || ctf_dir_is_stream(e->d_name))
			err = unlinkat(dirfd, e->d_name, 0) ? -errno : 0;
	}
	closedir(d);
	return err;
}

/* Removes the unfinished files (*.new) of a recorder that was killed. */
static void clear_begun(int trace)
{
	int fd = openat(trace, CTF_SIDE_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;

	while (d && (e = readdir(d))) {
		size_t len = strlen(e->d_name);

		if (len > 4 && !strcmp(e->d_name + len - 4, ".new"))
			unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
}

int ctf_dir_open(const char *path, bool force)
{
	int fd, err;

	if (mkdir(path, 0755) && errno != EEXIST) {
		cli_error("cannot make directory '%s': %s", path, strerror(errno));
		return -1;
	}
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		cli_error("cannot record into '%s': %s", path, strerror(errno));
		return -1;
	}
	err = clear(fd, force);
	if (err == -EEXIST)
		cli_error("'%s' is not empty: name another directory, or use --force", path);
	else if (err)
		cli_error("cannot clear '%s': %s", path, strerror(-err));
	else if (mkdirat(fd, CTF_SIDE_DIR, 0755) && errno != EEXIST)
		cli_error("cannot make '%s/%s': %s", path, CTF_SIDE_DIR, strerror(err = errno));
	if (!err) {
		clear_begun(fd);
		return fd;
	}
	close(fd);
	return -1;
}

int ctf_dir_replace(int dirfd, const char *name, const char *text, size_t len)
{
	char tmp[64];
	int fd, err = 0;

	snprintf(tmp, sizeof(tmp), "%s.new", name);
	fd = openat(dirfd, tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return -errno;
	while (len && !err) {
		ssize_t n = write(fd, text, len);

		if (n < 0) {
			err = errno == EINTR ? 0 : -errno;
			continue;
		}
		text += n;
		len -= (size_t)n;
	}
	if (close(fd) && !err)
		err = -errno;
	if (!err && renameat(dirfd, tmp, dirfd, name))
		err = -errno;
	if (err)
		unlinkat(dirfd, tmp, 0);
	return err;
}
