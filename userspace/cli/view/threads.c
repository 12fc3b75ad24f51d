// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/util.h"
#include "view/threads.h"

/* --- calls ------------------------------------------------------------------------- */

static const struct {
	enum spent spent;
	const char *calls;	/* each between blanks */
} classes[] = {
	{ SPENT_LOCKS, " futex futex_wait futex_waitv futex_time64 semop semtimedop flock " },
	{ SPENT_NETWORK, " accept accept4 connect recvfrom recvmsg recvmmsg sendto sendmsg sendmmsg shutdown " },
	{ SPENT_EVENTS, " poll ppoll select pselect6 epoll_wait epoll_pwait epoll_pwait2 epoll_wait_old io_getevents io_pgetevents "
			"io_uring_enter " },
	{ SPENT_FILES, " read readv write writev pread64 preadv preadv2 pwrite64 pwritev pwritev2 splice tee vmsplice sendfile "
		       "msgrcv msgsnd mq_timedreceive mq_timedsend " },
	{ SPENT_CHILDREN, " wait4 waitid vfork clone clone3 " },
	{ SPENT_SLEPT, " nanosleep clock_nanosleep pause rt_sigsuspend rt_sigtimedwait restart_syscall " },
	{ SPENT_DISK, " fsync fdatasync sync syncfs msync sync_file_range " },
};

enum spent spent_in_call(const char *name)
{
	char *word = xasprintf(" %s ", name);
	enum spent s = SPENT_OTHER;

	for (size_t i = 0; i < ARRAY_SIZE(classes) && s == SPENT_OTHER; i++)
		if (strstr(classes[i].calls, word))
			s = classes[i].spent;
	free(word);
	return s;
}

/* --- whose is a process ------------------------------------------------------------- */

/* Is the cgroup at path, or below it? */
static bool below(const char *path, const char *of)
{
	size_t n = strlen(of);

	return !strncmp(path, of, n) && (!path[n] || path[n] == '/');
}

/* The path of a process's cgroup in a hierarchy; the caller frees it. NULL: it has gone. */
static char *path_in(const char *pid, uint32_t hierarchy)
{
	char *file = xasprintf("/proc/%s/cgroup", pid), *text = read_file(file, NULL), *path = NULL, *end;

	free(file);
	for (char *line = text; line && *line && !path; line = end + (*end == '\n')) {
		uint32_t n = (uint32_t)strtoul(line, &path, 10);

		end = line + strcspn(line, "\n");
		path = *path == ':' ? strchr(path + 1, ':') : NULL;
		path = path && path < end && n == hierarchy ? xstrndup(path + 1, (size_t)(end - path - 1)) : NULL;
	}
	free(text);
	return path;
}

/* Is there a container within c that has the path, too? */
static bool nested(struct ctable *t, const struct ctrace_container *c, const char *path)
{
	const struct centry *e;
	size_t i = 0;

	while ((e = ctable_next(t, &i)))
		if (e->known && ctable_alive(e) && e->c.cid != c->cid && e->c.cgroup_id &&
		    e->c.hierarchy == c->hierarchy && strlen(e->c.path) > strlen(c->path) && below(path, e->c.path))
			return true;
	return false;
}

static bool is_in(struct ctable *t, const struct ctrace_container *c, const char *pid)
{
	char *path;
	struct stat st;
	bool yes;

	if (!c->cgroup_id) {
		path = xasprintf("/proc/%s/ns/pid", pid);
		yes = !stat(path, &st) && st.st_ino == c->pidns;
	} else {
		path = path_in(pid, c->hierarchy);
		yes = path && below(path, c->path) && !nested(t, c, path);
	}
	free(path);
	return yes;
}

/* --- a thread ----------------------------------------------------------------------- */

static int by_tid(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

struct thread *threads_find(const struct threads *t, int32_t tid)
{
	const struct thread key = { .tid = tid };

	return t->n ? bsearch(&key, t->v, t->n, sizeof(t->v[0]), by_tid) : NULL;
}

struct thread *threads_add(struct threads *t, int32_t tid)
{
	size_t i;

	t->v = xrealloc(t->v, (t->n + 1) * sizeof(t->v[0]));
	for (i = t->n++; i && t->v[i - 1].tid > tid; i--)
		t->v[i] = t->v[i - 1];
	t->v[i] = (struct thread){ .tid = tid, .first = SPENT_UNKNOWN, .last = SPENT_UNKNOWN };
	return &t->v[i];
}

/* What it is at, by its state and its call. */
static enum spent at(const char *dir, char state, const char *(*call_name)(const void *arg, long nr), const void *arg)
{
	enum spent s = SPENT_OTHER;
	char *file, *text, *end;
	long nr;

	if (state == 'T' || state == 't')
		return SPENT_STOPPED;
	if (state != 'S' && state != 'D')
		return SPENT_UNKNOWN;
	file = xasprintf("%s/syscall", dir);
	text = read_file(file, NULL);
	nr = text ? strtol(text, &end, 10) : -1;
	if (text && end != text && nr >= 0)
		s = spent_in_call(call_name(arg, nr));
	free(file);
	free(text);
	return state == 'D' && s != SPENT_CHILDREN ? SPENT_DISK : s;
}

static void look_at(struct threads *t, const char *dir, int32_t tid, bool first, uint64_t now,
		    const char *(*call_name)(const void *arg, long nr), const void *arg)
{
	struct timespec boot;
	unsigned long long ticks = 0, ran = 0;
	char *file = xasprintf("%s/stat", dir), *text = read_file(file, NULL), *name;
	struct thread *x;
	uint64_t start, since_boot;
	char state;

	free(file);
	name = text ? strrchr(text, ')') : NULL;	/* a name may have any letter */
	if (!name || sscanf(name, ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
			    &state, &ticks) != 2 || state == 'Z' || state == 'X') {
		free(text);
		return;
	}
	free(text);
	/* in ticks since the machine began, with the time that it slept */
	clock_gettime(CLOCK_BOOTTIME, &boot);
	since_boot = (uint64_t)boot.tv_sec * NSEC_PER_SEC + (uint64_t)boot.tv_nsec;
	start = ticks * (NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK));
	start = since_boot > start && since_boot - start < now ? now - (since_boot - start) : 0;
	x = threads_find(t, tid);
	if (!x) {
		x = threads_add(t, tid);
		x->start = start;
		x->old = first;
	}
	file = xasprintf("%s/schedstat", dir);
	text = read_file(file, NULL);
	if (text && sscanf(text, "%llu", &ran) == 1)
		x->ran = ran;
	free(file);
	free(text);
	if (!x->seen) {
		x->ran_first = x->ran;
		x->first = at(dir, state, call_name, arg);
	}
	x->last = x->seen ? at(dir, state, call_name, arg) : x->first;
	x->seen = now;
}

static void look_at_process(struct threads *t, const char *pid, bool first, uint64_t now,
			    const char *(*call_name)(const void *arg, long nr), const void *arg)
{
	char *path = xasprintf("/proc/%s/task", pid);
	struct dirent *e;
	DIR *d = opendir(path);

	while (d && (e = readdir(d))) {
		char *dir;

		if (e->d_name[0] < '1' || e->d_name[0] > '9')
			continue;
		dir = xasprintf("%s/%s", path, e->d_name);
		look_at(t, dir, (int32_t)strtol(e->d_name, NULL, 10), first, now, call_name, arg);
		free(dir);
	}
	if (d)
		closedir(d);
	free(path);
}

int threads_look(struct threads *t, struct ctable *table, uint32_t cid,
		 const char *(*call_name)(const void *arg, long nr), const void *arg)
{
	const struct centry *c = ctable_get(table, cid);
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	bool first = !t->looked;
	struct dirent *e;
	DIR *d = opendir("/proc");

	if (!d)
		return -errno;
	t->looked = now;
	while ((e = readdir(d)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && is_in(table, &c->c, e->d_name))
			look_at_process(t, e->d_name, first, now, call_name, arg);
	closedir(d);
	return 0;
}

void threads_free(struct threads *t)
{
	free(t->v);
}
