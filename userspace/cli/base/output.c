// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/output.h"
#include "base/util.h"

/* The stream that failed last, and why. There are two at most: standard output and one file. */
static struct {
	FILE *f;
	int err;
} failed[2];

void output_init(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		/* the wrong direction, so that using it fails as using a closed one does */
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return;
}

FILE *output_open(const char *path)
{
	return strcmp(path, "-") ? fopen(path, "we") : stdout;
}

FILE *output_temporary(const char **dir)
{
	const char *wanted = secure_getenv("TMPDIR");
	char *path;
	FILE *f;
	int fd;

	*dir = wanted && *wanted ? wanted : "/tmp";
	path = xasprintf("%s/ctrace-XXXXXX", *dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	free(path);
	f = fd >= 0 ? fdopen(fd, "w+") : NULL;
	if (fd >= 0 && !f)
		close(fd);
	return f;
}

const char *output_name(const char *path)
{
	static const char own[] = "/proc/self/fd/", gone[] = " (deleted)";
	static char name[PATH_MAX];
	ssize_t n = strncmp(path, own, sizeof(own) - 1) ? -1 : readlink(path, name, sizeof(name) - 1), tail = sizeof(gone) - 1;

	if (n <= 0)
		return path;
	name[n] = '\0';
	if (n > tail && !strcmp(name + n - tail, gone))
		*strrchr(name, '/') = '\0';
	return *name ? name : "/";
}

static int remember(FILE *f, int err)
{
	size_t i = failed[0].f && failed[0].f != f;

	failed[i].f = f;
	failed[i].err = err;
	return -err;
}

int output_flush(FILE *f)
{
	for (size_t i = 0; i < sizeof(failed) / sizeof(failed[0]); i++)
		if (failed[i].f == f)
			return -failed[i].err;
	errno = 0;
	if (fflush(f) == EOF)
		return remember(f, errno ? errno : EIO);
	if (!ferror(f))
		return 0;
	/* an earlier write failed, and errno is gone: this one fails for the same reason */
	errno = 0;
	if (fputc('\n', f) != EOF)
		fflush(f);
	return remember(f, errno ? errno : EIO);
}

int output_close(FILE *f)
{
	int err = output_flush(f);

	if (f == stdout)
		return err;
	errno = 0;
	/* some file systems report a full disk only here */
	if (fclose(f) && !err)
		err = -(errno ? errno : EIO);
	for (size_t i = 0; i < sizeof(failed) / sizeof(failed[0]); i++)
		if (failed[i].f == f)
			failed[i].f = NULL;
	return err;
}

int output_close_whole(FILE *f, const char *path, int err)
{
	struct stat st;
	bool regular = f != stdout && !fstat(fileno(f), &st) && S_ISREG(st.st_mode);
	int closed = output_close(f);

	err = err ? err : closed;
	if (err && regular)
		unlink(path);
	return err;
}
