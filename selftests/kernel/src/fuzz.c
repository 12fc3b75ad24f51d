// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz [SECONDS [SEED [THREADS]]]: sends messages of every command, and makes calls on every kind of
 * descriptor. Both come from a grammar that knows the policy, and are then spoilt. Several threads do so at
 * once. Each has a socket of its own, which it closes now and then, also during a dump. The module must not
 * accept what is plainly wrong (fuzz_law.h).
 *
 * An accepted message may cost a thousand times as much as a refused one: text is patched, arenas are made,
 * grace periods pass; and all others wait, as one command runs at a time. So a sound message goes alone,
 * and seldom (DEAR). All others are spoilt, sent many at a time, and concern the sessions that the sound
 * ones made.
 *
 * If the kernel has kcov (which then instruments only ctrace), a message that reached new code is kept, and
 * spoilt further. A thread's choices depend on its seed, and on what the module answered, and when.
 */
#include "box.h"
#include "fuzz_dev.h"
#include "fuzz_law.h"
#include "fuzz_msg.h"
#include <pthread.h>
#include <sys/resource.h>

#define THREADS		16
#define KEPT		512
#define DEAR		4	/* pause after a sound message: DEAR times as long as it took */
#define BATCH		24
#define BATCH_ROOM	60000
#define KCOV_ROOM	65536ul
#define KCOV_INIT	_IOR('c', 1, unsigned long)
#define KCOV_ENABLE	_IO('c', 100)

static volatile bool over;

struct counts {
	unsigned long taken[CTRACE_CMD_MAX + 2], refused[CTRACE_CMD_MAX + 2];
	unsigned long sent, calls, done, sockets, mixed, wrong, kept;
};

static struct thread {
	pthread_t id;
	uint64_t seed, dear_at, close_at;
	struct genl g;
	struct msg one, batch;
	/* what was asked, indexed by sequence number */
	struct asked { uint32_t session, probe; uint8_t cmd; bool wrong; } asked[256];
	uint64_t *cover;
	struct { uint32_t len; char b[2048]; } kept[KEPT];
	uint32_t nkept, number;
	struct counts n;
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
	/* The descriptor stays open: closing it would end the recording. */
}

/* Returns how many places in the code were reached for the first time since the last call. */
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
	/* A command that gets no answer is a failure, not a hang. */
	setsockopt(t->g.fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	family = t->g.family;
	memset(own, 0, sizeof(own));
	memset(own_probes, 0, sizeof(own_probes));
	t->close_at = box_now() + rnd() % 4000 * 1000000ull;
	t->n.sockets++;
}

static struct asked *asked(uint32_t seq)
{
	return &t->asked[seq % COUNT(t->asked)];
}

static void answered(const struct nlmsghdr *h)
{
	const struct asked *a = asked(h->nlmsg_seq);

	if (((struct nlmsgerr *)NLMSG_DATA(h))->error) {
		t->n.refused[a->cmd]++;
		return;
	}
	t->n.taken[a->cmd]++;
	if (a->cmd == CTRACE_CMD_SESSION_DEL)
		forget_session(a->session);
	else if (a->cmd == CTRACE_CMD_PROBE_DEL)
		forget_probe(a->session, a->probe);
	if (a->wrong && !t->n.wrong++)
		ksft_print_msg("expected a refusal, seen it taken: command %u\n", a->cmd);
}

/* Reads what arrived, `times` times at most. True if something did. */
static bool take_in(int times)
{
	static __thread char buf[65536] __attribute__((aligned(8)));
	bool some = false;

	while (times--) {
		ssize_t n = recv(t->g.fd, buf, chance(20) ? 1024 + rnd() % 8192 : sizeof(buf), MSG_DONTWAIT);
		struct nlmsghdr *h = (void *)buf;

		if (n <= 0)
			break;
		some = true;
		for (; NLMSG_OK(h, (size_t)n); h = NLMSG_NEXT(h, n)) {
			if (h->nlmsg_type == NLMSG_ERROR) {
				answered(h);
			} else if (h->nlmsg_type == NLMSG_DONE) {
				t->n.done++;
			} else if (h->nlmsg_type == t->g.family) {
				uint8_t cmd = ((struct genlmsghdr *)NLMSG_DATA(h))->cmd;

				if (cmd == CTRACE_CMD_SESSION_NEW)
					keep_session(msg_get_u32(h, CTRACE_A_SESSION, CTRACE_A_SESSION_ID));
				else if (cmd == CTRACE_CMD_PROBE_ADD)
					keep_probe(asked(h->nlmsg_seq)->session,
						   msg_get_u32(h, CTRACE_A_PROBE, CTRACE_A_PROBE_ID));
				else if (cmd == CTRACE_CMD_TARGET_ADD)
					keep_target(asked(h->nlmsg_seq)->session,
						    msg_get_u32(h, CTRACE_A_TARGET, CTRACE_A_TARGET_ID));
			}
		}
	}
	return some;
}

/* The words of a refusal are about one's own mistake, whatever refusals others get at the time. */
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
		if (!t->n.mixed++)
			ksft_print_msg("expected \"no %s\", seen %s \"%s\"\n", want, strerror(-err), t->g.text);
	}
}

/* Takes a message that was kept, with an id that is valid now. */
static void again(void)
{
	uint32_t k = rnd() % t->nkept, id = any_session();
	struct nlattr *a;

	memcpy(m->b, t->kept[k].b, t->kept[k].len);
	nattrs = 0;
	find_attrs(HEAD, m->h.nlmsg_len, 0);
	if (nattrs < 2 || chance(4))
		return;
	a = (void *)(m->b + attrs[1]);
	if (a->nla_len == NLA_HDRLEN + 4 && (a->nla_type & NLA_TYPE_MASK) == CTRACE_A_SESSION_ID)
		memcpy(a + 1, &id, 4);
}

/* Puts the message into the batch; returns the place after it. */
static uint32_t put(uint32_t at)
{
	uint8_t cmd = ((struct genlmsghdr *)NLMSG_DATA(&m->h))->cmd;
	struct asked *a;

	m->h.nlmsg_type = chance(200) ? rnd() : t->g.family;
	m->h.nlmsg_flags |= chance(50) ? 0 : NLM_F_ACK;
	m->h.nlmsg_pid = 0;
	if (unfair() || at + NLMSG_ALIGN(m->h.nlmsg_len) > BATCH_ROOM)
		return at;
	m->h.nlmsg_seq = ++t->g.seq;
	a = asked(t->g.seq);
	a->cmd = cmd <= CTRACE_CMD_MAX ? cmd : CTRACE_CMD_MAX + 1;
	a->session = msg_get_u32(&m->h, CTRACE_A_SESSION, CTRACE_A_SESSION_ID);
	a->probe = msg_get_u32(&m->h, CTRACE_A_PROBE, CTRACE_A_PROBE_ID);
	a->wrong = m->h.nlmsg_type == t->g.family && unlawful(&m->h);
	memcpy(t->batch.b + at, m->b, m->h.nlmsg_len);
	t->n.sent++;
	return at + NLMSG_ALIGN(m->h.nlmsg_len);
}

/* True if the command may be carried out, and not only refused. */
static bool may_be_done(void)
{
	const struct genlmsghdr *g = NLMSG_DATA(&m->h);
	uint32_t id;

	if (unlawful(&m->h))
		return false;
	switch (g->cmd) {
	case CTRACE_CMD_SESSION_DEL:
	case CTRACE_CMD_SESSION_SET:
	case CTRACE_CMD_PROBE_ADD:
	case CTRACE_CMD_PROBE_DEL:
	case CTRACE_CMD_TARGET_ADD:
	case CTRACE_CMD_TARGET_DEL:
		id = msg_get_u32(&m->h, CTRACE_A_SESSION, CTRACE_A_SESSION_ID);
		for (size_t i = 0; i < COUNT(own); i++)
			if (own[i] == id)
				return true;
		return false;
	}
	return true;
}

static void some_messages(void)
{
	uint64_t now = box_now();
	bool dear = now >= t->dear_at;
	/* Send several, unless we want to know which one reached new code. */
	uint32_t n = dear || (t->cover && !chance(3)) ? 1 : 1 + rnd() % BATCH, i, at = 0;

	while (n--) {
		if (t->nkept && chance(3))
			again();
		else
			sound(dear);
		if (!dear) {
			do
				spoil();
			while (chance(4) || (may_be_done() && !chance(32)));
		} else if (chance(3)) {
			spoil();
		}
		at = put(at);
	}
	if (!at)
		return;
	cover_new();	/* what else this thread ran does not count for this message */
	if (send(t->g.fd, t->batch.b, at, 0) < 0)
		return;
	if (chance(200)) {	/* whatever the module is doing */
		close(t->g.fd);
		socket_new();
		return;
	}
	/* Read a dump to its end, or leave it for a while. */
	take_in(chance(8) ? 1 : 100);
	if (dear)
		t->dear_at = now + DEAR * (box_now() - now);
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
		some_messages();
		if (chance(64))
			own_words();
		/* There cannot be more than 32 sessions, and ended ones make room for others. */
		if (box_now() > t->close_at) {
			close(t->g.fd);
			socket_new();
		}
	}
	close(t->g.fd);
	return NULL;
}

/* --- the device ----------------------------------------------------------------------------- */

static void *user(void *arg)
{
	int fd = -1;
	char *map = NULL;
	size_t size = 4096;

	t = arg;
	m = &t->one;
	rnd_state = t->seed;
	/* Calls on the device do not wait, and would leave the others no time. */
	setpriority(PRIO_PROCESS, 0, 10);
	cover_begin();
	while (!over) {
		size_t had = size;

		device_call(&fd, &map, &size, &t->n.wrong);
		if (size != had && map) {
			munmap(map, had);
			map = NULL;
		}
		t->n.calls++;
		cover_new();
	}
	close(fd);
	return NULL;
}

/* --- what there is to look at ------------------------------------------------------------------ */

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

/* Sums up what n threads did so far. */
static struct counts told(int n)
{
	struct counts sum = { 0 };

	for (int i = 0; i < n; i++) {
		const unsigned long *from = (void *)&threads[i].n;
		unsigned long *to = (void *)&sum;

		for (size_t k = 0; k < sizeof(sum) / sizeof(*to); k++)
			to[k] += from[k];
		sum.kept += threads[i].nkept;
	}
	return sum;
}

/* Prints the counts. True if some commands were accepted and some refused. */
static bool tell(const struct counts *s, time_t seconds)
{
	unsigned long taken = 0, refused = 0;

	ksft_print_msg("taken/refused, by command:");
	for (int i = 0; i <= CTRACE_CMD_MAX + 1; i++) {
		taken += s->taken[i];
		refused += s->refused[i];
		printf(" %d: %lu/%lu", i, s->taken[i], s->refused[i]);
	}
	printf("\n");
	ksft_print_msg("%ld s: %lu messages of %lu sockets: %lu taken, %lu refused, %lu dumps to their end; %lu calls on the device\n",
		       (long)seconds, s->sent, s->sockets, taken, refused, s->done, s->calls);
	ksft_print_msg("coverage: %lu places reached, %lu messages kept (%s)\n", nreached, s->kept,
		       threads[0].cover ? "kcov" : "no kcov");
	fflush(stdout);
	return taken && refused;
}

int main(int argc, char **argv)
{
	time_t begin = time(NULL), end = begin + (argc > 1 ? atoi(argv[1]) : 5), next = begin + 60;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)begin;
	int n = argc > 3 ? atoi(argv[3]) : 6, left = 0, events;
	struct counts sum;
	struct genl g;
	pid_t busy;

	if (n < 6 || n > THREADS)
		n = 6;
	ksft_print_header();
	ksft_set_plan(6);
	ksft_print_msg("seed %llu, %d threads\n", (unsigned long long)seed, n);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGIO, SIG_IGN);
	if (box_init(BOX_MOUNTS) || genl_open(&g))
		ksft_exit_fail_msg("no cgroups, or no family\n");
	cgroup_fd = open(box_mount[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	busy = box_births("fuzz", opener, NULL);
	for (int i = 0; i < n; i++) {
		threads[i].seed = seed * 1000003 + i;
		/* a sixth of them use the device */
		pthread_create(&threads[i].id, NULL, i % 6 == 5 ? user : talker, &threads[i]);
	}
	while (time(NULL) < end) {
		usleep(100000);
		if (time(NULL) < next)
			continue;
		next += 60;
		sum = told(n);
		tell(&sum, time(NULL) - begin);
	}
	over = true;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i].id, NULL);
	kill(busy, SIGKILL);
	waitpid(busy, NULL, 0);
	sum = told(n);
	ksft_test_result(tell(&sum, time(NULL) - begin) && sum.calls, "some were taken, some were not\n");
	ksft_test_result(!sum.wrong, "none that is plainly wrong was taken (%lu were)\n", sum.wrong);
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
