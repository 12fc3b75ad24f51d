// SPDX-License-Identifier: GPL-2.0-only
/*
 * ringlook time|clock|shared|reuse|wakeups|idle|hup: how rings behave, one behaviour each.
 */
#include "box.h"
#include "libshort.h"
#include <poll.h>
#include <sys/resource.h>
#include <kselftest.h>
#include <ctrace/libctrace.h>

static struct ctrace *ct;
static struct ctrace_session *session;
static struct ctrace_reader *reader;

static void setup(uint64_t arena, uint64_t ring, uint64_t wakeup, const char *const *probes)
{
	struct ctrace_session_opts so = { .sz = sizeof(so), .arena_size = arena, .ring_size = ring,
					  .wakeup_ns = wakeup, .name = "ringlook" };

	if (ctrace_open(&ct) || ctrace_session_new(ct, &so, &session))
		ksft_exit_fail_msg("session: %s\n", ctrace_errmsg(ct));
	for (; *probes; probes++)
		if (ctrace_probe_add(session, *probes, NULL, NULL, NULL))
			ksft_exit_fail_msg("probe: %s\n", ctrace_errmsg(ct));
	if (ctrace_target_add(session, NULL, NULL) || ctrace_reader_open(session, NULL, &reader) ||
	    ctrace_session_start(session))
		ksft_exit_fail_msg("start: %s\n", ctrace_errmsg(ct));
}

static const char * const marked[] = { "syscall:getpriority", NULL };
static const char * const everything[] = { "syscalls", "sched_switch", "sched_wakeup", NULL };

static int mark_many(void *arg)
{
	unsigned int *a = arg;

	for (unsigned int i = 0; i < a[1]; i++)
		box_mark(a[0]);
	return 0;
}

static void container(struct box *b, const char *word, unsigned int *a)
{
	char hex[65], path[100];

	box_hex(hex, word, a[0]);
	snprintf(path, sizeof(path), "/box/%s", hex);
	if (box_start(b, path, CLONE_NEWPID, mark_many, a))
		ksft_exit_fail_msg("no container: %s\n", strerror(errno));
}

struct watch {
	uint64_t last[512], records, backwards, runs, outside;
	/* of the current run; it counts only once we know that it was not overwritten */
	uint64_t new_last, new_records, new_backwards, new_outside;
};

static int run_fn(const struct ctrace_run *run, void *arg)
{
	struct watch *w = arg;

	w->new_last = w->last[run->slot % 512];
	w->new_records = w->new_backwards = w->new_outside = 0;
	for (size_t at = 0; at < run->len; ) {
		const struct ctrace_record *r = (const void *)((const char *)run->data + at);

		w->new_backwards += r->time < w->new_last;
		w->new_outside += r->time < run->time_begin || r->time > run->time_end;
		w->new_last = r->time;
		w->new_records++;
		at += r->len < sizeof(*r) ? sizeof(*r) : r->len;
	}
	return 0;
}

static int done_fn(const struct ctrace_run *run, bool ok, void *arg)
{
	struct watch *w = arg;

	if (!ok)
		return 0;
	w->runs++;
	w->last[run->slot % 512] = w->new_last;
	w->records += w->new_records;
	w->backwards += w->new_backwards;
	w->outside += w->new_outside;
	return 0;
}

/* Time never runs backwards within a ring, not even with interrupts. */
static void test_time(void)
{
	struct watch *w = calloc(1, sizeof(*w));
	uint64_t end = box_now() + 1500000000, latest = end + 30000000000;
	pid_t pid[4];

	ksft_set_plan(3);
	setup(32 << 20, 1 << 20, 0, everything);
	for (int i = 0; i < 4; i++) {
		pid[i] = fork();
		for (int p[2]; !pid[i]; ) {
			/* These wake-ups come from interrupts, in the middle of records. */
			struct timespec t = { 0, 50000 };

			if (pipe(p) || nanosleep(&t, NULL))
				_exit(1);
			close(p[0]);
			close(p[1]);
		}
	}
	/* on a busy machine rings are overwritten again and again before we look */
	while (box_now() < end || (w->records <= 1000 && box_now() < latest)) {
		struct pollfd p = { .fd = ctrace_reader_fd(reader), .events = POLLIN };

		poll(&p, 1, 20);
		ctrace_reader_runs(reader, run_fn, done_fn, w);
	}
	for (int i = 0; i < 4; i++)
		kill(pid[i], SIGKILL);
	ksft_print_msg("%llu records in %llu runs\n", (unsigned long long)w->records,
		       (unsigned long long)w->runs);
	ksft_test_result(w->records > 1000, "%llu records\n", (unsigned long long)w->records);
	ksft_test_result(!w->backwards, "%llu times time ran backwards in a ring\n",
			 (unsigned long long)w->backwards);
	ksft_test_result(!w->outside, "%llu records outside their run's times\n",
			 (unsigned long long)w->outside);
}

static const struct ctrace_event_type *mark_type(void)
{
	struct ctrace_schema *schema;

	if (ctrace_schema_get(ct, &schema))
		ksft_exit_fail_msg("schema: %s\n", ctrace_errmsg(ct));
	return ctrace_schema_by_name(schema, "syscall_entry_getpriority");
}

/* Returns the number in a marked call, or -1. */
static long number(const struct ctrace_event_type *t, const struct ctrace_record *r)
{
	struct ctrace_value v[8];

	if (r->id != t->id || ctrace_decode(t, r, v, 8) < 2 || (uint32_t)v[0].u != BOX_MARK)
		return -1;
	return (uint32_t)v[1].u;
}

#define READINGS	2000
#define APART_NS	1000000

/* A record's time is CLOCK_MONOTONIC: a call's time lies between readings of that clock before and after
 * it. */
static void test_clock(void)
{
	const struct timespec apart = { 0, APART_NS };	/* in this time the kernel updates the clock's base */
	static uint64_t from[READINGS], to[READINGS];
	const struct ctrace_event_type *t;
	const struct ctrace_record *r;
	int seen = 0, early = 0, late = 0;

	ksft_set_plan(3);
	setup(8 << 20, 1 << 20, 0, marked);
	t = mark_type();
	for (int i = 0; i < READINGS; i++) {
		from[i] = box_now();
		box_mark(i);
		to[i] = box_now();
		nanosleep(&apart, NULL);
	}
	ctrace_session_stop(session);
	while (ctrace_reader_next(reader, &r) == 1) {
		long n = number(t, r);

		if (n < 0 || n >= READINGS)
			continue;
		seen++;
		early += r->time < from[n];
		late += r->time > to[n];
	}
	ksft_test_result(seen == READINGS, "%d calls of %d\n", seen, READINGS);
	ksft_test_result(!early, "%d were told of as too early\n", early);
	ksft_test_result(!late, "%d as too late\n", late);
}

#define BOXES 8
#define EACH 500

/* More containers than slots: the others use the shared rings, and their records still have their own cids. */
static void test_shared(void)
{
	const struct ctrace_event_type *t;
	const struct ctrace_record *r;
	uint32_t cid[BOXES + 1] = { 0 }, count[BOXES + 1] = { 0 };
	unsigned int a[BOXES][2], mixed = 0, bad = 0, ours = 0;
	struct ctrace_losses l;
	struct box b[BOXES];

	ksft_set_plan(4);
	/* two slots a CPU: the shared one and one more */
	setup((uint64_t)(2 << 20) * 2 * sysconf(_SC_NPROCESSORS_CONF) + 65536, 2 << 20, 0, marked);
	t = mark_type();
	ksft_test_result(ctrace_reader_dir(reader)->slots_per_cpu == 2, "%u slots a CPU\n",
			 ctrace_reader_dir(reader)->slots_per_cpu);
	for (int i = 0; i < BOXES; i++) {
		a[i][0] = i + 1;
		a[i][1] = EACH;
		container(&b[i], "shared", a[i]);
	}
	for (int i = 0; i < BOXES; i++)
		box_go(&b[i]);
	for (int i = 0; i < BOXES; i++)
		box_end(&b[i]);
	ctrace_session_stop(session);
	while (ctrace_reader_next(reader, &r) == 1) {
		long n = number(t, r);

		if (n < 1 || n > BOXES)
			continue;
		if (!count[n]++)
			cid[n] = r->cid;
		mixed += cid[n] != r->cid;
		ours++;
	}
	ctrace_reader_losses(reader, &l, sizeof(l));
	for (int i = 1; i <= BOXES; i++) {
		bad += count[i] != EACH || !cid[i];
		for (int j = 1; j < i; j++)
			bad += cid[i] == cid[j];
	}
	ksft_test_result(ours == BOXES * EACH && !l.overrun, "expected %d, seen %u, lost %llu\n", BOXES * EACH,
			 ours, (unsigned long long)l.overrun);
	ksft_test_result(!mixed, "%u with another cid than the first of their container\n", mixed);
	ksft_test_result(!bad, "%u containers miscounted or with one cid\n", bad);
}

struct gens { uint32_t max, slots; };

static int gen_fn(const struct ctrace_ring_info *i, void *arg)
{
	struct gens *g = arg;

	if (i->cid != CTRACE_CID_ALL) {
		g->slots++;
		if (i->gen > g->max)
			g->max = i->gen;
	}
	return 0;
}

/* The slots of dead containers are given to new ones, with a new generation. */
static void test_reuse(void)
{
	const struct ctrace_event_type *t;
	const struct ctrace_record *r;
	uint64_t made = 0, seen = 0;
	struct ctrace_losses l;
	struct gens g = { 0 };

	ksft_set_plan(3);
	setup((uint64_t)8192 * 2 * sysconf(_SC_NPROCESSORS_CONF) + 65536, 8192, 0, marked);
	t = mark_type();
	for (unsigned int i = 1; i <= 16; i++) {
		unsigned int a[2] = { i, 20 };
		struct box b;

		container(&b, "reuse", a);
		box_go(&b);
		box_end(&b);
		made += 2 * a[1];
		/* Read between writes, because the reader's cursors must cross changes of owner. */
		if (i % 3 == 0)
			while (ctrace_reader_next(reader, &r) == 1)
				seen += r->id == t->id || r->id == t->id + CTRACE_ID_SYS_EXIT - CTRACE_ID_SYS_ENTER;
		usleep(100000);
	}
	ctrace_session_stop(session);
	while (ctrace_reader_next(reader, &r) == 1)
		seen += r->id == t->id || r->id == t->id + CTRACE_ID_SYS_EXIT - CTRACE_ID_SYS_ENTER;
	ctrace_reader_losses(reader, &l, sizeof(l));
	ctrace_ring_each(ct, ctrace_session_id(session), gen_fn, &g);
	ksft_test_result(g.max > 2, "%u slots of their own, the highest generation is %u\n", g.slots, g.max);
	ksft_test_result(seen + l.overrun == made, "expected %llu, seen %llu + overrun %llu\n",
			 (unsigned long long)made, (unsigned long long)seen, (unsigned long long)l.overrun);
	ksft_test_result(l.seen == seen, "the reader counts as we do\n");
}

static long sleeps(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_nvcsw;
}

struct wakeups {
	uint64_t took;
	long slept;
	unsigned int polls;
};

/* Reads what comes until that child has ended. */
static void read_until_end(pid_t pid, struct wakeups *w)
{
	struct pollfd p = { .fd = ctrace_reader_fd(reader), .events = POLLIN };
	const struct ctrace_record *r;
	int st;

	w->took = box_now();
	w->slept = sleeps();
	while (!waitpid(pid, &st, WNOHANG)) {
		if (poll(&p, 1, 1000) > 0)
			w->polls++;
		while (ctrace_reader_next(reader, &r) == 1)
			;
	}
	w->took = box_now() - w->took;
	w->slept = sleeps() - w->slept;
}

/* One wake-up for each 5 ms, and a few at both ends. */
static void judge_sleeps(const struct wakeups *w, const char *how)
{
	ksft_test_result(w->slept <= (long)(w->took / 5000000) + 10, "%s: slept %ld times in %llu ms\n", how, w->slept,
			 (unsigned long long)(w->took / 1000000));
}

#define PAUSES 1000

/*
 * A waiting reader is woken far less often than there are events. The number of its sleeps counts: a
 * poll() that finds something new at once has not slept.
 */
static void test_wakeups(void)
{
	const struct timespec pause = { 0, 200000 };
	struct wakeups w = { 0 }, v = { 0 };
	unsigned int a[2] = { 1, 40000 };
	const struct ctrace_record *r;
	struct ctrace_losses l;
	struct box b;
	pid_t pid;

	ksft_set_plan(4);
	setup(64 << 20, 8 << 20, 0, marked);
	container(&b, "wakeups", a);
	box_settle(&b);
	box_go(&b);
	read_until_end(b.pid, &w);
	box_cgroup_remove(b.path);
	/* It sleeps whenever it has nothing to read, so each record could wake it. */
	pid = fork();
	for (int i = 0; !pid && i < PAUSES; i++) {
		box_mark(2);
		nanosleep(&pause, NULL);
	}
	if (!pid)
		_exit(0);
	read_until_end(pid, &v);
	ctrace_session_stop(session);
	while (ctrace_reader_next(reader, &r) == 1)
		;
	ctrace_reader_losses(reader, &l, sizeof(l));
	ksft_test_result(l.seen + l.overrun >= 80000 + 2 * PAUSES, "%llu records\n", (unsigned long long)l.seen);
	judge_sleeps(&w, "many at a time");
	judge_sleeps(&v, "one at a time");
	ksft_test_result(w.polls <= l.seen / 10, "%u polls that found something\n", w.polls);
}

/*
 * One call, made a second after this reader went to sleep. By then nothing looks for records any more: only the record
 * itself can wake it. (A reader that calls poll() after the record finds it at once, and need not be woken. One whose
 * time is over looks once more before it returns, and finds it, too.) Returns after how many ms it woke.
 */
static unsigned int woken_by_one(struct pollfd *p, int timeout)
{
	uint64_t began = box_now();
	pid_t pid = fork();

	if (!pid) {
		sleep(1);
		box_mark(1);
		_exit(0);
	}
	poll(p, 1, timeout);
	began = box_now() - began;
	waitpid(pid, NULL, 0);
	return began / 1000000;
}

/* Nothing happens, and no reader is woken. */
static void test_idle(void)
{
	struct pollfd p;
	const struct ctrace_record *r;
	unsigned int ms;
	int n;

	ksft_set_plan(3);
	setup(4 << 20, 0, 0, marked);
	p = (struct pollfd){ .fd = ctrace_reader_fd(reader), .events = POLLIN };
	while (ctrace_reader_next(reader, &r) == 1)
		;
	n = poll(&p, 1, 0);
	n = poll(&p, 1, 1000);
	ksft_test_result(n == 0, "an idle session: poll gives %d (%#x), expected no wake-up in a second\n", n,
			 p.revents);
	box_mark(0);
	n = poll(&p, 1, 5000);
	ksft_test_result(n == 1 && p.revents == POLLIN, "then a record: poll gives %d (%#x)\n", n, p.revents);
	while (ctrace_reader_next(reader, &r) == 1)
		;
	ms = woken_by_one(&p, 20000);
	ksft_test_result(ms < 20000 && p.revents == POLLIN, "one record after a second of sleep: poll gives %#x after %u ms\n",
			 p.revents, ms);
}

/* The owner closes while a reader has the rings mapped: the reader drains them, and sees the end. */
static void test_hup(void)
{
	struct ctrace_reader *other;
	struct pollfd p;
	const struct ctrace_record *r;
	uint64_t until = box_now() + 10000000000ull;
	int n = 0, err = 0;

	ksft_set_plan(4);
	setup(4 << 20, 0, 0, marked);
	if (reader_of(ctrace_session_id(session), CTRACE_CID_ALL, &other))
		ksft_exit_fail_msg("second reader: %s\n", ctrace_reader_errmsg(other));
	for (int i = 0; i < 100; i++)
		box_mark(i);
	ctrace_reader_close(reader);
	ctrace_close(ct);
	p = (struct pollfd){ .fd = ctrace_reader_fd(other), .events = POLLIN };
	/* The kernel ends a session shortly after its socket. Until then there are its records. */
	while (err != -ENODATA && box_now() < until) {
		poll(&p, 1, 100);
		while ((err = ctrace_reader_next(other, &r)) == 1)
			n++;
	}
	poll(&p, 1, 0);
	ksft_test_result(p.revents & POLLHUP, "the owner gone: poll gives %#x\n", p.revents);
	ksft_test_result(n >= 200, "its last %d records could still be read (expected 200)\n", n);
	ksft_test_result(err == -ENODATA, "and then: expected ENODATA, seen %d\n", err);
	ksft_test_result(ctrace_reader_dir(other)->state == CTRACE_DIR_ENDED, "the directory says so\n");
	ctrace_reader_close(other);
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*fn)(void); } tests[] = {
		{ "time", test_time }, { "clock", test_clock }, { "shared", test_shared }, { "reuse", test_reuse },
		{ "wakeups", test_wakeups }, { "idle", test_idle }, { "hup", test_hup },
	};

	ksft_print_header();
	if (box_init(BOX_MOUNTS))
		ksft_exit_fail_msg("no cgroups\n");
	for (size_t i = 0; argc > 1 && i < sizeof(tests) / sizeof(*tests); i++) {
		if (!strcmp(argv[1], tests[i].name)) {
			tests[i].fn();
			ksft_finished();
		}
	}
	return 2;
}
