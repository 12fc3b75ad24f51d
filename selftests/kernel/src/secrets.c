// SPDX-License-Identifier: GPL-2.0-only
/*
 * secrets [SECONDS [SEED]]: the host and several containers plant secrets in names, paths, cgroups and
 * system calls. Some containers have died and left their rings to the container under test; one runs beside
 * it, wakes it and is woken by it. Then user nobody, who was given a view of the container under test,
 * searches each byte that the view maps, used or not, and everything that read() returns, for the secrets
 * and for kernel addresses. The session has every source that is allowed beside a view. A second session
 * has the sources that are not allowed; its records show which addresses to look for.
 */
#include "dev.h"
#include "secrets.h"
#include <grp.h>

#define RING	16384ull
#define DEAD	3

static struct secrets host, dead[DEAD];

static void begin(struct box *b, struct secrets *s)
{
	/* init's first name is its parent's, and so is no secret */
	prctl(PR_SET_NAME, "secrets");
	if (box_start(b, s->word[CGROUP], CLONE_NEWPID, live, s))
		ksft_exit_fail_msg("no container: %s\n", strerror(errno));
	box_settle(b);
	prctl(PR_SET_NAME, host.word[COMM]);
}

/* --- searching ------------------------------------------------------------------------ */

/* The range of kernel text and modules; and addresses found in the second session's records. */
static uint64_t text_from = UINT64_MAX, text_to, known[1024];
static int nknown;

struct look {
	int mine, others, kernel, foreign, records, types;
	char what[200];		/* the first thing found that should not be there */
};

/* Where the range may begin. On x86, 4.19 names entries below it, too, and much of what lies between is no
 * text. */
#ifdef __x86_64__
#define TEXT	0xffffffff80000000ull
#else
#define TEXT	0xff00000000000000ull
#endif

static void kernel_text(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long long a;
	char line[512], name[128];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %*c %127s", &a, name) != 2)
			continue;
		if (!strcmp(name, "linux_banner"))
			banner = a;
		if (a < TEXT)
			continue;
		if (a < text_from)
			text_from = a;
		if (a > text_to)
			text_to = a;
	}
	if (f)
		fclose(f);
	f = fopen("/proc/version", "re");
	if (!f || !fgets(banner_text, sizeof(banner_text), f) || !banner)
		ksft_exit_fail_msg("no kernel text\n");
	fclose(f);
}

static bool is_known(uint64_t v)
{
	for (int i = 0; i < nknown; i++)
		if (known[i] == v)
			return true;
	return false;
}

/*
 * True for a value in the kernel's half that looks like an address. An aligned one counts if it lies in
 * kernel text, or below the values that two 32-bit numbers make when the upper one is an error or AT_FDCWD.
 * A known address counts anywhere.
 */
static bool is_address(uint64_t v, size_t at)
{
	if (v < 0xff00000000000000ull)
		return false;
	if (at % 8 == 0 && (v < 0xfffff00000000000ull || (v >= text_from && v <= text_to)))
		return true;
	return is_known(v);
}

/* Returns the id of the record that byte `at` of the mapping lies in, 0 if none. */
static unsigned int record_at(const char *p, size_t at)
{
	const struct ctrace_dir *d = (const void *)p;
	size_t in = (at - d->slots_off) % d->slot_stride, sub, i;
	const struct ctrace_record *r;

	if (at < d->slots_off || in < CTRACE_PAGE)
		return 0;
	sub = at - (in - CTRACE_PAGE) % d->subbuf_size;
	for (i = sizeof(struct ctrace_subbuf); i < d->subbuf_size; i += r->len) {
		r = (const void *)(p + sub + i);
		if (!r->time || r->len < sizeof(*r))
			return 0;
		if (sub + i + r->len > at)
			return r->id;
	}
	return 0;
}

static void found(struct look *l, const char *p, size_t at, bool mapped, const char *what, uint64_t value)
{
	if (!l->what[0])
		snprintf(l->what, sizeof(l->what), "%s %#llx at %#zx of %s, record of type %u", what,
			 (unsigned long long)value, at, mapped ? "the mapping" : "a read()",
			 mapped ? record_at(p, at) : 0);
}

/* Returns how many secrets of s it contains. */
static int any(const char *p, size_t n, const struct secrets *s, struct look *l, bool mapped)
{
	int there = 0;

	for (int i = 0; i < WORDS; i++) {
		const char *slash = strrchr(s->word[i], '/'), *at;

		at = memmem(p, n, slash ? slash + 1 : s->word[i], 14);
		if (!at)
			continue;
		there++;
		if (l)
			found(l, p, at - p, mapped, "a secret", i);
	}
	return there;
}

static void search(const char *p, size_t n, struct look *l, bool mapped)
{
	const char *at;
	uint64_t v;
	int run = 0;

	l->mine += any(p, n, &mine, NULL, mapped);
	l->others += any(p, n, &host, l, mapped) + any(p, n, &beside, l, mapped);
	for (int i = 0; i < DEAD; i++)
		l->others += any(p, n, &dead[i], l, mapped);
	for (size_t i = 0; i + 8 <= n; i++) {
		run = strchr(LETTERS, p[i]) && p[i] ? run + 1 : 0;
		if (run == 5) {
			l->others++;
			found(l, p, i, mapped, "a piece of a secret", 0);
		}
		/* the highest byte of a kernel address */
		if (p[i + 7] != (char)0xff)
			continue;
		memcpy(&v, p + i, 8);
		if (!is_address(v, i))
			continue;
		l->kernel++;
		found(l, p, i, mapped, "address", v);
	}
	/* The memory at a kernel address must not be there either. */
	at = memmem(p, n, banner_text, 14) ?: memmem(p, n, banner_text + PAST, 8);
	if (at) {
		l->kernel++;
		found(l, p, at - p, mapped, "the kernel's memory", 0);
	}
}

/* Looks at everything the descriptor gives: its mapping, then read(). */
static void look_at(int fd, uint64_t size, uint32_t cid, struct look *l)
{
	static char buf[1 << 17] __attribute__((aligned(8)));
	static bool seen[65536];
	char *p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	ssize_t n;

	if (p == MAP_FAILED)
		return;
	search(p, size, l, true);
	munmap(p, size);
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		search(buf, n, l, false);
		for (ssize_t at = 0; at < n; ) {
			struct ctrace_record *r = (void *)(buf + at);

			l->foreign += r->id != CTRACE_ID_LOST && r->cid != cid;
			l->types += !seen[r->id];
			seen[r->id] = true;
			l->records++;
			at += r->len;
		}
	}
}

/* Looks as nobody, who was given the descriptor and can do nothing else. */
static struct look as_nobody(int fd, uint64_t size, uint32_t cid)
{
	struct look l = { 0 };
	int p[2];
	pid_t pid;

	if (pipe(p))
		ksft_exit_fail_msg("pipe\n");
	pid = fork();
	if (!pid) {
		if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
			_exit(1);
		look_at(fd, size, cid, &l);
		_exit(write(p[1], &l, sizeof(l)) != sizeof(l));
	}
	close(p[1]);
	if (read(p[0], &l, sizeof(l)) != sizeof(l))
		ksft_exit_fail_msg("the one who looks said nothing\n");
	waitpid(pid, NULL, 0);
	close(p[0]);
	return l;
}

/* --- the sessions ------------------------------------------------------------------------ */

static struct { char name[64]; } events[128];
static int nevents;

static int event_fn(const struct nlmsghdr *h, void *arg)
{
	size_t n;
	const char *s = msg_get(h, CTRACE_A_EVENT, CTRACE_A_EVENT_NAME, &n);

	(void)arg;
	if (s && msg_get_u32(h, CTRACE_A_EVENT, CTRACE_A_EVENT_ID) < CTRACE_ID_DYNAMIC && nevents < 128 &&
	    !msg_get(h, CTRACE_A_EVENT, CTRACE_A_EVENT_REASON, NULL) &&
	    msg_get(h, CTRACE_A_EVENT, CTRACE_A_EVENT_SOURCE, NULL))
		snprintf(events[nevents++].name, sizeof(events[0].name), "%s", s);
	return 0;
}

static bool probe(uint32_t session, const char *name, uint32_t flags)
{
	static struct msg m;
	uint32_t at;

	msg_new(&m, dev_genl.family, CTRACE_CMD_PROBE_ADD, 0);
	at = msg_nest(&m, CTRACE_A_SESSION);
	msg_u32(&m, CTRACE_A_SESSION_ID, session);
	msg_nest_end(&m, at);
	at = msg_nest(&m, CTRACE_A_PROBE);
	msg_str(&m, CTRACE_A_PROBE_NAME, name);
	msg_u32(&m, CTRACE_A_PROBE_FLAGS, flags);
	msg_nest_end(&m, at);
	return !genl_call(&dev_genl, &m, NULL, NULL);
}

/* The function behind open(2), with (dfd, filename, ...): another one before 5.6. */
static const char *open_function = "do_sys_openat2";
static const char * const with_addresses[] = {
	"raw:sched_switch", "raw:sys_enter", "sample:97", "p:secrets1 %s file=+0(%%si):ustring",
	"p:secrets2 do_exit a=%%di b=$stack0", "r:secrets3 %s ret=$retval:s32",
};
#define ADDRESSES	((int)(sizeof(with_addresses) / sizeof(*with_addresses)))

static bool probe_with_addresses(uint32_t session, int i)
{
	char name[100];

	snprintf(name, sizeof(name), with_addresses[i], open_function);
	return probe(session, name, 0);
}

/* Adds the sources that are not allowed beside a view, which must be refused, and all that are allowed.
 * Returns how many were added. */
static int sources(int *refused)
{
	static const char * const more[] = {
		"syscalls", "calls", "kprobe:do_exit", "kretprobe:do_exit", "p:secrets4 wake_up_new_task comm=$comm n=\\7:u8",
	};
	static struct msg m;
	int taken = 0;

	*refused = !probe(dev_session, "sched_process_exit", CTRACE_PROBE_F_STACK);
	for (int i = 0; i < ADDRESSES; i++)
		*refused += !probe_with_addresses(dev_session, i);
	nevents = 0;
	msg_new(&m, dev_genl.family, CTRACE_CMD_EVENT_GET, NLM_F_DUMP);
	genl_call(&dev_genl, &m, event_fn, NULL);
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		snprintf(events[nevents++].name, sizeof(events[0].name), "%s", more[i]);
	/* Add user stacks for some calls and other events, but not for the last five, nor for the two
	 * events of unknown calls. */
	for (int i = 0; i < nevents; i++) {
		bool stack = i % 3 == 0 && i < nevents - 5 && !strstr(events[i].name, "unknown");

		if (!strcmp(events[i].name, "signal_generate"))
			stack = true;
		if (probe(dev_session, events[i].name, stack ? CTRACE_PROBE_F_USER_STACK : 0))
			taken++;
		else
			ksft_print_msg("%s: %s\n", events[i].name, dev_genl.text);
	}
	return taken;
}

/* Makes the second session. Returns its descriptor. */
static int addresses_session(uint64_t *size)
{
	struct genl_sizes s = { .arena = 1 << 18, .ring = RING };
	int id = genl_session_new(&dev_genl, &s), fd = dev_open(O_NONBLOCK), taken = 0;

	if (id < 0 || dev_bind(fd, id, CTRACE_CID_ALL, size))
		ksft_exit_fail_msg("a second session: %s\n", dev_genl.text);
	for (int i = 0; i < ADDRESSES; i++)
		taken += probe_with_addresses(id, i);
	/* sched_waking exists since 4.3 */
	if ((!probe(id, "sched_waking", CTRACE_PROBE_F_STACK) && !probe(id, "sched_wakeup", CTRACE_PROBE_F_STACK)) ||
	    taken < ADDRESSES)
		ksft_exit_fail_msg("%s\n", dev_genl.text);
	if (genl_target_add(&dev_genl, id, CTRACE_TARGET_ALL, 0) < 0 ||
	    genl_session_do(&dev_genl, CTRACE_CMD_SESSION_SET, id, 1))
		ksft_exit_fail_msg("start: %s\n", dev_genl.text);
	return fd;
}

/* Collects the addresses that are in the second session's records just now. */
static void learn_addresses(int fd, uint64_t size)
{
	const uint64_t *p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	for (size_t i = 0; i < size / 8 && nknown < 1024; i++)
		if (is_address(p[i], 0) && !is_known(p[i]))
			known[nknown++] = p[i];
	munmap((void *)p, size);
}

/* --- the test ---------------------------------------------------------------------------- */

static struct { int taken, refused, fewest, control, stale; struct look sum; } all = { .fewest = 1000, .control = 1000 };

static void add_look(const struct look *l)
{
	all.sum.others += l->others;
	all.sum.kernel += l->kernel;
	all.sum.foreign += l->foreign;
	all.sum.records += l->records;
	if (l->types > all.sum.types)
		all.sum.types = l->types;
	if (l->what[0])
		ksft_print_msg("found %s\n", l->what);
}

/* Did the view's rings belong to others before? */
static bool used_before(int fd, uint64_t size)
{
	const char *p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	const struct ctrace_dir *d = (const void *)p;
	const struct ctrace_ring *r = (const void *)(p + d->slots_off);
	bool used = r->base;

	munmap((void *)p, size);
	return used;
}

static void one_round(void)
{
	struct genl_sizes s = { .ring = RING, .flags = CTRACE_SESSION_F_STATEDUMP, .wakeup_ns = 1 };
	int cpus = sysconf(_SC_NPROCESSORS_CONF), hold, fd, whole, others, sock = socket(AF_INET, SOCK_DGRAM, 0);
	uint64_t size = 0, whole_size = 0, others_size = 0;
	struct look l, control = { 0 };
	struct box a, b, d;
	uint32_t cid;
	char c;

	/* three rings for containers on each CPU, and one for the host */
	s.arena = 8192 + cpus * 4 * (RING + CTRACE_PAGE + 8);
	dev_session_make(&s, "cgroup_attach_task");
	hold = dev_open(O_NONBLOCK);
	whole = dev_open(O_NONBLOCK);
	if (dev_bind(hold, dev_session, CTRACE_CID_HOST, NULL) ||
	    dev_bind(whole, dev_session, CTRACE_CID_ALL, &whole_size))
		ksft_exit_fail_msg("bind: %s\n", strerror(errno));
	all.taken = sources(&all.refused);
	others = addresses_session(&others_size);
	dev_session_start(CTRACE_TARGET_ALL, 0);
	make_up(&mine);
	make_up(&beside);
	if (pipe(ping) || pipe(pong) || socketpair(AF_UNIX, SOCK_STREAM, 0, half))
		ksft_exit_fail_msg("pipe\n");
	for (int i = 0; i < DEAD; i++) {
		make_up(&dead[i]);
		begin(&d, &dead[i]);
		box_go(&d);
		box_end(&d);
	}
	begin(&a, &mine);
	begin(&b, &beside);
	box_go(&a);
	give_away(&host, sock);
	if (read(half[0], &c, 1) != 1)
		ksft_exit_fail_msg("no word from the container\n");
	cid = dev_cid_of(a.pid);
	fd = dev_open(O_NONBLOCK);
	if (dev_bind(fd, dev_session, cid, &size))
		ksft_exit_fail_msg("bind to %u: %s\n", cid, strerror(errno));
	all.stale += used_before(fd, size);
	learn_addresses(others, others_size);
	l = as_nobody(fd, size, cid);
	add_look(&l);
	/* Stop and start again: that dumps the state of both containers. */
	genl_session_do(&dev_genl, CTRACE_CMD_SESSION_SET, dev_session, 0);
	genl_session_do(&dev_genl, CTRACE_CMD_SESSION_SET, dev_session, 1);
	box_go(&b);
	if (write(half[0], "", 1) != 1)
		ksft_exit_fail_msg("pipe\n");
	for (int i = 0; i < 20; i++) {
		kill(a.pid, SIGUSR1);
		usleep(2000);
	}
	learn_addresses(others, others_size);
	l = as_nobody(fd, size, cid);
	add_look(&l);
	box_end(&a);
	box_end(&b);
	/* The view still exists, but its container is dead, and another container would like its rings. */
	make_up(&dead[0]);
	begin(&d, &dead[0]);
	box_go(&d);
	box_end(&d);
	learn_addresses(others, others_size);
	l = as_nobody(fd, size, cid);
	add_look(&l);
	if (l.mine < all.fewest)
		all.fewest = l.mine;
	genl_session_do(&dev_genl, CTRACE_CMD_SESSION_SET, dev_session, 0);
	look_at(whole, whole_size, 0, &control);
	if (control.others < all.control)
		all.control = control.others;
	close(dev_genl.fd);
	close(fd);
	close(whole);
	close(hold);
	close(others);
	close(sock);
	close(ping[0]), close(ping[1]), close(pong[0]), close(pong[1]), close(half[0]), close(half[1]);
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 0);
	int rounds = 0;

	rnd_state = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)box_now();
	if (argc > 3)
		open_function = argv[3];
	ksft_print_header();
	ksft_set_plan(9);
	ksft_print_msg("seed %llu\n", (unsigned long long)rnd_state);
	if (box_init(BOX_MOUNTS))
		ksft_exit_fail_msg("no cgroups\n");
	signal(SIGALRM, quiet);
	signal(SIGUSR1, quiet);
	make_up(&host);
	kernel_text();
	do {
		one_round();
		rounds++;
	} while (time(NULL) < end);
	ksft_print_msg("%d rounds; %d records read, of %d event types; %d sources on, %d refused beside a view\n",
		       rounds, all.sum.records, all.sum.types, all.taken, all.refused);
	ksft_test_result(text_to > text_from, "kernel text and modules from %#llx to %#llx\n",
			 (unsigned long long)text_from, (unsigned long long)text_to);
	ksft_test_result(nevents > 35 && all.taken >= nevents - 1 && all.refused == ADDRESSES + 1, "the sources that a view permits are on\n");
	ksft_test_result(all.stale == rounds, "the view's rings were others' before\n");
	ksft_test_result(all.fewest > 0, "the container's own secrets are in its view: %d or more\n", all.fewest);
	ksft_test_result(all.control > 6, "the others' are in the session's mapping: %d or more\n", all.control);
	ksft_test_result(nknown > 50, "kernel addresses are found where there are: %d\n", nknown);
	ksft_test_result(!all.sum.others, "no other's secret in the view: %d\n", all.sum.others);
	ksft_test_result(!all.sum.kernel, "no kernel address and no kernel memory in the view: %d\n", all.sum.kernel);
	ksft_test_result(!all.sum.foreign, "no record of another container read: %d\n", all.sum.foreign);
	ksft_finished();
}
