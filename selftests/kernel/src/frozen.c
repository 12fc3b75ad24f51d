// SPDX-License-Identifier: GPL-2.0-only
/*
 * frozen CASE: containers whose rings an event freezes, in a session of its own. The event is a whole call
 * that fails, ask(), which nothing else makes; the load is marked calls, two records each.
 *
 *	load		under load on every CPU: what is kept, what is refused, and that the sums agree
 *	thaw		by command, and by the clock; who is told, and how
 *	span, kprobe	other kinds of events
 *	many		more containers than can be frozen
 *	crowded		a container without a ring of its own
 *	elsewhere	a frozen one on a CPU where it has none
 *	dead		it ends while it is frozen: its rings go to nobody
 *	other		the probe of one session freezes the rings of another one
 *	hold		says "frozen", and waits to be killed
 */
#include "frozen.h"
#include <poll.h>

#define MANY	(CTRACE_FROZEN_MAX + 2)

/* --- load ------------------------------------------------------------------------------- */

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void mark_for_ever(int cpu)
{
	uint64_t n = 0;

	pin(cpu);
	while (!__atomic_load_n(&sh->stop, __ATOMIC_RELAXED)) {
		box_mark(n++);
		/* the neighbour runs on the same CPU */
		if (n % 64 == 0)
			sched_yield();
	}
	__atomic_add_fetch(&sh->calls, n, __ATOMIC_RELAXED);
	_exit(0);
}

static int load_fn(void *arg)
{
	(void)arg;
	for (int c = 0; c < cpus; c++)
		if (!fork())
			mark_for_ever(c);
	while (wait(NULL) > 0)
		;
	return 0;
}

static int load_and_ask(void *arg)
{
	(void)arg;
	for (int c = 0; c < cpus; c++)
		if (!fork())
			mark_for_ever(c);
	usleep(300000);
	ask();
	while (wait(NULL) > 0)
		;
	return 0;
}

static int ring_sum(const struct ctrace_ring_info *i, void *arg)
{
	uint64_t *sum = arg;

	sum[0] += i->events;
	sum[1] += i->lost_frozen;
	sum[2] += i->lost_nested;
	return 0;
}

static void test_load(void)
{
	struct pollfd p;
	struct ctrace_losses l;
	struct box a, b;
	uint64_t sum[3] = { 0 }, made, behind = 0, after = 0;
	int told, asked = 0, rings = 0;

	ksft_set_plan(8);
	setup(65536, 0, LONG_MS);
	probe("call:setpriority", "ret < 0", CTRACE_PROBE_F_FREEZE);
	start();
	container(&a, 1, load_and_ask);
	container(&b, 2, load_fn);
	p = (struct pollfd){ .fd = ctrace_reader_fd(reader), .events = POLLPRI };
	box_go(&b);
	box_go(&a);
	told = poll(&p, 1, 60000);
	ksft_test_result(told == 1 && p.revents == POLLPRI, "told: poll gives %d (%#x)\n", told, p.revents);
	ksft_test_result(frozen_now() == 1 && first.cid == cid_of(&a), "frozen: container %u, expected %u\n",
			 first.cid, cid_of(&a));
	ksft_test_result(ctrace_schema_by_id(schema, first.event_id) &&
			 !strcmp(ctrace_schema_by_id(schema, first.event_id)->name, "syscall_setpriority") &&
			 first.tid == a.pid && first.left_ms > LONG_MS - 60000 && first.left_ms <= LONG_MS,
			 "by event %u of thread %d (init is %d), for %u ms\n", first.event_id, first.tid, a.pid,
			 first.left_ms);
	usleep(500000);		/* more than a ring's worth */
	__atomic_store_n(&sh->stop, 1, __ATOMIC_RELAXED);
	box_end(&a);
	box_end(&b);
	ctrace_session_stop(session);
	look_at_rings();
	for (int i = 0; i < SLOTS; i++) {
		rings += look.own[i].records != 0;
		asked += look.own[i].asked;
		behind += look.own[i].behind;
		after += look.own[i].after;
	}
	ksft_test_result(rings >= cpus && asked == 1, "%d rings kept something, %d the record that asked\n",
			 rings, asked);
	ksft_test_result(!behind, "%llu records behind it in its ring\n", (unsigned long long)behind);
	/* one that had begun; and more, if the host stopped the freezing CPU in that moment */
	ksft_print_msg("%llu later ones in the rings of other CPUs\n", (unsigned long long)after);
	ksft_test_result(look.others_after > 1000, "%llu later ones of the neighbour\n",
			 (unsigned long long)look.others_after);
	made = 2 * sh->calls + 1;
	ctrace_ring_each(ct, ctrace_session_id(session), ring_sum, sum);
	ksft_test_result(sum[0] + sum[1] + sum[2] == made && sum[1] > 1000 && info().lost_frozen == sum[1],
			 "expected %llu, seen %llu published + %llu frozen + %llu nested\n",
			 (unsigned long long)made, (unsigned long long)sum[0], (unsigned long long)sum[1],
			 (unsigned long long)sum[2]);
	ctrace_reader_losses(reader, &l, sizeof(l));
	ksft_test_result(l.seen + l.overrun == sum[0] && l.frozen == sum[1],
			 "the reader: %llu + %llu, frozen %llu\n", (unsigned long long)l.seen,
			 (unsigned long long)l.overrun, (unsigned long long)l.frozen);
}

/* --- thawing ---------------------------------------------------------------------------- */

static int ask_and_wait(void *arg)
{
	(void)arg;
	ask();
	while (!__atomic_load_n(&sh->stop, __ATOMIC_RELAXED)) {
		box_mark(1);
		usleep(1000);
	}
	return 0;
}

/* Does the container write again, within 10 s? */
static bool writes(uint32_t cid)
{
	const struct ctrace_record *rec;
	uint64_t until = box_now() + 10000000000ull, since = box_now();

	while (box_now() < until) {
		ctrace_reader_poll(reader, 50);
		while (ctrace_reader_next(reader, &rec) == 1)
			if (rec->cid == cid && rec->time > since)
				return true;
	}
	return false;
}

static int polled(void)
{
	struct pollfd p = { .fd = ctrace_reader_fd(reader), .events = POLLPRI };

	poll(&p, 1, 0);
	return p.revents;
}

static void test_thaw(void)
{
	const volatile struct ctrace_dir *dir;
	uint32_t cid;
	struct box b, c;
	int err;

	ksft_set_plan(9);
	setup(65536, 0, LONG_MS);
	dir = ctrace_reader_dir(reader);
	probe("call:setpriority", "ret < 0", CTRACE_PROBE_F_FREEZE);
	start();
	ksft_test_result(!frozen_now() && !dir->frozen && !polled(), "none is frozen\n");
	container(&b, 1, ask_and_wait);
	box_go(&b);
	/* the list has it at once; the number and poll() hear of it by a work of the module's */
	for (int i = 0; i < 3000 && !polled(); i++)
		usleep(10000);
	ksft_test_result(wait_frozen(1) == 1 && polled() == POLLPRI && dir->frozen == 1 && info().frozen == 1,
			 "one is; the mapping says %u, the list of sessions %u\n", dir->frozen,
			 info().frozen);
	cid = first.cid;
	err = ctrace_session_thaw(session, cid + 1);
	ksft_test_result(err == -ENOENT, "another one cannot be thawed: %s\n", ctrace_errmsg(ct));
	err = ctrace_session_thaw(session, cid);
	ksft_test_result(!err && !frozen_now() && !dir->frozen && !polled(), "thawed: %d\n", err);
	ksft_test_result(writes(cid), "it writes again\n");
	ksft_test_result(ctrace_session_thaw(session, cid) == -ENOENT &&
			 !ctrace_session_thaw(session, CTRACE_CID_ALL), "thawed already\n");
	__atomic_store_n(&sh->stop, 1, __ATOMIC_RELAXED);
	box_end(&b);
	ctrace_session_free(session);
	ctrace_close(ct);

	/* by itself */
	setup(65536, 0, 400);
	dir = ctrace_reader_dir(reader);
	probe("call:setpriority", "ret < 0", CTRACE_PROBE_F_FREEZE);
	start();
	container(&c, 2, ask_and_wait);
	box_go(&c);
	for (int i = 0; i < 3000 && !info().lost_frozen; i++)
		usleep(10000);
	ksft_test_result(info().lost_frozen, "frozen for 400 ms: %llu records refused\n",
			 (unsigned long long)info().lost_frozen);
	ksft_test_result(wait_frozen(0) == 0 && !dir->frozen, "thawed by itself\n");
	ksft_test_result(writes(cid_of(&c)), "it writes again\n");
	__atomic_store_n(&sh->stop, 1, __ATOMIC_RELAXED);
	box_end(&c);
}

/* --- other events ----------------------------------------------------------------------- */

/* On one CPU, where each container needs a ring. Not inherited: to enter a cgroup may change it. */
static int sleeps_long(void *arg)
{
	(void)arg;
	pin(0);
	box_mark(1);
	usleep(200000);
	while (!__atomic_load_n(&sh->stop, __ATOMIC_RELAXED))
		usleep(1000);
	return 0;
}

static void one_event(const char *name, const char *filter, const char *event)
{
	const struct ctrace_event_type *t;
	struct box b;

	ksft_set_plan(3);
	setup(65536, 0, LONG_MS);
	probe(name, filter, CTRACE_PROBE_F_FREEZE);
	container(&b, 1, sleeps_long);
	if (target_cid(session, cid_of(&b)) || ctrace_session_start(session))
		fail("start");
	box_go(&b);
	ksft_test_result(wait_frozen(1) == 1 && first.cid == cid_of(&b), "frozen\n");
	if (ctrace_schema_get(ct, &schema))
		fail("schema");
	t = ctrace_schema_by_id(schema, first.event_id);
	ksft_test_result(t && strstr(t->name, event), "by %s, expected %s\n", t ? t->name : "?", event);
	__atomic_store_n(&sh->stop, 1, __ATOMIC_RELAXED);
	box_end(&b);
	ctrace_session_stop(session);
	look_at_rings();
	uint64_t behind = 0;
	int asked = 0;

	for (int i = 0; i < SLOTS; i++) {
		behind += look.own[i].behind;
		asked += look.own[i].asked;
	}
	ksft_test_result(asked == 1 && !behind, "its record is the last one: %d, %llu behind it\n", asked,
			 (unsigned long long)behind);
}

static void test_span(void)
{
	one_event("sched_block", "duration > 100000000", "sched_block");
}

static void test_kprobe(void)
{
	one_event("kprobe:hrtimer_nanosleep", NULL, "hrtimer_nanosleep");
}

/* --- no room ---------------------------------------------------------------------------- */

static int ask_only(void *arg)
{
	(void)arg;
	pin(0);
	box_mark(1);
	return ask() == -1 ? 0 : 1;
}

static void test_many(void)
{
	struct ctrace_session_losses l;
	struct box b[MANY];
	int n;

	ksft_set_plan(4);
	setup(8192, 3 * MANY, LONG_MS);
	probe("call:setpriority", "ret < 0", CTRACE_PROBE_F_FREEZE);
	start();
	for (unsigned int i = 0; i < MANY; i++) {
		container(&b[i], i, ask_only);
		box_go(&b[i]);
		box_end(&b[i]);
	}
	n = wait_frozen(CTRACE_FROZEN_MAX);
	ksft_test_result(n == CTRACE_FROZEN_MAX, "%d of %d are frozen\n", n, MANY);
	ctrace_session_losses(session, &l, sizeof(l));
	ksft_test_result(l.freeze_refused == MANY - CTRACE_FROZEN_MAX, "%llu were refused\n",
			 (unsigned long long)l.freeze_refused);
	ksft_test_result(!ctrace_session_thaw(session, CTRACE_CID_ALL) && !frozen_now(), "all thawed\n");
	container(&b[0], MANY, ask_only);
	box_go(&b[0]);
	box_end(&b[0]);
	ksft_test_result(wait_frozen(1) == 1, "another one is frozen\n");
}

static void test_crowded(void)
{
	const struct ctrace_record *rec;
	struct ctrace_session_losses l;
	uint64_t seen = 0;
	struct box b[2];

	ksft_set_plan(3);
	setup(65536, 2, LONG_MS);	/* a shared ring, and one for the first container */
	probe("call:setpriority", "ret < 0", CTRACE_PROBE_F_FREEZE);
	container(&b[0], 1, sleeps_long);
	container(&b[1], 2, ask_only);
	if (target_cid(session, cid_of(&b[0])) || target_cid(session, cid_of(&b[1])) ||
	    ctrace_session_start(session))
		fail("start");
	box_go(&b[0]);
	for (int i = 0; i < 3000 && !info().events; i++)
		usleep(10000);
	box_go(&b[1]);
	box_end(&b[1]);
	ctrace_session_losses(session, &l, sizeof(l));
	ksft_test_result(ctrace_reader_dir(reader)->slots_per_cpu == 2 && !frozen_now(), "none is frozen\n");
	ksft_test_result(l.freeze_refused == 1, "%llu was refused\n", (unsigned long long)l.freeze_refused);
	__atomic_store_n(&sh->stop, 1, __ATOMIC_RELAXED);
	box_end(&b[0]);
	ctrace_session_stop(session);
	while (ctrace_reader_next(reader, &rec) == 1)
		seen++;
	ksft_test_result(seen == 5, "%llu records of both, expected 2 + 3\n", (unsigned long long)seen);
}

/* --- on another CPU ---------------------------------------------------------------------- */

#define ELSEWHERE 100

static int ask_and_move(void *arg)
{
	(void)arg;
	pin(0);
	ask();
	pin(cpus - 1);
	for (int i = 0; i < ELSEWHERE; i++)
		box_mark(i);
	return 0;
}

struct shares { uint64_t frozen; int rings; uint32_t cid; };

static int share_fn(const struct ctrace_ring_info *i, void *arg)
{
	struct shares *s = arg;

	s->rings += i->cid == s->cid;
	s->frozen += i->cid == CTRACE_CID_ALL ? i->lost_frozen : 0;
	return 0;
}

/* Where it has no ring when it is frozen it gets none, and its records are refused all the same. */
static void test_elsewhere(void)
{
	struct shares s = { 0 };
	struct box b;

	ksft_set_plan(2);
	setup(65536, 0, LONG_MS);
	if (cpus < 2) {
		ksft_test_result_skip("one CPU\n");
		ksft_test_result_skip("one CPU\n");
		return;
	}
	probe("call:setpriority", "ret < 0", CTRACE_PROBE_F_FREEZE);
	start();
	container(&b, 1, ask_and_move);
	box_go(&b);
	box_end(&b);
	ksft_test_result(wait_frozen(1) == 1, "frozen\n");
	s.cid = first.cid;
	ctrace_ring_each(ct, ctrace_session_id(session), share_fn, &s);
	ksft_test_result(s.rings == 1 && s.frozen == 2 * ELSEWHERE && info().lost_frozen == s.frozen,
			 "%d ring of its own, %llu refused beside the shared one, expected %d\n", s.rings,
			 (unsigned long long)s.frozen, 2 * ELSEWHERE);
}

/* --- a container's end, a reader's end --------------------------------------------------- */

struct owners { uint32_t cid; int n; };

static int owner_fn(const struct ctrace_ring_info *i, void *arg)
{
	struct owners *o = arg;

	o->n += i->cid == o->cid;
	return 0;
}

static int owns(uint32_t cid)
{
	struct owners o = { .cid = cid };

	ctrace_ring_each(ct, ctrace_session_id(session), owner_fn, &o);
	return o.n;
}

static void others(unsigned int from)
{
	struct box b;

	for (unsigned int i = from; i < from + 8; i++) {
		container(&b, i, ask_only);
		box_go(&b);
		box_end(&b);
		usleep(50000);
	}
}

static void test_dead(void)
{
	const struct ctrace_record *rec;
	uint64_t seen = 0, asked = 0;
	uint32_t cid;
	struct box b;

	ksft_set_plan(4);
	setup(65536, 2, LONG_MS);
	probe("call:setpriority", "ret < 0", CTRACE_PROBE_F_FREEZE);
	start();
	container(&b, 1, ask_only);
	box_go(&b);
	box_end(&b);
	ksft_test_result(wait_frozen(1) == 1, "frozen, and ended\n");
	cid = first.cid;
	sleep(1);	/* its death is announced, and its slot would be a victim */
	others(10);
	ksft_test_result(owns(cid) == 1 && frozen_now() == 1 && first.cid == cid, "it keeps its ring: %d\n",
			 owns(cid));
	while (ctrace_reader_next(reader, &rec) == 1) {
		seen += rec->cid == cid;
		asked += rec->cid == cid && rec->id == first.event_id;
	}
	ksft_test_result(seen == 3 && asked == 1, "%llu of its records, %llu that asked\n",
			 (unsigned long long)seen, (unsigned long long)asked);
	ctrace_session_thaw(session, CTRACE_CID_ALL);
	others(20);
	ksft_test_result(owns(cid) == 0, "thawed, it gives it up\n");
}

/* A recorder of plain events, and a trigger beside it. */
static void test_other(void)
{
	struct ctrace_session_opts so = { .sz = sizeof(so), .ring_size = 65536, .name = "trigger" };
	struct ctrace_probe_opts po = { .sz = sizeof(po), .filter = "ret < 0" };
	struct ctrace_session *trigger;
	struct box b, c;
	uint64_t behind = 0, before;
	int asked = 0, n = 0;

	ksft_set_plan(9);
	session_flags = CTRACE_SESSION_F_NEIGHBOURS;
	setup(65536, 0, LONG_MS);
	if (ctrace_session_new(ct, &so, &trigger) || ctrace_target_add(trigger, NULL, NULL))
		fail("trigger");
	po.freezes = ctrace_session_id(session);
	ksft_test_result(ctrace_probe_add(trigger, "call:setpriority", &po, NULL, NULL) == -EINVAL,
			 "without the flag: %s\n", ctrace_errmsg(ct));
	po.flags = CTRACE_PROBE_F_FREEZE;
	po.freezes = 0x7fffffff;
	ksft_test_result(ctrace_probe_add(trigger, "call:setpriority", &po, NULL, NULL) == -ENOENT,
			 "no such session: %s\n", ctrace_errmsg(ct));
	po.freezes = ctrace_session_id(trigger);
	ksft_test_result(ctrace_probe_add(trigger, "call:setpriority", &po, NULL, NULL) == -EINVAL,
			 "one that may have views: %s\n", ctrace_errmsg(ct));
	po.freezes = ctrace_session_id(session);
	ksft_test_result(!ctrace_probe_add(trigger, "call:setpriority", &po, NULL, NULL), "another one\n");
	start();
	if (ctrace_session_start(trigger))
		fail("start");
	container(&b, 1, load_and_ask);
	container(&c, 2, ask_only);
	box_go(&b);
	ksft_test_result(wait_frozen(1) == 1 && first.cid == cid_of(&b), "frozen: container %u\n", first.cid);
	ksft_test_result(!ctrace_session_frozen(trigger, count_fn, &n) && !n, "but not in the trigger's session\n");
	usleep(200000);
	__atomic_store_n(&sh->stop, 1, __ATOMIC_RELAXED);
	box_end(&b);
	ctrace_session_stop(session);
	frozen_now();
	look_at_rings();
	for (int i = 0; i < SLOTS; i++) {
		asked += look.own[i].asked;
		behind += look.own[i].behind;
	}
	ksft_test_result(asked == 1 && !behind && info().lost_frozen > 100,
			 "%d record that asked, %llu behind it, %llu refused\n", asked, (unsigned long long)behind,
			 (unsigned long long)info().lost_frozen);
	/* the recorder goes first */
	before = info_of(trigger).events;
	ctrace_reader_close(reader);
	ctrace_session_free(session);
	box_go(&c);
	box_end(&c);
	ksft_test_result(info_of(trigger).events == before + 1, "when it has ended, the trigger records on\n");
	ksft_test_result(!ctrace_session_frozen(trigger, count_fn, &n) && !n, "and freezes nothing\n");
	ctrace_session_free(trigger);
}

static void test_hold(void)
{
	struct box b;

	setup(65536, 0, LONG_MS);
	probe("call:setpriority", "ret < 0", CTRACE_PROBE_F_FREEZE);
	start();
	container(&b, 1, ask_only);
	box_go(&b);
	box_end(&b);
	if (wait_frozen(1) != 1)
		exit(1);
	printf("frozen\n");
	fflush(stdout);
	pause();
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*fn)(void); } tests[] = {
		{ "load", test_load }, { "thaw", test_thaw }, { "span", test_span },
		{ "kprobe", test_kprobe }, { "many", test_many }, { "crowded", test_crowded },
		{ "elsewhere", test_elsewhere }, { "dead", test_dead }, { "other", test_other }, { "hold", test_hold },
	};

	if (argc < 2 || strcmp(argv[1], "hold"))
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
