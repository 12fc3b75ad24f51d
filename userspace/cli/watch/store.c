// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/json_read.h"
#include "run/recording.h"
#include "watch/store.h"

#define STATE		".state.json"
#define LOCK		".lock"
#define GONE		".old-"		/* a dump that is being removed */
#define ID_MAX		200u		/* bytes */
#define DUMPS_MAX	100000u		/* that are looked at: strangers do not write here */

static bool is_plain(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '_' || c == '-';
}

void store_clean(struct sbuf *b, const char *name)
{
	size_t n = 0;

	for (const char *p = name; *p && n < WATCH_NAME_MAX; p++, n++)
		sbuf_putc(b, (unsigned char)*p < 0x80 && is_plain(*p) &&
			  (n || isalnum((unsigned char)*p)) ? *p : '_');
	if (!n)
		sbuf_putc(b, '_');
}

bool store_is_id(const char *id)
{
	size_t n = 0;

	if (!isdigit((unsigned char)*id))
		return false;
	while (id[n] && n <= ID_MAX && (unsigned char)id[n] < 0x80 && is_plain(id[n]))
		n++;
	return !id[n] && n <= ID_MAX;
}

int store_make(const char *dir)
{
	char *path = xstrdup(dir);
	struct stat st;
	int err = 0;

	for (char *p = path + 1; !err && *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		err = mkdir(path, 0755) && errno != EEXIST ? -errno : 0;
		*p = '/';
	}
	if (!err && mkdir(path, 0700) && errno != EEXIST)
		err = -errno;
	/* somebody else's directory would be theirs to change */
	if (!err && (lstat(path, &st) || !S_ISDIR(st.st_mode)))
		err = -ENOTDIR;
	if (!err && (st.st_uid != geteuid() || st.st_mode & 077)) {
		if (st.st_uid != geteuid())
			err = -EPERM;
		else if (chmod(path, 0700))
			err = -errno;
	}
	free(path);
	return err;
}

int store_lock(const char *dir)
{
	char *path = xasprintf("%s/" LOCK, dir);
	int fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	int err = fd < 0 ? -errno : 0;

	/* open for reading: the file system may become read-only at any time */
	free(path);
	if (!err && flock(fd, LOCK_EX | LOCK_NB)) {
		err = -errno;
		close(fd);
	}
	return err ? err : fd;
}

/* --- trees ------------------------------------------------------------------------------ */

static int tree_err;	/* nftw() hands nothing to its function */

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	if (remove(path) && errno != ENOENT)
		tree_err = -errno;
	return 0;
}

int store_remove_tree(const char *path)
{
	tree_err = 0;
	if (nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS) && !tree_err && errno != ENOENT)
		tree_err = -errno;
	return tree_err;
}

static int sync_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	int fd;

	(void)at;
	if (!S_ISREG(st->st_mode) && type != FTW_DP && type != FTW_D)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || fsync(fd))
		tree_err = -errno;
	if (fd >= 0)
		close(fd);
	return 0;
}

int store_sync_tree(const char *path)
{
	tree_err = 0;
	if (nftw(path, sync_entry, 8, FTW_DEPTH | FTW_PHYS) && !tree_err)
		tree_err = -errno;
	return tree_err;
}

/* --- dumps ------------------------------------------------------------------------------- */

uint64_t store_remove_unfinished(const char *dir)
{
	struct dirent *e;
	DIR *d = opendir(dir);
	uint64_t n = 0;

	while (d && (e = readdir(d))) {
		bool begun = !strncmp(e->d_name, STORE_NEW, strlen(STORE_NEW));
		char *path;

		if (!begun && strncmp(e->d_name, GONE, strlen(GONE)))
			continue;
		path = xasprintf("%s/%s", dir, e->d_name);
		n += !store_remove_tree(path) && begun;
		free(path);
	}
	if (d)
		closedir(d);
	return n;
}

static int by_id(const void *a, const void *b)
{
	const struct dump_entry *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return strcmp(x->id, y->id);
}

int store_list(const char *dir, struct dumps *d)
{
	struct dirent *e;
	DIR *at = opendir(dir);

	*d = (struct dumps){ 0 };
	if (!at)
		return errno == ENOENT ? 0 : -errno;
	while ((e = readdir(at)) && d->n < DUMPS_MAX) {
		struct dump_entry *x;
		struct stat st;
		char *path;

		if (!store_is_id(e->d_name))
			continue;
		path = xasprintf("%s/%s", dir, e->d_name);
		if (lstat(path, &st) || !S_ISDIR(st.st_mode)) {
			free(path);
			continue;
		}
		if (!(d->n & (d->n - 1)))
			d->v = xrealloc(d->v, (d->n ? 2 * d->n : 1) * sizeof(d->v[0]));
		x = &d->v[d->n++];
		*x = (struct dump_entry){
			.id = xstrdup(e->d_name), .bytes = recording_on_disk(path), .time = st.st_mtime,
		};
		d->bytes += x->bytes;
		free(path);
	}
	closedir(at);
	if (d->n)
		qsort(d->v, d->n, sizeof(d->v[0]), by_id);
	return 0;
}

void store_list_free(struct dumps *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->v[i].id);
	free(d->v);
	*d = (struct dumps){ 0 };
}

int store_remove(const char *dir, const char *id)
{
	char *from = xasprintf("%s/%s", dir, id), *to = xasprintf("%s/" GONE "%s", dir, id);
	int err = rename(from, to) ? -errno : store_remove_tree(to);

	free(from);
	free(to);
	return err;
}

size_t store_excess(const struct dumps *d, uint64_t quota, uint64_t keep_s, int64_t now, size_t *old)
{
	uint64_t bytes = d->bytes;
	size_t n = 0;

	/* a clock that was set back makes a dump younger than nothing: it stays */
	while (n < d->n && keep_s && now > d->v[n].time && (uint64_t)(now - d->v[n].time) > keep_s)
		bytes -= d->v[n++].bytes;
	*old = n;
	while (n < d->n && bytes > quota)
		bytes -= d->v[n++].bytes;
	return n;
}

void store_trim(const char *dir, uint64_t quota, uint64_t keep_s, int64_t now, struct account *a)
{
	struct dumps d;
	size_t n, old;
	int err;

	if (store_list(dir, &d))
		return;
	n = store_excess(&d, quota, keep_s, now, &old);
	for (size_t i = 0; i < n; i++) {
		err = store_remove(dir, d.v[i].id);
		if (err)
			fprintf(stderr, "ctrace: cannot remove the dump %s: %s\n", d.v[i].id, strerror(-err));
		else if (i < old)
			a->removed_age++;
		else
			a->removed_quota++;
	}
	store_list_free(&d);
}

int store_free(const char *dir, uint64_t *bytes)
{
	struct statvfs s;

	if (statvfs(dir, &s))
		return -errno;
	*bytes = (uint64_t)s.f_bavail * s.f_frsize;
	return 0;
}

char *store_find(const char *dir, const char *word)
{
	struct nearest near = { .word = word };
	struct sbuf b = { 0 };
	struct dumps d;
	char *id = NULL;
	size_t found = 0;
	int err = store_list(dir, &d);

	if (err) {
		cli_error("cannot read %s: %s", dir, strerror(-err));
		return NULL;
	}
	for (size_t i = 0; i < d.n; i++) {
		bool same = !strcmp(d.v[i].id, word);

		nearest_offer(&near, d.v[i].id);
		if (!same && (!*word || strncmp(d.v[i].id, word, strlen(word))))
			continue;
		id = d.v[i].id;
		found++;
		if (same) {
			found = 1;
			break;
		}
	}
	if (!strcmp(word, "last") && d.n) {
		id = d.v[d.n - 1].id;
		found = 1;
	}
	sbuf_reset(&b);
	nearest_print(&near, &b);
	if (found > 1)
		cli_error("'%s' begins the ids of %zu dumps: 'ctrace watch list' shows them", word, found);
	else if (!found)
		cli_error("no dump '%s'%s: 'ctrace watch list' shows them", word, b.s);
	id = found == 1 ? xstrdup(id) : NULL;
	sbuf_free(&b);
	store_list_free(&d);
	return id;
}

/* --- .state.json ---------------------------------------------------------------------------- */

static char *boot_id(void)
{
	char *text = read_file("/proc/sys/kernel/random/boot_id", NULL);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text ? text : xstrdup("");
}

void store_load_state(const char *dir, struct account *a)
{
	char *path = xasprintf("%s/" STATE, dir), *boot = boot_id();
	struct json_object *o, *v;
	uint64_t now = clock_ns(CLOCK_MONOTONIC), alive;
	int err;

	*a = (struct account){ 0 };
	o = json_read(path, &err);
	if (o && json_object_object_get_ex(o, "account", &v))
		account_load(a, v);
	if (o && json_object_object_get_ex(o, "boot", &v) && !strcmp(json_object_get_string(v) ?: "", boot) &&
	    json_object_object_get_ex(o, "alive", &v)) {
		alive = (uint64_t)json_object_get_int64(v);
		a->away_ns += alive && alive < now ? now - alive : 0;
	}
	json_object_put(o);
	free(boot);
	free(path);
}

int store_save_state(const char *dir, const struct account *a, bool sync)
{
	char *path = xasprintf("%s/" STATE, dir), *new = xasprintf("%s/" STATE ".new", dir),
		*boot = boot_id();
	struct sbuf b = { 0 };
	struct json j = { .out = &b };
	int fd, err = 0;

	json_open(&j, NULL, '{');
	json_str(&j, "boot", boot);
	json_uint(&j, "alive", clock_ns(CLOCK_MONOTONIC));
	account_put(&j, "account", a, NULL);
	json_close(&j, '}');
	json_line(&j);
	fd = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		err = -errno;
	if (!err && write(fd, b.s, b.len) != (ssize_t)b.len)
		err = errno ? -errno : -ENOSPC;
	if (!err && sync && fsync(fd))
		err = -errno;
	if (fd >= 0)
		close(fd);
	if (!err && rename(new, path))
		err = -errno;
	if (err)
		unlink(new);
	sbuf_free(&b);
	free(boot);
	free(path);
	free(new);
	return err;
}
