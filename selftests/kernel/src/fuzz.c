// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz [SECONDS [SEED [THREADS]]]: messages of every command and calls on every kind of
 * descriptor, from a grammar that knows the policy, then spoilt; from several threads at once, each
 * with a socket of its own that it closes now and then, amid a dump as well.
 *
 * Where the kernel has kcov (and then only ctrace is instrumented), messages that reached something
 * new are kept, and spoilt further. A thread's choices depend on its seed, and on what
 * the module answered.
 */
#include "box.h"
#include "fuzz_msg.h"
#include <pthread.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#define THREADS		16
#define KEPT		512
#define BATCH_ROOM	60000
#define KCOV_ROOM	65536ul
#define KCOV_INIT	_IOR('c', 1, unsigned long)
#define KCOV_ENABLE	_IO('c', 100)

static volatile bool over;

static struct thread {
	pthread_t id;
	uint64_t seed;
	struct genl g;
	struct msg one, batch;
	uint64_t *cover;
	struct { uint32_t len; char b[2048]; } kept[KEPT];
	uint32_t nkept, number;
	unsigned long sent, accepted, refused, calls, done, sockets, mixed;
} threads[THREADS];

static __thread struct thread *t;

/* --- coverage ---------------------------------------------------------------------------- */

static uint64_t reached[1 << 14];
static unsigned long nreached;

static void cover_begin(void)
{
	int fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return;
	if (!ioctl(fd, KCOV_INIT, KCOV_ROOM)) {
		t->cover = mmap(NULL, KCOV_ROOM * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (t->cover == MAP_FAILED || ioctl(fd, KCOV_ENABLE, 0))
			t->cover = NULL;
	}
	/* the descriptor stays open: closing it would end the recording */
}

/* Of what was run since the last look: how many places are new. */
static int cover_new(void)
{
	uint64_t n, h, bit;
	int new = 0;

	if (!t->cover)
		return 0;
	n = __atomic_load_n(&t->cover[0], __ATOMIC_RELAXED);
	for (uint64_t i = 0; i < n && i + 1 < KCOV_ROOM; i++) {
		h = t->cover[i + 1] * 0x9e3779b97f4a7c15ull >> 44;
		bit = 1ull << h % 64;
		if (!(__atomic_fetch_or(&reached[h / 64], bit, __ATOMIC_RELAXED) & bit))
			new++;
	}
	__atomic_store_n(&t->cover[0], 0, __ATOMIC_RELAXED);
	__atomic_fetch_add(&nreached, new, __ATOMIC_RELAXED);
	return new;
}

/* --- sending them ----------------------------------------------------------------------------- */

static void socket_new(void)
{
	struct timeval tv = { .tv_sec = 60 };
	int err = genl_open(&t->g);

	if (err)
		ksft_exit_fail_msg("a new socket: %s\n", strerror(-err));
	/* a command that is not answered is a failure, not a hang */
	setsockopt(t->g.fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	family = t->g.family;
	memset(own, 0, sizeof(own));
	t->sockets++;
}

/* Takes in what came, at most so many times. True: something did. */
static bool take_in(int times)
{
	static __thread char buf[65536] __attribute__((aligned(8)));
	bool some = false;

	while (times--) {
		ssize_t n = recv(t->g.fd, buf, chance(20) ? 1024 + rnd() % 8192 : sizeof(buf), MSG_DONTWAIT);
		struct nlmsghdr *h = (void *)buf;
		uint32_t id;

		if (n <= 0)
			break;
		some = true;
		for (; NLMSG_OK(h, (size_t)n); h = NLMSG_NEXT(h, n)) {
			if (h->nlmsg_type == NLMSG_ERROR) {
				if (((struct nlmsgerr *)NLMSG_DATA(h))->error)
					t->refused++;
				else
					t->accepted++;
			} else if (h->nlmsg_type == NLMSG_DONE) {
				t->done++;
			} else if (h->nlmsg_type == t->g.family) {
				uint8_t cmd = ((struct genlmsghdr *)NLMSG_DATA(h))->cmd;

				id = msg_get_u32(h, CTRACE_A_SESSION, CTRACE_A_SESSION_ID);
				if (id && cmd == CTRACE_CMD_SESSION_NEW)
					ANY(sessions) = own[own[0] ? rnd() % 4 : 0] = id;
				id = msg_get_u32(h, CTRACE_A_PROBE, CTRACE_A_PROBE_ID);
				if (id && cmd == CTRACE_CMD_PROBE_ADD)
					ANY(probes) = id;
			}
		}
	}
	return some;
}

/* The words of a refusal are those of one's own mistake, whatever others are told meanwhile. */
static void own_words(void)
{
	uint32_t id = 0x70000000 + (t - threads) * 0x100000 + t->number++ % 0x100000;
	char want[32];
	int err;

	while (take_in(100))
		;
	err = genl_session_do(&t->g, CTRACE_CMD_SESSION_DEL, id, -1);
	snprintf(want, sizeof(want), "session %u", id);
	if (err != -ENOENT || !strstr(t->g.text, want)) {
		if (!t->mixed++)
			ksft_print_msg("expected \"no %s\", seen %s \"%s\"\n", want, strerror(-err), t->g.text);
	}
}

static void one_message(void)
{
	uint32_t n = chance(8) ? 1 + rnd() % 6 : 1, i, at = 0;

	for (i = 0; i < n; i++) {
		if (t->nkept && chance(3)) {
			uint32_t k = rnd() % t->nkept;

			memcpy(m->b, t->kept[k].b, t->kept[k].len);
			spoil();
			/* the ids in it are old */
			nattrs = 0;
			find_attrs(HEAD, m->h.nlmsg_len, 0);
			if (nattrs > 1 && !chance(4)) {
				struct nlattr *a = (void *)(m->b + attrs[1]);
				uint32_t id = any_session();

				if (a->nla_len == NLA_HDRLEN + 4 && (a->nla_type & NLA_TYPE_MASK) == CTRACE_A_SESSION_ID)
					memcpy(a + 1, &id, 4);
			}
		} else {
			sound();
		}
		while (chance(2))
			spoil();
		m->h.nlmsg_type = chance(200) ? rnd() : t->g.family;
		m->h.nlmsg_flags |= chance(50) ? 0 : NLM_F_ACK;
		m->h.nlmsg_pid = 0;
		if (unfair() || at + NLMSG_ALIGN(m->h.nlmsg_len) > BATCH_ROOM)
			continue;
		memcpy(t->batch.b + at, m->b, m->h.nlmsg_len);
		at += NLMSG_ALIGN(m->h.nlmsg_len);
		t->sent++;
	}
	if (!at)
		return;
	cover_new();	/* what else this thread ran is not this message's */
	if (send(t->g.fd, t->batch.b, at, 0) < 0)
		return;
	if (chance(100)) {	/* amid whatever it is */
		close(t->g.fd);
		socket_new();
		return;
	}
	/* a dump is read to its end, or left for a while */
	take_in(chance(4) ? 1 : 100);
	if (cover_new() && m->h.nlmsg_len <= sizeof(t->kept[0].b)) {
		i = t->nkept < KEPT ? t->nkept++ : rnd() % KEPT;
		t->kept[i].len = m->h.nlmsg_len;
		memcpy(t->kept[i].b, m->b, m->h.nlmsg_len);
	}
}

static void *talker(void *arg)
{
	t = arg;
	m = &t->one;
	rnd_state = t->seed;
	cover_begin();
	socket_new();
	while (!over) {
		one_message();
		if (chance(64))
			own_words();
		/* more than 32 there cannot be; and dead ones give others room */
		if (chance(400)) {
			close(t->g.fd);
			socket_new();
		}
	}
	close(t->g.fd);
	return NULL;
}

/* --- the device ----------------------------------------------------------------------------- */

static void device_call(int *fd, char **map, size_t *size)
{
	static __thread char buf[65536];
	struct ctrace_bind b = { .session = any_session(), .cid = chance(2) ? CTRACE_CID_ALL : any_cid() };
	struct pollfd p = { .fd = *fd, .events = rnd() };
	int pipes[2];
	void *bad[] = { NULL, (void *)-4096l, (void *)0xffff888000000000ul, *map, buf + sizeof(buf) - 8, (void *)8 };
	struct iovec v = { buf, rnd() % sizeof(buf) };
	off_t off;

	switch (rnd() % 20) {
	case 0:
	case 1:
	case 2:
		if (*fd >= 0)
			close(*fd);
		*fd = open(CTRACE_DEVICE, (chance(4) ? O_RDWR : O_RDONLY) | O_CLOEXEC | (chance(20) ? 0 : O_NONBLOCK));
		/* one that waits must not wait for ever */
		if (*fd >= 0 && !(fcntl(*fd, F_GETFL) & O_NONBLOCK))
			fcntl(*fd, F_SETFL, O_NONBLOCK);
		break;
	case 3:
	case 4:
	case 5:
		if (chance(10))
			b._reserved[rnd() % 2] = rnd();
		ioctl(*fd, CTRACE_IOC_BIND, chance(10) ? ANY(bad) : &b);
		if (b.map_size && b.map_size < 64 << 20)
			*size = b.map_size;
		break;
	case 6:
		ioctl(*fd, chance(2) ? _IOC(rnd() % 4, CTRACE_IOC_MAGIC, rnd() % 4, rnd() % 64) : rnd(),
		      chance(2) ? (void *)buf : ANY(bad));
		break;
	case 7:
	case 8:
	case 9:
		if (*map)
			munmap(*map, *size);
		off = chance(4) ? (off_t)(rnd() % 64) * 4096 : chance(10) ? (off_t)(ANY(limits64) & ~4095ull) : 0;
		*map = mmap(NULL, *size, chance(8) ? rnd() % 8 : PROT_READ, chance(3) ? MAP_PRIVATE : chance(4) ?
			    MAP_SHARED | MAP_POPULATE : MAP_SHARED, *fd, off);
		if (*map == MAP_FAILED)
			*map = NULL;
		break;
	case 10:
	case 11:
		/* through a pipe: what cannot be read is an error, not a signal */
		if (*map && !pipe(pipes)) {
			fcntl(pipes[1], F_SETFL, O_NONBLOCK);
			for (size_t at = 0; at < *size; at += 4096)
				if (write(pipes[1], *map + at, 1) < 0 && errno == EAGAIN)
					break;
			close(pipes[0]);
			close(pipes[1]);
		}
		break;
	case 12:
	case 13:
		if (read(*fd, chance(20) ? ANY(bad) : buf, rnd() % sizeof(buf)) < 0)
			errno = 0;
		break;
	case 14:
		if (readv(*fd, &v, 1) < 0 || pread(*fd, buf, 4096, rnd()) < 0)
			errno = 0;
		break;
	case 15:
		poll(&p, 1, rnd() % 3);
		break;
	case 16:
		/* within it: what lies behind is this program's own */
		if (*map) {
			size_t n = *size / 4096, at = rnd() % n;

			madvise(*map + at * 4096, 4096 * (1 + rnd() % (n - at)), rnd() % 26);
		}
		break;
	case 17:
		if (!pipe(pipes)) {
			splice(*fd, NULL, pipes[1], NULL, 65536, SPLICE_F_NONBLOCK);
			v.iov_base = *map;
			if (*map)
				vmsplice(pipes[1], &v, 1, SPLICE_F_NONBLOCK);
			close(pipes[0]);
			close(pipes[1]);
		}
		break;
	case 18:
		lseek(*fd, rnd(), rnd() % 5);
		if (!ftruncate(*fd, 0) || !fsync(*fd))
			errno = 0;
		fcntl(*fd, F_SETFL, O_NONBLOCK | (chance(2) ? O_ASYNC : 0));
		break;
	default:
		if (*map) {
			char *q = mremap(*map, *size, chance(2) ? *size : *size + 4096, MREMAP_MAYMOVE);

			if (q != MAP_FAILED)
				*map = q;
		}
	}
}

static void *user(void *arg)
{
	int fd = -1;
	char *map = NULL;
	size_t size = 4096;

	t = arg;
	m = &t->one;
	rnd_state = t->seed;
	cover_begin();
	while (!over) {
		size_t had = size;

		device_call(&fd, &map, &size);
		if (size != had && map) {
			munmap(map, had);
			map = NULL;
		}
		t->calls++;
		cover_new();
	}
	close(fd);
	return NULL;
}

/* --- what there is to see ---------------------------------------------------------------------- */

static int opener(void *arg)
{
	(void)arg;
	for (int i = 0; i < 50; i++)
		syscall(SYS_openat, AT_FDCWD, "/tmp/fuzz", O_RDONLY);
	return 0;
}

static int count_fn(const struct nlmsghdr *h, void *arg)
{
	(void)h;
	(*(int *)arg)++;
	return 0;
}

static int list(struct genl *g, uint8_t cmd)
{
	static struct msg m;
	int n = 0, err;

	msg_new(&m, g->family, cmd, NLM_F_DUMP);
	err = genl_call(g, &m, count_fn, &n);
	return err ?: n;
}

int main(int argc, char **argv)
{
	time_t begin = time(NULL), end = begin + (argc > 1 ? atoi(argv[1]) : 5), told = begin + 60;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)begin;
	int n = argc > 3 ? atoi(argv[3]) : 6, left = 0, events;
	struct thread sum = { 0 };
	struct genl g;
	pid_t busy;

	if (n < 6 || n > THREADS)
		n = 6;
	ksft_print_header();
	ksft_set_plan(5);
	ksft_print_msg("seed %llu, %d threads\n", (unsigned long long)seed, n);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGIO, SIG_IGN);
	if (box_init(BOX_MOUNTS) || genl_open(&g))
		ksft_exit_fail_msg("no cgroups, or no family\n");
	cgroup_fd = open(box_mount[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	busy = box_births("fuzz", opener, NULL);
	for (int i = 0; i < n; i++) {
		threads[i].seed = seed * 1000003 + i;
		/* a sixth of them */
		pthread_create(&threads[i].id, NULL, i % 6 == 5 ? user : talker, &threads[i]);
	}
	while (time(NULL) < end) {
		usleep(100000);
		if (time(NULL) < told)
			continue;
		told += 60;
		for (int i = 0; i < n; i++)
			sum.sent += threads[i].sent, sum.accepted += threads[i].accepted;
		ksft_print_msg("%ld s: %lu messages, %lu accepted, %lu places reached\n", (long)(time(NULL) - begin),
			       sum.sent, sum.accepted, nreached);
		fflush(stdout);
		sum.sent = 0, sum.accepted = 0;
	}
	over = true;
	for (int i = 0; i < n; i++) {
		pthread_join(threads[i].id, NULL);
		sum.sent += threads[i].sent;
		sum.accepted += threads[i].accepted;
		sum.refused += threads[i].refused;
		sum.calls += threads[i].calls;
		sum.done += threads[i].done;
		sum.sockets += threads[i].sockets;
		sum.mixed += threads[i].mixed;
		sum.nkept += threads[i].nkept;
	}
	kill(busy, SIGKILL);
	waitpid(busy, NULL, 0);
	ksft_print_msg("%lu messages of %lu sockets: %lu accepted, %lu refused, %lu dumps to their end; %lu calls on the device\n",
		       sum.sent, sum.sockets, sum.accepted, sum.refused, sum.done, sum.calls);
	ksft_print_msg("coverage: %lu places reached, %u messages kept (%s)\n", nreached, sum.nkept,
		       threads[0].cover ? "kcov" : "no kcov");
	ksft_test_result(sum.accepted && sum.refused && sum.done && sum.calls, "some were taken, some were not\n");
	ksft_test_result(!sum.mixed, "each refusal had its own words (%lu not)\n", sum.mixed);
	for (int i = 0; i < 3000; i++) {
		left = list(&g, CTRACE_CMD_SESSION_GET);
		if (!left)
			break;
		usleep(20000);
	}
	ksft_test_result(!left, "their sockets are closed, no session is left (%d)\n", left);
	events = list(&g, CTRACE_CMD_EVENT_GET);
	ksft_test_result(events > 40, "all %d event types are told\n", events);
	left = genl_session_new(&g, NULL);
	ksft_test_result(left > 0, "and the module still answers (%s)\n", left < 0 ? strerror(-left) : "a session");
	ksft_finished();
}
