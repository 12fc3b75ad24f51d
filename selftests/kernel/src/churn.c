// SPDX-License-Identifier: GPL-2.0-only
/*
 * churn [-s SECONDS] [-t THREADS] [-b MAKERS] [-k KILLERS] [-x] [-S SEED]: for SECONDS (default 3), or until
 * SIGTERM, MAKERS (3) processes make and remove containers as fast as they can, KILLERS (2) kill -9 tools
 * that have sessions, and THREADS (6) threads make and delete sessions, probes, definitions, targets,
 * filters and readers, in random order.
 *
 *	-x	the module is loaded and unloaded at the same time: it may be absent, and no reader stays for long
 *
 * Prints how many of each there were; the kernel's refusals by errno ("refused"); and the errors that no
 * request should cause: memory, faults, protocol ("unexpected"). Exits with 0 if there were no such errors.
 */
#include "box.h"
#include "libshort.h"
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ctrace/libctrace.h>

#define THREADS_MAX	32
#define OWN_SESSIONS	2
#define OWN_PROBES	6

static struct shared {
	int stop;
	uint64_t boxes, bad_boxes, killed;
} *sh;

static unsigned int seed;
static bool comes_and_goes;

static bool going(void)
{
	return !__atomic_load_n(&sh->stop, __ATOMIC_RELAXED);
}

static uint32_t rnd(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

/* --- containers ------------------------------------------------------------------------- */

static int in_box(void *arg)
{
	int children = (long)arg;

	for (int i = 0; i < 3; i++)
		box_mark(i);
	for (; children; children--)
		if (!fork()) {
			box_mark(children);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	return 0;
}

static void make_boxes(int maker)
{
	uint64_t state = seed + maker;
	char hex[65], path[100];
	struct box b;

	for (unsigned int i = 0; going(); i++) {
		/* sometimes a name that existed before */
		box_hex(hex, "churn", maker * 1000003 + (rnd(&state) % 4 ? i : i % 7));
		snprintf(path, sizeof(path), "/box/%s", hex);
		if (box_start(&b, path, rnd(&state) % 8 ? CLONE_NEWPID : 0, in_box, (void *)(long)(rnd(&state) % 3))) {
			__atomic_add_fetch(&sh->bad_boxes, 1, __ATOMIC_RELAXED);
			continue;
		}
		if (!(rnd(&state) % 8))
			usleep(rnd(&state) % 20000);
		box_go(&b);
		if (box_end(&b))
			__atomic_add_fetch(&sh->bad_boxes, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&sh->boxes, 1, __ATOMIC_RELAXED);
	}
	_exit(0);
}

/* --- what a thread may ask for -------------------------------------------------------------- */

static const char *const probes[] = {
	"syscalls", "syscall:getpriority", "syscall:read", "calls", "call:getpriority", "sched_switch",
	"sched_wakeup", "sched_process_fork", "sched_process_exec", "sched_process_exit",
	"sched_process_free", "cgroup_mkdir", "cgroup_rmdir", "cgroup_attach_task", "irq_softirq_entry",
	"timer_hrtimer_expire_entry", "signal_generate", "page_fault_user", "kmem_mm_page_alloc",
	"raw:sched_switch", "raw:task_newtask", "sample:99", "sample:499", "kprobe:do_exit",
	"kretprobe:do_exit", "kprobe:vfs_read", "kretprobe:vfs_read", "p:churn_open do_sys_openat2 dfd=%di:s32",
	"r:churn_read vfs_read ret=$retval:s64", "churn_a", "churn_b", "churn_c", "no_such_event",
	"sample:0", "kprobe:no_such_function",
};

static const char *const filters[] = {
	NULL, NULL, NULL, "$tid > 0", "$comm ~ \"churn*\" || $uid == 0", "$cid != 0 && $cpu == 0",
	"!($pid == 1)", "ret < 0", "no_such_field == 1", "$tid >",
};

static const char *const definitions[] = {
	"p:churn_a vfs_write count=%dx:u64", "r:churn_b vfs_write ret=$retval:s64",
	"p:churn_c do_exit code=%di:s64 comm=$comm", "p:churn_a vfs_read count=%dx:u64",
};
static const char *const defined[] = { "churn_a", "churn_b", "churn_c", "no_such" };

#define OF(table, r)	((table)[(r) % (sizeof(table) / sizeof(*(table)))])

/* --- a thread ----------------------------------------------------------------------------- */

enum what { CONNECTED, SESSIONS, PROBES, TARGETS, DEFINITIONS, READERS, BOUND, DUMPS, WHATS };
static const char *const what_names[] = {
	"connections", "sessions", "probes", "targets", "definitions", "readers", "of these of one container", "dumps",
};

struct own {
	struct ctrace_session *s;
	struct ctrace_reader *r;
	uint32_t probes[OWN_PROBES];
	bool started;
};

struct thread {
	pthread_t id;
	uint64_t state;
	struct ctrace *ct;
	struct own own[OWN_SESSIONS];
	uint64_t did[WHATS], refused[256], unexpected, read;
	uint32_t cid;		/* found at random */
	uint32_t skip;
};

static uint32_t r(struct thread *t, uint32_t n)
{
	return rnd(&t->state) % n;
}

/* The requests are random, so most refusals are right. */
static bool done(struct thread *t, enum what what, const char *asked, int err)
{
	if (err >= 0) {
		t->did[what]++;
		return true;
	}
	t->refused[-err & 255]++;
	switch (-err) {
	case EINVAL: case ENOENT: case EEXIST: case EBUSY: case EUSERS: case EACCES: case ENOSPC:
	case EOPNOTSUPP: case ESRCH: case EPERM: case ENODATA: case EILSEQ:
		return false;
	case ENODEV: case ENXIO: case EPROTONOSUPPORT:
		if (comes_and_goes)
			return false;
	}
	t->unexpected++;
	printf("# unexpected: %s %s: %s (%s)\n", what_names[what], asked ?: "", strerror(-err),
	       t->ct ? ctrace_errmsg(t->ct) : "");
	return false;
}

static int pick_cid(const struct ctrace_container *c, void *arg)
{
	struct thread *t = arg;

	t->cid = c->cid;
	return !t->skip--;
}

static int ignore_session(const struct ctrace_session_info *i, void *arg)
{
	(void)i;
	(void)arg;
	return 0;
}

static int ignore_ring(const struct ctrace_ring_info *i, void *arg)
{
	(void)i;
	(void)arg;
	return 0;
}

static int ignore_limit(const struct ctrace_limit_info *i, void *arg)
{
	(void)i;
	(void)arg;
	return 0;
}

static int ignore_probe(const struct ctrace_probe_info *i, void *arg)
{
	(void)i;
	(void)arg;
	return 0;
}

static void session_new(struct thread *t, struct own *o)
{
	struct ctrace_session_opts so = {
		.sz = sizeof(so), .wakeup_ns = r(t, 2) ? 0 : CTRACE_WAKEUP_AT_ONCE, .name = "churn",
		.arena_size = (1 + r(t, 4)) << 20, .ring_size = 8192 << r(t, 4),
		.flags = r(t, 4), .filter = r(t, 8) ? NULL : OF(filters, rnd(&t->state)),
		.rate = r(t, 8) ? 0 : 100,
	};

	if (!done(t, SESSIONS, so.filter, ctrace_session_new(t->ct, &so, &o->s)))
		o->s = NULL;
}

static void session_free(struct own *o)
{
	if (o->s)
		ctrace_session_free(o->s);
	o->s = NULL;
	o->started = false;
	memset(o->probes, 0, sizeof(o->probes));
}

static void probe(struct thread *t, struct own *o)
{
	uint32_t *id = &o->probes[r(t, OWN_PROBES)];
	struct ctrace_probe_opts po = {
		.sz = sizeof(po), .filter = OF(filters, rnd(&t->state)),
		.flags = r(t, 4) ? 0 : r(t, 4), .one_of = r(t, 6) ? 0 : 3,
	};
	const char *name = OF(probes, rnd(&t->state));

	if (*id) {
		done(t, PROBES, "del", ctrace_probe_del(o->s, *id));
		*id = 0;
	} else if (!done(t, PROBES, name, ctrace_probe_add(o->s, name, &po, id, NULL))) {
		*id = 0;
	}
}

static void target(struct thread *t, struct own *o)
{
	char path[200], hex[65];

	t->skip = r(t, 60);
	t->cid = 0;
	switch (r(t, 7)) {
	case 0:
		done(t, TARGETS, "all", ctrace_target_add(o->s, NULL, NULL));
		break;
	case 1:
		ctrace_container_each(t->ct, pick_cid, t);
		done(t, TARGETS, "cid", target_cid(o->s, t->cid));
		break;
	case 2:
		ctrace_container_each(t->ct, pick_cid, t);
		done(t, TARGETS, "not cid", target_not_cid(o->s, t->cid));
		break;
	case 3:
		done(t, TARGETS, "pid", target_pid(o->s, r(t, 2) ? (uint32_t)getpid() : 1 + r(t, 4000)));
		break;
	case 4:
		snprintf(path, sizeof(path), "%s/box", box_mount[0]);
		done(t, TARGETS, path, target_cgroup(o->s, path));
		break;
	case 5:
		/* a name that makers use again and again */
		box_hex(hex, "churn", r(t, 3) * 1000003 + r(t, 7));
		snprintf(path, sizeof(path), "%s/box/%s", box_mount[0], hex);
		done(t, TARGETS, path, r(t, 2) ? target_cgroup(o->s, path) :
						 target_not_cgroup(o->s, path));
		break;
	default:
		done(t, TARGETS, "host", target_cid(o->s, 0));
	}
}

static void reader(struct thread *t, struct own *o)
{
	const struct ctrace_record *rec;
	struct ctrace_reader_opts ro = { .sz = sizeof(ro) };
	int err = 0;

	if (o->r) {
		for (int i = 0; i < 2000 && (err = ctrace_reader_next(o->r, &rec)) == 1; i++)
			t->read++;
		if (comes_and_goes || !r(t, 3)) {
			ctrace_reader_close(o->r);
			o->r = NULL;
		}
		return;
	}
	if (!o->s)
		return;
	if (r(t, 2)) {
		t->skip = r(t, 60);
		ctrace_container_each(t->ct, pick_cid, t);
		ro.flags = CTRACE_READER_CID;
		ro.cid = t->cid;
	}
	err = ctrace_reader_open(o->s, &ro, &o->r);
	if (!done(t, ro.flags ? BOUND : READERS, "reader", err)) {
		ctrace_reader_close(o->r);
		o->r = NULL;
	} else if (comes_and_goes) {
		reader(t, o);
	}
}

static void look(struct thread *t)
{
	struct ctrace_schema *s;
	int err = 0;

	switch (r(t, 6)) {
	case 0:
		err = ctrace_session_each(t->ct, ignore_session, NULL);
		break;
	case 1:
		err = ctrace_ring_each(t->ct, 0, ignore_ring, NULL);
		break;
	case 2:
		err = ctrace_probe_each(t->ct, 0, ignore_probe, NULL);
		break;
	case 3:
		err = ctrace_limit_each(t->ct, 0, ignore_limit, NULL);
		break;
	case 4:
		if (r(t, 8))
			break;
		err = ctrace_schema_get(t->ct, &s);
		if (!err)
			ctrace_schema_free(s);
		break;
	default:
		t->skip = 1000000;
		err = ctrace_container_each(t->ct, pick_cid, t);
	}
	done(t, DUMPS, "dump", err);
}

/* Deletes things in order, or ends as a program that just exits: then the kernel ends its sessions with the
 * socket. */
static void disconnect(struct thread *t, bool orderly)
{
	for (int i = 0; i < OWN_SESSIONS; i++) {
		struct own *o = &t->own[i];

		/* A reader may stay, and find that everything has ended. */
		if (o->r && (orderly || r(t, 2))) {
			ctrace_reader_close(o->r);
			o->r = NULL;
		}
		if (orderly)
			session_free(o);
	}
	ctrace_close(t->ct);
	t->ct = NULL;
	for (int i = 0; i < OWN_SESSIONS; i++)
		session_free(&t->own[i]);
}

static void step(struct thread *t)
{
	struct own *o = &t->own[r(t, OWN_SESSIONS)];
	uint32_t what = r(t, 100);

	if (!t->ct) {
		if (!done(t, CONNECTED, NULL, ctrace_open(&t->ct))) {
			ctrace_close(t->ct);
			t->ct = NULL;
			/* Each attempt starts a modprobe. */
			usleep(comes_and_goes ? 50000 : 1000);
		}
		return;
	}
	if (what < 2) {
		disconnect(t, false);
	} else if (what < 10) {
		look(t);
	} else if (what < 14) {
		const char *d = OF(definitions, rnd(&t->state));

		done(t, DEFINITIONS, d, ctrace_event_define(t->ct, d, 0, NULL));
	} else if (what < 18) {
		const char *d = OF(defined, rnd(&t->state));

		done(t, DEFINITIONS, d, ctrace_event_undefine(t->ct, d));
	} else if (what < 36) {
		reader(t, o);
	} else if (!o->s) {
		session_new(t, o);
	} else if (what < 66) {
		probe(t, o);
	} else if (what < 82) {
		target(t, o);
	} else if (what < 94) {
		done(t, SESSIONS, "state", o->started ? ctrace_session_stop(o->s) : ctrace_session_start(o->s));
		o->started = !o->started;
	} else {
		session_free(o);
	}
}

static void *thread(void *arg)
{
	struct thread *t = arg;

	while (going())
		step(t);
	if (t->ct)
		disconnect(t, true);
	for (int i = 0; i < OWN_SESSIONS; i++)
		if (t->own[i].r)
			ctrace_reader_close(t->own[i].r);
	return NULL;
}

/* --- tools that are killed ------------------------------------------------------------------ */

static void tool(uint64_t state)
{
	struct thread t = { .state = state };

	for (;;)
		step(&t);
}

static void kill_tools(int n)
{
	uint64_t state = seed + 1000 + n;

	while (going()) {
		pid_t pid = fork();

		if (!pid)
			tool(rnd(&state));
		rnd(&state);
		usleep(1000 + rnd(&state) % 300000);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		__atomic_add_fetch(&sh->killed, 1, __ATOMIC_RELAXED);
	}
	_exit(0);
}

/*
 * Makes the module allocate, before anything is compared, what it keeps once it was needed: tables of
 * tasks, scratch memory, types of events.
 */
static void everything_once(void)
{
	struct ctrace_session *s;
	struct ctrace *ct;
	uint32_t id;

	if (!ctrace_open(&ct) && !ctrace_session_new(ct, NULL, &s)) {
		for (size_t i = 0; i < sizeof(definitions) / sizeof(*definitions); i++)
			ctrace_event_define(ct, definitions[i], 0, NULL);
		for (size_t i = 0; i < sizeof(probes) / sizeof(*probes); i++)
			if (!ctrace_probe_add(s, probes[i], NULL, &id, NULL))
				ctrace_probe_del(s, id);
		for (size_t i = 0; i < sizeof(defined) / sizeof(*defined); i++)
			ctrace_event_undefine(ct, defined[i]);
		target_pid(s, getpid());
		ctrace_session_free(s);
	}
	ctrace_close(ct);
}

/* The number of events since the module was loaded that found no memory for their container's name. */
static uint64_t unknown(void)
{
	struct ctrace_info i = { 0 };
	struct ctrace *ct;

	if (!ctrace_open(&ct))
		ctrace_info(ct, &i, sizeof(i));
	ctrace_close(ct);
	return i.unknown;
}

/* --- everything together -------------------------------------------------------------------- */

static int report(const struct thread *t, int n)
{
	uint64_t did[WHATS] = { 0 }, refused[256] = { 0 }, unexpected = 0, read = 0;

	for (int i = 0; i < n; i++) {
		for (int k = 0; k < WHATS; k++)
			did[k] += t[i].did[k];
		for (int k = 0; k < 256; k++)
			refused[k] += t[i].refused[k];
		unexpected += t[i].unexpected;
		read += t[i].read;
	}
	printf("boxes %" PRIu64 " failed %" PRIu64 "\nkilled %" PRIu64 "\nrecords %" PRIu64 "\n",
	       sh->boxes, sh->bad_boxes, sh->killed, read);
	for (int k = 0; k < WHATS; k++)
		printf("did %" PRIu64 " %s\n", did[k], what_names[k]);
	for (int k = 0; k < 256; k++)
		if (refused[k])
			printf("refused %" PRIu64 " %s\n", refused[k], strerror(k));
	printf("unknown %" PRIu64 "\n", unknown());
	printf("unexpected %" PRIu64 "\n", unexpected);
	return unexpected || sh->bad_boxes;
}

static void on_term(int sig)
{
	(void)sig;
	__atomic_store_n(&sh->stop, 1, __ATOMIC_RELAXED);
}

int main(int argc, char **argv)
{
	static struct thread t[THREADS_MAX];
	int o, seconds = 3, threads = 6, makers = 3, killers = 2;
	pid_t pids[32];

	seed = time(NULL);
	while ((o = getopt(argc, argv, "s:t:b:k:xS:")) != -1) {
		switch (o) {
		case 's':
			seconds = atoi(optarg);
			break;
		case 't':
			threads = atoi(optarg);
			break;
		case 'b':
			makers = atoi(optarg);
			break;
		case 'k':
			killers = atoi(optarg);
			break;
		case 'x':
			comes_and_goes = true;
			break;
		case 'S':
			seed = strtoul(optarg, NULL, 0);
			break;
		default:
			return 2;
		}
	}
	if (threads > THREADS_MAX || makers + killers > 32)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("seed %u\n", seed);
	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sh == MAP_FAILED || box_init(BOX_MOUNTS))
		return 2;
	if (!comes_and_goes)
		everything_once();
	fflush(stdout);
	for (int i = 0; i < makers + killers; i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		if (i < makers)
			make_boxes(i);
		kill_tools(i - makers);
	}
	for (int i = 0; i < threads; i++) {
		t[i].state = seed * 2654435761u + i;
		pthread_create(&t[i].id, NULL, thread, &t[i]);
	}
	signal(SIGTERM, on_term);
	/* the signal may have come earlier */
	for (uint64_t end = box_now() + seconds * 1000000000ull; going() && box_now() < end; )
		usleep(50000);
	__atomic_store_n(&sh->stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < threads; i++)
		pthread_join(t[i].id, NULL);
	for (int i = 0; i < makers + killers; i++)
		waitpid(pids[i], NULL, 0);
	return report(t, threads);
}
