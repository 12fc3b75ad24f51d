// SPDX-License-Identifier: LGPL-2.1-only
/* A writer of CTF 1.8 traces: opening, closing, and all but the stream files. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "ctf_writer.h"

#define BOOT_ID_LEN	36

int ctrace_ctf_fail(struct ctrace_ctf *w, int err, const char *fmt, ...)
{
	va_list ap;

	if (w->err)
		return w->err;
	w->err = err;
	va_start(ap, fmt);
	if (vasprintf(&w->why, fmt, ap) < 0)
		w->why = NULL;
	va_end(ap);
	return err;
}

int ctrace_ctf_cannot_write(struct ctrace_ctf *w, const char *name, int err)
{
	return ctrace_ctf_fail(w, err, "cannot write %s/%s: %s", w->path, name, strerror(-err));
}

static int write_run(const struct ctrace_run *run, void *w)
{
	return ctrace_ctf_write(w, run);
}

static int run_done(const struct ctrace_run *run, bool ok, void *w)
{
	return ctrace_ctf_done(w, run, ok);
}

int ctrace_ctf_drain(struct ctrace_ctf *w, struct ctrace_reader *r)
{
	int n = w->err ? w->err : ctrace_reader_runs(r, write_run, run_done, w);

	return n < 0 ? ctrace_ctf_fail(w, n, "cannot read the rings: %s", strerror(-n)) : n;
}

static bool read_bytes(const char *path, void *to, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && read(fd, to, n) == (ssize_t)n;

	if (fd >= 0)
		close(fd);
	return ok;
}

static bool read_boot_id(char to[BOOT_ID_LEN + 1])
{
	to[BOOT_ID_LEN] = '\0';
	return read_bytes("/proc/sys/kernel/random/boot_id", to, BOOT_ID_LEN) &&
	       strspn(to, "0123456789abcdef-") == BOOT_ID_LEN;
}

int ctrace_ctf_metadata(struct ctrace_ctf *w)
{
	struct ctrace_ctf_env env = { .clock_offset_ns = w->info.clock_offset_ns };
	char *text = NULL, boot_id[BOOT_ID_LEN + 1];
	struct utsname u;
	size_t len = 0;
	FILE *f;
	int err;

	if (w->err)
		return w->err;
	uname(&u);
	memcpy(env.uuid, w->info.uuid, sizeof(env.uuid));
	env.boot_id = read_boot_id(boot_id) ? boot_id : NULL;
	env.hostname = u.nodename;
	env.kernel_release = u.release;
	env.kernel_version = u.version;
	f = open_memstream(&text, &len);
	if (f)
		ctrace_ctf_describe(f, w->schema, &env);
	/* half a file of metadata would make the trace unreadable */
	err = !f || fclose(f) ? -ENOMEM : ctrace_ctf_dir_put(w->dirfd, "metadata", text, len);
	free(text);
	return err ? ctrace_ctf_cannot_write(w, "metadata", err) : 0;
}

int ctrace_ctf_file(struct ctrace_ctf *w, const char *name, const void *data, size_t len)
{
	char path[sizeof(CTRACE_CTF_SIDE "/") + NAME_MAX];
	int err;

	if (w->err)
		return w->err;
	if (!ctrace_ctf_dir_takes(name))
		return -EINVAL;
	snprintf(path, sizeof(path), CTRACE_CTF_SIDE "/%s", name);
	err = ctrace_ctf_dir_put(w->dirfd, path, data, len);
	return err ? ctrace_ctf_cannot_write(w, path, err) : 0;
}

static int64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

static void set_up(struct ctrace_ctf *w)
{
	struct rlimit files = { .rlim_cur = 64 }, size;
	int64_t before = now(CLOCK_MONOTONIC), real = now(CLOCK_REALTIME);

	w->info.clock_offset_ns = real - (before + now(CLOCK_MONOTONIC)) / 2;
	/* some systems that this runs on are older than getrandom() */
	if (!read_bytes("/dev/urandom", w->info.uuid, sizeof(w->info.uuid)))
		memcpy(w->info.uuid, &real, sizeof(real));
	w->info.uuid[6] = (w->info.uuid[6] & 0x0f) | 0x40;
	w->info.uuid[8] = (w->info.uuid[8] & 0x3f) | 0x80;
	getrlimit(RLIMIT_NOFILE, &files);
	w->max_open = files.rlim_cur > 4096 + 64 ? 4096 : files.rlim_cur > 96 ? files.rlim_cur - 64 : 32;
	if (!getrlimit(RLIMIT_FSIZE, &size) && size.rlim_cur != RLIM_INFINITY)
		w->file_max = (off_t)size.rlim_cur;
}

int ctrace_ctf_open(int dirfd, const char *path, const struct ctrace_schema *s,
		    const struct ctrace_ctf_opts *opts, struct ctrace_ctf **out)
{
	struct ctrace_ctf *w = *out = calloc(1, sizeof(*w));
	struct ctrace_ctf_opts o = { .sz = sizeof(o) };
	const char *what;
	int err;

	if (!w)
		return -ENOMEM;
	w->dirfd = -1;
	w->schema = s;
	w->path = strdup(path);
	if (!w->path)
		return ctrace_ctf_fail(w, -ENOMEM, "out of memory");
	err = opts ? ctrace_opts_take(&o, sizeof(o), opts) : 0;
	if (err)
		return ctrace_ctf_fail(w, err, "cannot record into '%s': %s", path, ctrace_opts_error(err));
	if (o.flags & ~(uint32_t)CTRACE_CTF_REPLACE)
		return ctrace_ctf_fail(w, -EINVAL, "cannot record into '%s': a flag is unknown", path);
	set_up(w);
	w->dirfd = ctrace_ctf_dir_open(dirfd, path, o.flags & CTRACE_CTF_REPLACE, &what);
	if (w->dirfd < 0)
		return ctrace_ctf_fail(w, w->dirfd, "%s '%s': %s", what, path, strerror(-w->dirfd));
	return ctrace_ctf_metadata(w);
}

void ctrace_ctf_info(const struct ctrace_ctf *w, struct ctrace_ctf_info *info, size_t sz)
{
	ctrace_struct_give(info, sz, &w->info, sizeof(w->info));
}

const char *ctrace_ctf_errmsg(const struct ctrace_ctf *w)
{
	return w && !w->err ? "" : w && w->why ? w->why : "out of memory";
}

int ctrace_ctf_close(struct ctrace_ctf *w)
{
	int err;

	if (!w)
		return 0;
	ctrace_ctf_streams_close(w);
	if (w->dirfd >= 0) {
		if (w->err && !w->info.records)
			ctrace_ctf_dir_undo(w->dirfd);
		close(w->dirfd);
	}
	err = w->err;
	free(w->why);
	free(w->path);
	free(w);
	return err;
}
