// SPDX-License-Identifier: GPL-2.0-only
/*
 * strangers_learn [SECONDS]: what the holder of a view learns of others by it, which must be what
 * SECURITY.md lists and no more. His container rests while the host and neighbours work: no byte of the
 * mapping may change, and nothing that he can ask of the descriptor. A view on a slot that was others'
 * before shows of them only the words that the list has.
 */
#include "stranger_hold.h"
#include "proc_counts.h"
#include <sys/epoll.h>

/* Everything that a descriptor shows, as text. */
static void asked(int fd, char *to, size_t room)
{
	struct stat st;
	char path[64];
	ssize_t n;
	size_t at;
	int f, pending = -1;

	fstat(fd, &st);
	at = snprintf(to, room, "ino %lu size %lld mode %o blocks %lld mtime %lld.%09ld ctime %lld.%09ld seek %lld %d fionread %d %d\n",
		      (unsigned long)st.st_ino, (long long)st.st_size, st.st_mode, (long long)st.st_blocks,
		      (long long)st.st_mtime, st.st_mtim.tv_nsec, (long long)st.st_ctime, st.st_ctim.tv_nsec,
		      (long long)lseek(fd, 0, SEEK_END), errno, ioctl(fd, 0x541b, &pending), pending);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = open(path, O_RDONLY | O_CLOEXEC);
	n = read(f, to + at, room - at - 1);
	at += n > 0 ? n : 0;
	close(f);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, to + at, room - at - 1);
	at += n > 0 ? n : 0;
	to[at] = 0;
}

/* What the holder's process saw, in shared memory. */
static struct learnt {
	bool ready, done;
	unsigned long polled, epolled, bytes;
	long switches_waiting, switches_more;
	long long changed_at;
	bool told;
	char before[2048], after[2048];
} *learnt;

/* Nobody: looks at everything within reach until stopped. */
static void look(int fd, size_t size)
{
	char *copy = malloc(size), *map, buf[4096];
	struct epoll_event ev = { .events = EPOLLIN };
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int ep = epoll_create1(0);

	stranger_nobody();
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED || !copy || ep < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev))
		_exit(1);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	/* nobody's own older records: read them, and poll */
	while (read(fd, buf, sizeof(buf)) > 0 || poll(&p, 1, 0) > 0 || epoll_wait(ep, &ev, 1, 0) > 0)
		;
	memcpy(copy, map, size);
	asked(fd, learnt->before, sizeof(learnt->before));
	learnt->changed_at = -1;
	__atomic_store_n(&learnt->ready, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&learnt->done, __ATOMIC_ACQUIRE)) {
		ssize_t n = read(fd, buf, sizeof(buf));

		learnt->bytes += n > 0 ? n : 0;
		learnt->polled += poll(&p, 1, 20) > 0;
		learnt->epolled += epoll_wait(ep, &ev, 1, 20) > 0;
		if (learnt->changed_at < 0 && memcmp(copy, map, size))
			for (size_t i = 0; i < size && learnt->changed_at < 0; i++)
				if (copy[i] != map[i])
					learnt->changed_at = i;
		asked(fd, learnt->after, sizeof(learnt->after));
		learnt->told |= strcmp(learnt->before, learnt->after);
	}
	_exit(0);
}

/* Nobody: waits without a limit. */
static pid_t waiter(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	pid_t pid = fork();

	if (pid)
		return pid;
	stranger_nobody();
	for (;;)
		if (poll(&p, 1, -1) < 0)
			_exit(1);
}

static void at_rest(const struct worker *mine, struct worker *neighbour, int seconds)
{
	size_t size, size2;
	int fd = stranger_view(dev_session, mine->cid, NULL, &size), waits;
	uint64_t made = neighbour->made;
	pid_t pid, waiting;
	long before, after;
	int st;

	waits = stranger_view(dev_session, mine->cid, NULL, &size2);
	if (fd < 0 || waits < 0)
		ksft_exit_fail_msg("no view: %s\n", strerror(fd < 0 ? -fd : -waits));
	pid = fork();
	if (!pid)
		look(fd, size);
	waiting = waiter(waits);
	for (int i = 0; i < 10000 && !__atomic_load_n(&learnt->ready, __ATOMIC_ACQUIRE); i++)
		usleep(1000);
	usleep(300000);
	before = proc_sleeps(waiting);
	for (time_t end = time(NULL) + seconds; time(NULL) < end; ) {
		worker_make(neighbour, 500);
		for (int i = 0; i < 500; i++)
			box_mark(1);	/* the host's */
		usleep(20000);
	}
	after = proc_sleeps(waiting);
	__atomic_store_n(&learnt->done, true, __ATOMIC_RELEASE);
	waitpid(pid, &st, 0);
	ksft_test_result(!st && learnt->ready && learnt->changed_at < 0,
			 "%llu calls of a neighbour and as many of the host: first byte of %zu that changed: %lld\n",
			 (unsigned long long)(neighbour->made - made), size, learnt->changed_at);
	ksft_test_result(!learnt->bytes, "read() gave %lu bytes\n", learnt->bytes);
	ksft_test_result(!learnt->polled && !learnt->epolled, "poll() and epoll told of records %lu and %lu times\n",
			 learnt->polled, learnt->epolled);
	/* a scheduler may disturb it once in a while, a neighbour 200 times a second */
	ksft_test_result(after - before <= 2 + seconds, "one who waits was woken %ld times in %d seconds\n", after - before, seconds);
	ksft_test_result(!learnt->told, "stat, fdinfo, link, offset, FIONREAD are as they were\n");
	if (learnt->told)
		printf("# before: %s\n# after: %s\n", learnt->before, learnt->after);
	kill(waiting, SIGKILL);
	waitpid(waiting, NULL, 0);
	close(fd);
	close(waits);
}

/*
 * Words of ctl about the containers that had the slot before: how much they wrote, in positions and
 * counts, which here are far below a second in nanoseconds. Not: when, or what was lost.
 */
static bool tells_too_much(const struct ctrace_ring *r, uint32_t cid, char *why, size_t room)
{
	const uint64_t *words = (const void *)r;

	for (size_t i = 2; i < CTRACE_PAGE / 8; i++)
		if (words[i] >= 1000000000 || (i >= sizeof(*r) / 8 && words[i])) {
			snprintf(why, room, "cpu %u: word %zu of ctl is %llu", r->cpu, i, (unsigned long long)words[i]);
			return true;
		}
	if (r->lost_full || r->lost_nested || r->lost_frozen || r->frozen || r->nest ||
	    !watch_zero((char *)r->_pad, sizeof(r->_pad)))
		snprintf(why, room, "cpu %u: lost %llu %llu, nest %u", r->cpu, (unsigned long long)r->lost_full,
			 (unsigned long long)r->lost_nested, r->nest);
	else if (r->cid != cid || r->head > r->base)
		snprintf(why, room, "cpu %u: cid %u, head %llu of base %llu", r->cpu, r->cid, (unsigned long long)r->head,
			 (unsigned long long)r->base);
	return why[0];
}

/* Containers come and go until their slots are used again; then one that has made no call gets a view. */
static void on_used_slots(void)
{
	const struct ctrace_dir *d;
	struct worker w;
	bool used = false;
	char why[128] = "";
	void *map = NULL;
	size_t size;
	int fd;

	for (int i = 0; i < 12; i++) {
		char word[24];

		snprintf(word, sizeof(word), "learn-gone-%d", i);
		worker_start(&w, word, 0x7ec2e9);
		worker_make(&w, 400 + 10 * i);
		worker_end(&w);
		usleep(20000);
	}
	usleep(500000);
	worker_start(&w, "learn-new", 1);
	fd = stranger_view(dev_session, w.cid, &map, &size);
	if (fd < 0)
		ksft_exit_fail_msg("no view: %s\n", strerror(-fd));
	d = map;
	for (uint32_t cpu = 0; cpu < d->ncpus; cpu++) {
		const struct ctrace_ring *r = (const void *)((char *)map + d->slots_off + cpu * d->slot_stride);

		used |= r->base != 0 || r->base_events != 0 || r->gen > 2;
		if (!tells_too_much(r, w.cid, why, sizeof(why)) && !watch_zero((char *)r + CTRACE_PAGE, d->ring_size))
			snprintf(why, sizeof(why), "cpu %u: a byte of a record of before", cpu);
	}
	ksft_test_result(used, "a slot of the new view was another container's before\n");
	ksft_test_result(!why[0], "of those before it, it shows only how much they wrote: %s\n", why[0] ? why : "so it is");
	munmap(map, size);
	close(fd);
	worker_end(&w);
}

/* The directory is the same for each container: what differs is its number. */
static void directories(const struct worker *a, const struct worker *b)
{
	void *pa = NULL, *pb = NULL;
	struct ctrace_dir da, db;
	size_t n;
	int fa = stranger_view(dev_session, a->cid, &pa, &n), fb = stranger_view(dev_session, b->cid, &pb, &n);

	if (fa < 0 || fb < 0)
		ksft_exit_fail_msg("no views\n");
	memcpy(&da, pa, sizeof(da));
	memcpy(&db, pb, sizeof(db));
	db.cid = da.cid;
	ksft_test_result(!memcmp(&da, &db, sizeof(da)) && watch_zero((char *)pa + sizeof(da), CTRACE_PAGE - sizeof(da)),
			 "two containers' directories differ in the container's number alone\n");
	close(fa);
	close(fb);
}

int main(int argc, char **argv)
{
	struct worker mine, neighbour;

	ksft_print_header();
	ksft_set_plan(8);
	learnt = mmap(NULL, sizeof(*learnt), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (box_init(BOX_MOUNTS))
		ksft_exit_fail_msg("no cgroups\n");
	stranger_session(65536, 6);
	worker_start(&mine, "learn-mine", 0x6c65);
	worker_start(&neighbour, "learn-neighbour", 0x6c66);
	dev_session_start(CTRACE_TARGET_ALL, 0);
	worker_make(&mine, 100);
	directories(&mine, &neighbour);
	at_rest(&mine, &neighbour, argc > 1 ? atoi(argv[1]) : 3);
	worker_end(&neighbour);
	worker_end(&mine);
	on_used_slots();
	stranger_session_end();
	ksft_finished();
}
