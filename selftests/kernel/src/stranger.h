/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stranger.h: what the tests of strangers share. A stranger is a process of user nobody that was handed a
 * view of one container, and does with it what it likes. Beside it the container works, and a neighbour
 * does. After each thing that the stranger did, every byte of the view is accounted for: written by the
 * container's own calls, or as it was.
 */
#ifndef STRANGER_H
#define STRANGER_H

#include "dev.h"
#include "box.h"
#include <grp.h>
#include <setjmp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#define NOBODY		65534
#define STRANGER_RING	(4ull << 20)	/* no test fills one, so no record is overwritten */

/* --- a view -------------------------------------------------------------------------- */

/*
 * Gives a view of container cid in this session: returns its descriptor, which may be handed to any
 * process, or -errno. Maps it if map is not NULL. The only place where these tests ask for a view.
 */
static inline int stranger_view(uint32_t session, uint32_t cid, void **map, size_t *size)
{
	int dev = open(CTRACE_DEVICE, O_RDONLY | O_CLOEXEC), fd, err;
#ifdef CTRACE_IOC_VIEW
	struct ctrace_view_args v = { .session = session, .cid = cid };

	fd = dev < 0 ? -1 : ioctl(dev, CTRACE_IOC_VIEW, &v);
	err = -errno;
	close(dev);
#else
	struct ctrace_bind v = { .session = session, .cid = cid };

	fd = dev < 0 || ioctl(dev, CTRACE_IOC_BIND, &v) ? -1 : dev;
	err = -errno;
	if (fd < 0)
		close(dev);
#endif
	if (fd < 0)
		return err;
	*size = v.map_size;
	if (map) {
		*map = mmap(NULL, v.map_size, PROT_READ, MAP_SHARED, fd, 0);
		if (*map == MAP_FAILED) {
			err = -errno;
			close(fd);
			return err;
		}
	}
	return fd;
}

/* How long a view may outlive its session, in milliseconds. */
#ifdef CTRACE_VIEW_DRAIN_MS
#define STRANGER_DRAIN	CTRACE_VIEW_DRAIN_MS
#else
#define STRANGER_DRAIN	5000
#endif

/* The caller becomes nobody, as if nobody had started the program: it may be debugged by its user. */
static inline void stranger_nobody(void)
{
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY) ||
	    prctl(PR_SET_DUMPABLE, 1) || prctl(PR_SET_PDEATHSIG, SIGKILL)) {
		perror("# nobody");
		_exit(99);
	}
}

/* A session that records the marked call, with so many slots on each CPU. */
static inline void stranger_session(uint64_t ring, int slots)
{
	struct genl_sizes s = { .ring = ring };

	s.arena = 65536 + sysconf(_SC_NPROCESSORS_CONF) * slots * (ring + 4096 + 8);
	dev_session_make(&s, "syscall:getpriority");
}

static inline void stranger_session_end(void)
{
	genl_session_do(&dev_genl, CTRACE_CMD_SESSION_DEL, dev_session, -1);
	close(dev_genl.fd);
}

/* --- touching what may be gone --------------------------------------------------------- */

static __thread sigjmp_buf stranger_back;

static inline void stranger_fault(int sig)
{
	siglongjmp(stranger_back, sig);
}

static inline void stranger_faults(void)
{
	struct sigaction sa = { .sa_handler = stranger_fault, .sa_flags = SA_NODEFER };

	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
}

/* Copies n bytes from where there may be none. Returns the signal that it caused, 0 if none. */
static inline int stranger_copy(void *to, const void *from, size_t n)
{
	int sig = sigsetjmp(stranger_back, 1);

	if (!sig)
		memcpy(to, from, n);
	return sig;
}

/* --- containers that work when they are asked to --------------------------------------- */

struct worker {
	struct box box;
	uint32_t cid, number;	/* the number in its marked calls */
	int to, from;
	uint64_t made;
};

struct order {
	uint32_t calls;		/* 0: end */
	bool at_once;		/* make exactly as many, and answer; or slowly, until stopped */
};

/* Two calls a millisecond; after the last it rests. Ends when something is sent. */
static inline uint32_t worker_slowly(struct worker *w, uint32_t most)
{
	struct pollfd p = { .fd = w->to, .events = POLLIN };
	uint32_t n = 0;

	do {
		for (int i = 0; i < 2 && n < most; i++, n++)
			box_mark(w->number);
	} while (!poll(&p, 1, n < most ? 1 : -1));
	return n;
}

/* The container's init. It answers each order with how many calls it made. */
static inline int worker_init(void *arg)
{
	struct worker *w = arg;
	struct order o;
	uint32_t n;
	char stop;

	while (read(w->to, &o, sizeof(o)) == sizeof(o) && o.calls) {
		if (!o.at_once) {
			n = worker_slowly(w, o.calls);
			if (read(w->to, &stop, 1) != 1)
				return 1;
		} else {
			for (n = 0; n < o.calls; n++)
				box_mark(w->number);
		}
		if (write(w->from, &n, sizeof(n)) != sizeof(n))
			return 1;
	}
	return 0;
}

static inline void worker_start_as(struct worker *w, const char *word, uint32_t number, int (*init)(void *))
{
	char name[65], path[100];
	int to[2], from[2];

	memset(w, 0, sizeof(*w));
	w->number = number;
	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		ksft_exit_fail_msg("pipe\n");
	w->to = to[0];
	w->from = from[1];
	box_hex(name, word, getpid());
	snprintf(path, sizeof(path), "/box/%s", name);
	if (box_start(&w->box, path, CLONE_NEWPID, init, w))
		ksft_exit_fail_msg("no container: %s\n", strerror(errno));
	close(to[0]);
	close(from[1]);
	w->to = to[1];
	w->from = from[0];
	box_settle(&w->box);
	w->cid = dev_cid_of(w->box.pid);
	if (!w->cid)
		ksft_exit_fail_msg("container %s has no cid\n", word);
	box_go(&w->box);
}

static inline void worker_start(struct worker *w, const char *word, uint32_t number)
{
	worker_start_as(w, word, number, worker_init);
}

static inline void worker_order(struct worker *w, uint32_t calls, bool at_once)
{
	struct order o = { .calls = calls, .at_once = at_once };

	if (write(w->to, &o, sizeof(o)) != sizeof(o))
		ksft_exit_fail_msg("a container is gone\n");
}

static inline uint32_t worker_answer(struct worker *w)
{
	uint32_t n;

	if (read(w->from, &n, sizeof(n)) != sizeof(n))
		ksft_exit_fail_msg("a container is gone\n");
	w->made += n;
	return n;
}

/* It begins to work slowly, and makes at most so many marked calls until it is stopped. */
static inline void worker_ask(struct worker *w, uint32_t most)
{
	worker_order(w, most, false);
}

/* Stops it; returns how many calls it made since it was asked. */
static inline uint32_t worker_stop(struct worker *w)
{
	if (write(w->to, "s", 1) != 1)
		ksft_exit_fail_msg("a container is gone\n");
	return worker_answer(w);
}

/* It makes exactly n marked calls, as fast as it can. */
static inline void worker_make(struct worker *w, uint32_t n)
{
	worker_order(w, n, true);
	worker_answer(w);
}

static inline void worker_end(struct worker *w)
{
	worker_order(w, 0, true);
	if (box_end(&w->box))
		ksft_exit_fail_msg("a container failed\n");
	close(w->to);
	close(w->from);
}

/* --- the checker ------------------------------------------------------------------------- */

/* The checker's own mapping of the view, and what it held when it was last looked at. */
struct watch {
	int fd;
	const char *map;
	char *copy;
	size_t size;
	struct ctrace_dir dir;	/* as it was when the view was given: it may be overwritten */
	const struct worker *who;
	uint64_t before;	/* calls that `who` had made when the view was given */
	char why[200];		/* the first thing that was wrong */
};

static inline int watch_wrong(struct watch *w, const char *what, uint64_t a, uint64_t b)
{
	if (!w->why[0])
		snprintf(w->why, sizeof(w->why), "%s: %#llx, %#llx", what, (unsigned long long)a,
			 (unsigned long long)b);
	return -1;
}

/* Counts the records from position `at` to head, which must be the container's own marked calls. */
static inline int64_t watch_records(struct watch *w, const struct ctrace_dir *d, const struct ctrace_ring *r)
{
	const char *data = (const char *)r + CTRACE_PAGE;
	uint64_t at = r->base, last = 0;
	int64_t n = 0;

	while (at < r->head) {
		const struct ctrace_record *rec;

		if (!(at & (d->subbuf_size - 1))) {
			const struct ctrace_subbuf *s = (const void *)(data + (at & (d->ring_size - 1)));

			if (s->pos != at || s->events != r->base_events + n)
				return watch_wrong(w, "a sub-buffer's head", s->pos, at);
			at += sizeof(*s);
			continue;
		}
		rec = (const void *)(data + (at & (d->ring_size - 1)));
		if (!rec->time) {
			at = (at | (d->subbuf_size - 1)) + 1;
			continue;
		}
		if (rec->len < sizeof(*rec) || rec->len > CTRACE_RECORD_MAX || rec->len % 8 || rec->time < last)
			return watch_wrong(w, "a record's length or time", rec->len, at);
		if (rec->id != CTRACE_ID_SYS_ENTER + SYS_getpriority && rec->id != CTRACE_ID_SYS_EXIT + SYS_getpriority)
			return watch_wrong(w, "a record's type", rec->id, at);
		if (rec->cid != w->who->cid)
			return watch_wrong(w, "a record's container", rec->cid, at);
		last = rec->time;
		at += rec->len;
		n++;
	}
	if (n && at != r->head)
		return watch_wrong(w, "the last record's end", at, r->head);
	return n;
}

/* Is each of the n bytes 0? */
static inline bool watch_zero(const char *p, size_t n)
{
	return !n || (!p[0] && !memcmp(p, p + 1, n - 1));
}

/* One ring: old records remain, new ones are whole, the rest is zero. Returns how many records it has. */
static inline int64_t watch_ring(struct watch *w, const struct ctrace_dir *d, size_t at)
{
	const struct ctrace_ring *r = (const void *)(w->map + at), *was = (const void *)(w->copy + at);
	const char *data = w->map + at + CTRACE_PAGE, *old = w->copy + at + CTRACE_PAGE;
	uint64_t mask = d->ring_size - 1;

	/* the first cache line: what a binding changes, and no record does */
	if (memcmp(r, was, 64) || r->lost_full != was->lost_full || r->lost_nested != was->lost_nested)
		return watch_wrong(w, "a word of ctl that no record changes", at, r->gen);
	if (r->nest || r->head < was->head || (r->head > r->base && r->head - r->base > d->ring_size))
		return watch_wrong(w, "head", r->head, was->head);
	if (!watch_zero((const char *)(r + 1), CTRACE_PAGE - sizeof(*r)))
		return watch_wrong(w, "the rest of ctl's page", at, 0);
	/* no ring is ever full here, so what was published before is as it was */
	for (uint64_t p = r->base, end; p < was->head; p = end) {
		end = (p | mask) + 1 < was->head ? (p | mask) + 1 : was->head;
		if (memcmp(data + (p & mask), old + (p & mask), end - p))
			return watch_wrong(w, "records that were there before", at, p);
	}
	for (uint64_t p = r->head < r->base ? r->base : r->head, end; p < r->base + d->ring_size; p = end) {
		end = (p | mask) + 1 < r->base + d->ring_size ? (p | mask) + 1 : r->base + d->ring_size;
		if (!watch_zero(data + (p & mask), end - p))
			return watch_wrong(w, "bytes that no record has reached", at, p);
	}
	return watch_records(w, d, r);
}

/*
 * Is every byte of the view what the container's own calls made it? Only while the container rests. Returns
 * whether it is, and says in w->why what is not.
 */
static inline bool watch_ok(struct watch *w)
{
	const struct ctrace_dir *d = &w->dir, *now = (const void *)w->map;
	uint64_t made = w->who->made - w->before;
	int64_t n = 0, one;

	w->why[0] = 0;
	if (memcmp(w->map, w->copy, CTRACE_PAGE))
		watch_wrong(w, "the directory", now->magic, now->state);
	for (uint32_t cpu = 0; cpu < d->ncpus && !w->why[0]; cpu++) {
		one = watch_ring(w, d, d->slots_off + cpu * d->slot_stride);
		n += one;
	}
	if (!w->why[0] && (uint64_t)n != 2 * made)
		watch_wrong(w, "records and calls", n, made);
	memcpy(w->copy, w->map, w->size);
	return !w->why[0];
}

/* Gets a view of a container that rests. */
static inline void watch_start(struct watch *w, const struct worker *who)
{
	void *map = NULL;

	memset(w, 0, sizeof(*w));
	w->who = who;
	w->before = who->made;
	w->fd = stranger_view(dev_session, who->cid, &map, &w->size);
	if (w->fd < 0)
		ksft_exit_fail_msg("no view of container %u: %s\n", who->cid, strerror(-w->fd));
	w->map = map;
	w->copy = malloc(w->size);
	if (!w->copy)
		ksft_exit_fail_msg("no memory\n");
	memcpy(w->copy, w->map, w->size);
	memcpy(&w->dir, w->copy, sizeof(w->dir));
}

static inline void watch_end(struct watch *w)
{
	munmap((void *)w->map, w->size);
	close(w->fd);
	free(w->copy);
}

#endif
