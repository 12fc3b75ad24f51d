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
#include "count/threads.h"
#include "names/whose.h"

#define CALL		"syscall_"

static const char *const words[] = {
	[SPENT_RAN] = "ran", [SPENT_WAITED] = "waited", [SPENT_THROTTLED] = "throttled", [SPENT_DISK] = "disk",
	[SPENT_KERNEL] = "kernel", [SPENT_LOCKS] = "locks", [SPENT_NETWORK] = "network",
	[SPENT_REQUESTS] = "requests", [SPENT_EVENTS] = "events", [SPENT_IO_URING] = "io_uring",
	[SPENT_FILES] = "files",
	[SPENT_HANDOVER] = "handover", [SPENT_CHILDREN] = "children", [SPENT_YIELDED] = "yielded",
	[SPENT_SLEPT] = "slept",
	[SPENT_OTHER] = "other", [SPENT_STOPPED] = "stopped", [SPENT_UNKNOWN] = "unknown",
};

const char *spent_word(enum spent s)
{
	return words[s];
}

/* --- calls ------------------------------------------------------------------------- */

static const struct {
	enum spent spent;
	const char *calls;	/* each between blanks */
} classes[] = {
	{ SPENT_HANDOVER, " futex futex_wait futex_waitv futex_time64 " },
	{ SPENT_LOCKS, " semop semtimedop flock " },
	{ SPENT_REQUESTS, " accept accept4 " },
	{ SPENT_NETWORK, " connect recvfrom recvmsg recvmmsg sendto sendmsg sendmmsg shutdown " },
	{ SPENT_EVENTS, " poll ppoll select pselect6 epoll_wait epoll_pwait epoll_pwait2 epoll_wait_old "
			"io_getevents io_pgetevents " },
	{ SPENT_IO_URING, " io_uring_enter " },
	{ SPENT_FILES, " read readv write writev pread64 preadv preadv2 pwrite64 pwritev pwritev2 splice tee vmsplice sendfile "
		       "msgrcv msgsnd mq_timedreceive mq_timedsend " },
	{ SPENT_CHILDREN, " wait4 waitid vfork clone clone3 " },
	{ SPENT_SLEPT, " nanosleep clock_nanosleep pause rt_sigsuspend rt_sigtimedwait restart_syscall " },
	{ SPENT_DISK, " fsync fdatasync sync syncfs msync sync_file_range " },
};

enum spent spent_of_call(const char *name)
{
	static const char compat[] = "compat_";
	enum spent s = SPENT_OTHER;
	char *word;

	name += strncmp(name, compat, strlen(compat)) ? 0 : strlen(compat);
	word = xasprintf(" %s ", name);
	for (size_t i = 0; i < ARRAY_SIZE(classes) && s == SPENT_OTHER; i++)
		if (strstr(classes[i].calls, word))
			s = classes[i].spent;
	free(word);
	return s;
}

static enum spent class_of(const struct ctrace_schema *schema, long nr)
{
	const struct ctrace_event_type *t = nr < 0 ? NULL : ctrace_schema_by_id(schema, (uint32_t)(CTRACE_ID_CALL + nr));

	if (!t)
		return SPENT_OTHER;
	return spent_of_call(strncmp(t->name, CALL, strlen(CALL)) ? t->name : t->name + strlen(CALL));
}

/* Mutexes wait by these operations; condition variables and semaphores by FUTEX_WAIT_BITSET. */
static bool is_lock(int32_t op)
{
	/* linux/futex.h */
	enum { WAIT = 0, LOCK_PI = 6, LOCK_PI2 = 13, PRIVATE_FLAG = 128, CLOCK_REALTIME_FLAG = 256 };

	if (op == -1)
		return true;
	op &= ~(PRIVATE_FLAG | CLOCK_REALTIME_FLAG);
	return op == WAIT || op == LOCK_PI || op == LOCK_PI2;
}

enum spent threads_in_call(const struct threads *t, const struct thread *x,
			   const struct ctrace_schema *schema,
			   long nr, int32_t arg)
{
	enum spent s = class_of(schema, nr);
	int32_t pid = x ? x->pid : 0;
	enum leads leads;

	if (s == SPENT_HANDOVER && is_lock(arg) && descriptors_find(&t->fds, pid,
								    DESCRIPTOR_FUTEX) != LEADS_GO)
		return SPENT_LOCKS;
	if (s != SPENT_NETWORK && s != SPENT_FILES)
		return s;
	leads = descriptors_find(&t->fds, pid, arg);
	if (leads == LEADS_CLIENTS)
		return SPENT_REQUESTS;
	if (leads == LEADS_EVENTS)
		return SPENT_EVENTS;
	return leads == LEADS_SERVER ? SPENT_NETWORK : s;
}

/* --- a thread ----------------------------------------------------------------------- */

static int by_owner(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;

	if (x->cid != y->cid)
		return x->cid < y->cid ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

struct thread *threads_find(const struct threads *t, uint32_t cid, int32_t tid)
{
	const struct thread key = { .cid = cid, .tid = tid };

	return t->n ? bsearch(&key, t->v, t->n, sizeof(t->v[0]), by_owner) : NULL;
}

struct thread *threads_add(struct threads *t, uint32_t cid, int32_t tid)
{
	const struct thread x = {
		.cid = cid, .tid = tid, .first = SPENT_UNKNOWN, .last = SPENT_UNKNOWN, .fd = -1
	};
	size_t i;

	t->v = xrealloc(t->v, (t->n + 1) * sizeof(t->v[0]));
	for (i = t->n++; i && by_owner(&t->v[i - 1], &x) > 0; i--)
		t->v[i] = t->v[i - 1];
	t->v[i] = x;
	return &t->v[i];
}

/* Where Go's runtime has its heap on 64 bits, and the futexes of its threads. */
#define GO_HEAP		0xc000000000ull
#define GO_HEAP_END	(GO_HEAP + (1ull << 40))

struct thread_call thread_call_read(const char *dir)
{
	char *file = xasprintf("%s/syscall", dir), *text = read_file(file, NULL);
	unsigned long long a[6] = { 0 };
	struct thread_call c = { .nr = -1 };

	if (text && sscanf(text, "%ld %llx %llx %llx %llx %llx %llx", &c.nr, &a[0], &a[1], &a[2], &a[3], &a[4],
			   &a[5]) == 7)
		for (size_t i = 0; i < ARRAY_SIZE(a); i++)
			c.args[i] = a[i];
	else
		c.nr = -1;
	free(file);
	free(text);
	return c;
}

enum spent threads_at_call(struct threads *t, const struct thread *x, const struct ctrace_schema *schema,
			   const struct thread_call *c)
{
	const struct descriptor go = { .pid = x->pid, .fd = DESCRIPTOR_FUTEX, .leads = LEADS_GO };
	enum spent s = class_of(schema, c->nr);
	int32_t arg = -1;

	if (s == SPENT_HANDOVER) {
		arg = (int32_t)c->args[1];
		if (c->args[0] >= GO_HEAP && c->args[0] < GO_HEAP_END)
			descriptors_add(&t->fds, &go);
	} else if (s == SPENT_NETWORK || s == SPENT_FILES) {
		arg = (int32_t)c->args[0];
		descriptors_look(&t->fds, x->cid, x->pid, arg);
	}
	return threads_in_call(t, x, schema, c->nr, arg);
}

/* What it is at, by its state and its call. */
static enum spent at(struct threads *t, struct thread *x, const char *dir, char state,
		     const struct ctrace_schema *schema)
{
	struct thread_call c;
	enum spent s;

	x->fd = -1;
	if (state == 'T' || state == 't')
		return SPENT_STOPPED;
	/* a kernel thread that waits for work */
	if (state == 'I')
		return SPENT_OTHER;
	if (state != 'S' && state != 'D')
		return SPENT_UNKNOWN;
	c = thread_call_read(dir);
	s = threads_at_call(t, x, schema, &c);
	if (s == SPENT_LOCKS && class_of(schema, c.nr) == SPENT_HANDOVER)
		s = SPENT_HANDOVER;	/* it was not seen to get the lock */
	if (s == SPENT_NETWORK)
		x->fd = (int32_t)c.args[0];
	return state == 'D' && s != SPENT_CHILDREN && s != SPENT_DISK ? SPENT_KERNEL : s;
}

static void look_at(struct threads *t, const char *dir, uint32_t cid, int32_t pid, int32_t tid, bool first,
		    uint64_t now, const struct ctrace_schema *s)
{
	struct timespec boot;
	unsigned long long ticks = 0, ran = 0, waited = 0;
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
	x = threads_find(t, cid, tid);
	if (!x) {
		x = threads_add(t, cid, tid);
		x->start = start;
		x->old = first;
	}
	x->pid = pid;
	file = xasprintf("%s/schedstat", dir);
	text = read_file(file, NULL);
	if (text && sscanf(text, "%llu %llu", &ran, &waited) == 2) {
		x->ran = ran;
		x->waited = waited;
	}
	free(file);
	free(text);
	if (!x->seen) {
		x->ran_first = x->ran;
		x->waited_first = x->waited;
		x->first = at(t, x, dir, state, s);
	}
	x->last = x->seen ? at(t, x, dir, state, s) : x->first;
	x->seen = now;
}

static void look_at_process(struct threads *t, uint32_t cid, const char *pid, bool first, uint64_t now,
			    const struct ctrace_schema *s)
{
	char *path = xasprintf("/proc/%s/task", pid);
	struct dirent *e;
	DIR *d = opendir(path);

	while (d && (e = readdir(d))) {
		char *dir;

		if (e->d_name[0] < '1' || e->d_name[0] > '9')
			continue;
		dir = xasprintf("%s/%s", path, e->d_name);
		look_at(t, dir, cid, (int32_t)strtol(pid, NULL, 10), (int32_t)strtol(e->d_name, NULL, 10),
			first,
			now, s);
		free(dir);
	}
	if (d)
		closedir(d);
	free(path);
}

int threads_look(struct threads *t, struct ctable *table, const struct ctrace_schema *s,
		 bool (*wants)(const void *arg, uint32_t cid), const void *arg)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	bool first = !t->looked;
	struct dirent *e;
	DIR *d = opendir("/proc");

	if (!d)
		return -errno;
	t->looked = now;
	while ((e = readdir(d))) {
		uint32_t cid = e->d_name[0] >= '1' && e->d_name[0] <= '9' ? process_owner(table, e->d_name) :
									    CTRACE_CID_UNKNOWN;

		if (cid != CTRACE_CID_UNKNOWN && wants(arg, cid))
			look_at_process(t, cid, e->d_name, first, now, s);
	}
	closedir(d);
	descriptors_end(&t->fds);
	return 0;
}

void threads_free(struct threads *t)
{
	free(t->v);
	descriptors_free(&t->fds);
}
