// SPDX-License-Identifier: GPL-2.0-only
/*
 * storm [-c CONTAINERS] [-r ROUNDS] [-s SECONDS] [-m] [-u] [-S SEED]: makes storms of system calls, forks, context
 * switches, timer signals, packets over the loopback and inter-processor interrupts, in CONTAINERS
 * (default 50) at once, on all CPUs. Four sessions and 5 * ROUNDS (default 4) readers watch.
 *
 *	-m	move tasks between the containers' cgroups at the same time
 *	-u	take CPU 1 offline before the sessions are made; then it comes, goes, and comes back; it is sampled, too
 *
 * Each task counts its own marked calls, so the number made is known without the module. Three of the
 * sessions record nothing else: the module's counters for them must add up to that number. For every session,
 * each reader's seen + overrun must equal what was published, exactly. The memory of arenas is compared
 * before and after.
 */
#include "storm.h"
#include <inttypes.h>
#include <getopt.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <kselftest.h>

static int rounds = 4, seconds = 4, moves, hotplug;

/* --- readers ----------------------------------------------------------------------------- */

enum kind { FAST, SLOW, READ, STOPPED, KILLED, KINDS, LATE = KINDS };
static const char *const kind_names[] = { "fast", "slow", "read()", "stopped", "killed", "late" };

static int set_cid(const struct ctrace_container *c, void *arg)
{
	(void)arg;
	for (int i = 0; i < boxes; i++)
		if ((pid_t)c->init_pid == box[i].pid && !(c->flags & CTRACE_CONTAINER_F_DEAD))
			sh->cids[i] = c->cid;
	return 0;
}

static bool is_box(uint32_t cid)
{
	for (int i = 0; i < boxes; i++)
		if (sh->cids[i] == cid)
			return true;
	return false;
}

static struct ctrace_schema *schema;
static bool marks, slow;	/* of this reader: its session records marked calls alone */

/* Compares a marked call's container with the one that the call names. */
static void check_mark(struct result *r, const struct ctrace_record *rec)
{
	const struct ctrace_event_type *t = ctrace_schema_by_id(schema, rec->id);
	struct ctrace_value v[16];
	int n = t ? ctrace_decode(t, rec, v, 16) : -1;

	if (n < 0) {
		r->undecodable++;
		return;
	}
	/* Moved tasks count for the container where they are; moves.c checks which. */
	if (!is_box(rec->cid))
		r->foreign++;
	for (int i = 0; i < n && !moves; i++)
		if (!strcmp(v[i].field->name, "who") && sh->cids[v[i].u % BOXES_MAX] != rec->cid)
			r->foreign++;
}

static void each(struct result *res, const struct ctrace_record *rec)
{
	if (marks)
		check_mark(res, rec);
	if (slow)
		readers_rest(res, &sh->stop_read);
}

struct reader {
	pid_t pid;
	int session;
	enum kind kind;
};
static struct reader reader[READERS_MAX];
static int readers;

/* --- sessions ---------------------------------------------------------------------------- */

static struct session {
	const char *name;
	int per_call;		/* records for each marked call, and no others; 0: records of everything */
	uint32_t flags;
	uint64_t arena, ring;
	struct ctrace_session *s;
	struct ctrace_session_info before, after;
} session[] = {
	{ .name = "marked calls", .per_call = 2, .arena = 8 << 20, .ring = 65536 },
	{ .name = "the oldest", .per_call = 2, .flags = CTRACE_SESSION_F_STOP_FULL,
	  .arena = 8 << 20, .ring = 32768 },
	/* slots for a few containers only: most containers use the shared rings */
	{ .name = "calls whole", .per_call = 1, .arena = 1 << 20, .ring = 16384 },
	{ .name = "everything", .arena = 24 << 20, .ring = 262144 },
};
#define SESSIONS	((int)(sizeof(session) / sizeof(*session)))

static const char *const everything[] = {
	"syscalls", "sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new", "sched_migrate_task",
	"sched_process_fork", "sched_process_exit", "sched_process_free", "irq_handler_entry",
	"irq_softirq_entry", "irq_softirq_exit", "irq_softirq_raise", "signal_generate", "signal_deliver",
	"timer_hrtimer_expire_entry", "timer_itimer_expire", "net_dev_queue", "net_if_receive_skb",
	"cgroup_attach_task", "page_fault_user", "kmem_mm_page_alloc", "sample:199", "kprobe:do_exit",
};

static void add(struct ctrace *ct, int i, const char *probe, const char *filter, uint32_t flags)
{
	struct ctrace_probe_opts o = { .sz = sizeof(o), .filter = filter, .flags = flags };

	if (!ctrace_probe_add(session[i].s, probe, &o, NULL, NULL))
		return;
	/* Older kernels lack some: sched_waking, page_fault_user. */
	if (session[i].per_call || !strstr(ctrace_errmsg(ct), "tracepoint"))
		ksft_exit_fail_msg("probe %s: %s\n", probe, ctrace_errmsg(ct));
	ksft_print_msg("without %s: %s\n", probe, ctrace_errmsg(ct));
}

static void make_sessions(struct ctrace *ct)
{
	for (int i = 0; i < SESSIONS; i++) {
		struct ctrace_session_opts o = {
			.sz = sizeof(o), .arena_size = session[i].arena, .ring_size = session[i].ring,
			.flags = session[i].flags, .name = session[i].name,
		};

		if (ctrace_session_new(ct, &o, &session[i].s) || ctrace_target_add(session[i].s, NULL, NULL))
			ksft_exit_fail_msg("session: %s\n", ctrace_errmsg(ct));
		if (session[i].per_call == 2) {
			add(ct, i, "syscall:getpriority", NULL, 0);
		} else if (session[i].per_call) {
			/* All calls pass this filter. It takes the longer way through the code. */
			add(ct, i, "call:getpriority", "ret < 0 && $tid > 0", 0);
		} else {
			for (size_t k = 0; k < sizeof(everything) / sizeof(*everything); k++)
				add(ct, i, everything[k], NULL, 0);
			add(ct, i, "sched_process_exec", NULL, CTRACE_PROBE_F_STACK);
		}
	}
}

/* A session that samples. Its samples of CPU 1 come from after that CPU came online. */
static struct ctrace_session *sampled;

static void make_sampled(struct ctrace *ct)
{
	if (ctrace_session_new(ct, NULL, &sampled) || ctrace_target_add(sampled, NULL, NULL) ||
	    ctrace_probe_add(sampled, "sample:99", NULL, NULL, NULL) || ctrace_session_start(sampled))
		ksft_exit_fail_msg("sampling: %s\n", ctrace_errmsg(ct));
}

static int cpu1_fn(const struct ctrace_ring_info *i, void *arg)
{
	if (i->cpu == 1)
		*(uint64_t *)arg += i->events;
	return 0;
}

static void judge_hotplug(struct ctrace *ct)
{
	uint64_t samples = 0;

	ksft_test_result(sh->plugged, "a CPU went and came %llu times\n", (unsigned long long)sh->plugged);
	ctrace_ring_each(ct, ctrace_session_id(sampled), cpu1_fn, &samples);
	ksft_test_result(samples, "and was sampled %llu times\n", (unsigned long long)samples);
	ctrace_session_free(sampled);
}

static int info_fn(const struct ctrace_session_info *info, void *arg)
{
	for (int i = 0; i < SESSIONS; i++)
		if (ctrace_session_id(session[i].s) == info->id)
			*(arg ? &session[i].after : &session[i].before) = *info;
	return 0;
}

static void start_reader(int s, enum kind kind)
{
	struct reader *r = &reader[readers];
	struct result *res = &sh->results[readers++];
	uint32_t id = ctrace_session_id(session[s].s);

	r->session = s;
	r->kind = kind;
	r->pid = fork();
	if (r->pid)
		return;
	/* The storm should have the processors, not the readers. */
	setpriority(PRIO_PROCESS, 0, 10);
	marks = session[s].per_call;
	slow = kind == SLOW;
	if (kind == READ)
		readers_plain(res, id, &sh->stop_read, each);
	else
		readers_library(res, id, &sh->stop_read, each);
	_exit(0);
}

static uint64_t vmalloc_sum(void)
{
	FILE *f = fopen("/proc/vmallocinfo", "re");
	char line[512];
	uint64_t sum = 0, n;

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "[ctrace]") && sscanf(line, "%*s %" SCNu64, &n) == 1)
			sum += n;
	if (f)
		fclose(f);
	return sum;
}

/* Returns the bytes that /proc/vmallocinfo counts for the module, the same twice in a row: vmalloc_kb in
 * lib.sh says why. */
static uint64_t vmalloced(void)
{
	uint64_t last, now = vmalloc_sum();

	do {
		last = now;
		now = vmalloc_sum();
	} while (now != last);
	return now;
}

/* --- everything together --------------------------------------------------------------------- */

static void make_boxes(struct ctrace *ct)
{
	int missing;

	if (box_init(BOX_MOUNTS))
		ksft_exit_fail_msg("no cgroups\n");
	for (int i = 0; i < boxes; i++) {
		char hex[65], path[100];

		box_hex(hex, "storm", getpid() * 100 + i);
		snprintf(path, sizeof(path), "/box/%s", hex);
		if (box_start(&box[i], path, CLONE_NEWPID, in_container, (void *)(long)i))
			ksft_exit_fail_msg("no container: %s\n", strerror(errno));
	}
	for (int i = 0; i < boxes; i++)
		box_settle(&box[i]);
	for (int tries = 0; tries < 100; tries++) {
		ctrace_container_each(ct, set_cid, NULL);
		missing = 0;
		for (int i = 0; i < boxes; i++)
			missing += !sh->cids[i];
		if (!missing)
			return;
		usleep(20000);
	}
	ksft_exit_fail_msg("%d containers are not known\n", missing);
}

static void stage(const char *what)
{
	static uint64_t began;

	began = began ?: box_now();
	ksft_print_msg("%5llu ms: %s\n", (unsigned long long)(box_now() - began) / 1000000, what);
}

/* Lets the storm run for its seconds, and does harm to some readers in that time. */
static void weather(void)
{
	uint64_t end = box_now() + seconds * 1000000000ull, half = box_now() + seconds * 500000000ull;
	bool stopped = false, killed = false;

	/* On a slow kernel the first move may take more than these seconds. */
	while (box_now() < end || (moves && !__atomic_load_n(&sh->moved, __ATOMIC_RELAXED) &&
				   box_now() < end + 30000000000ull)) {
		for (int i = 0; i < readers; i++)
			if (reader[i].kind == STOPPED)
				kill(reader[i].pid, stopped ? SIGCONT : SIGSTOP);
		stopped = !stopped;
		if (!killed && box_now() > half) {
			killed = true;
			for (int i = 0, n = readers; i < n; i++)
				if (reader[i].kind == KILLED) {
					kill(reader[i].pid, SIGKILL);
					start_reader(reader[i].session, LATE);
				}
		}
		usleep(200000);
	}
	for (int i = 0; i < readers; i++)
		if (reader[i].kind == STOPPED)
			kill(reader[i].pid, SIGCONT);
}

static uint64_t sum_made(void)
{
	uint64_t made = 0;

	for (int i = 0; i < boxes; i++)
		for (int t = 0; t < TASKS; t++)
			made += sh->made[i][t].here + sh->made[i][t].handler + sh->made[i][t].children;
	return made;
}

static void judge_session(const struct session *s, uint64_t made)
{
	const struct ctrace_session_info *a = &s->after;
	uint64_t counted = a->events + a->lost_full + a->lost_nested + a->lost_unfollowed * s->per_call;

	ksft_test_result((!s->per_call || counted == made * s->per_call) && a->events &&
			 a->arena_size == s->before.arena_size && a->slots == s->before.slots,
			 "session '%s': %llu calls made; published %llu + full %llu + nested %llu, unfollowed %llu; %llu bytes, were %llu; %u of %u slots\n",
			 s->name, (unsigned long long)made, (unsigned long long)a->events,
			 (unsigned long long)a->lost_full, (unsigned long long)a->lost_nested,
			 (unsigned long long)a->lost_unfollowed, (unsigned long long)a->arena_size,
			 (unsigned long long)s->before.arena_size, a->slots_used, a->slots);
}

static void judge_reader(const struct reader *r, const struct result *res)
{
	const struct ctrace_session_info *a = &session[r->session].after;
	/* A late reader does not know what was refused before it came. */
	bool refused = r->kind == LATE || (res->full == a->lost_full && res->nested == a->lost_nested);

	if (r->kind == KILLED) {
		ksft_test_result(res->done == -1, "killed reader of '%s' died after %llu\n",
				 session[r->session].name, (unsigned long long)res->seen);
		return;
	}
	ksft_test_result(res->done == 1 && refused && res->seen + res->overrun == a->events &&
			 !res->backwards && !res->foreign && !res->undecodable,
			 "%s reader of '%s': published %llu; seen %llu + overrun %llu, full %llu, nested %llu; backwards %llu, of others %llu, undecodable %llu\n",
			 kind_names[r->kind], session[r->session].name, (unsigned long long)a->events,
			 (unsigned long long)res->seen, (unsigned long long)res->overrun,
			 (unsigned long long)res->full, (unsigned long long)res->nested,
			 (unsigned long long)res->backwards, (unsigned long long)res->foreign,
			 (unsigned long long)res->undecodable);
}

static void options(int argc, char **argv)
{
	unsigned int seed = time(NULL);
	int o;

	while ((o = getopt(argc, argv, "c:r:s:muS:")) != -1) {
		switch (o) {
		case 'c':
			boxes = atoi(optarg);
			break;
		case 'r':
			rounds = atoi(optarg);
			break;
		case 's':
			seconds = atoi(optarg);
			break;
		case 'm':
			moves = 1;
			break;
		case 'u':
			hotplug = 1;
			break;
		case 'S':
			seed = strtoul(optarg, NULL, 0);
			break;
		default:
			exit(2);
		}
	}
	if (boxes < 1 || boxes > BOXES_MAX || rounds < 1 || rounds * (KINDS + 1) > READERS_MAX)
		exit(2);
	srand(seed);
	ksft_print_msg("seed %u\n", seed);
}

/* One reader of each kind in each round, spread over the sessions in turn. */
static void start_readers(void)
{
	for (int i = 0; i < rounds; i++)
		for (int k = 0; k < KINDS; k++)
			start_reader(i % SESSIONS, k);
	for (int i = 0; i < readers; i++)
		while (!__atomic_load_n(&sh->results[i].done, __ATOMIC_ACQUIRE)) {
			if (waitpid(reader[i].pid, NULL, WNOHANG) > 0)
				ksft_exit_fail_msg("a reader did not start\n");
			usleep(1000);
		}
}

int main(int argc, char **argv)
{
	uint64_t vm_before, vm_after, made;
	struct ctrace *ct;
	pid_t plugger = 0, mover = 0;
	int bad = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	ksft_print_header();
	options(argc, argv);
	cpus = sysconf(_SC_NPROCESSORS_CONF);
	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sh == MAP_FAILED || ctrace_open(&ct))
		ksft_exit_fail_msg("no module: %s\n", ctrace_errmsg(ct));
	ksft_set_plan(SESSIONS + rounds * (KINDS + 1) + 1 + moves + 2 * hotplug);
	stage("containers");
	make_boxes(ct);
	stage("sessions");
	if (hotplug)
		write_file(ONLINE, "0");
	make_sessions(ct);
	if (hotplug)
		make_sampled(ct);
	if (ctrace_schema_get(ct, &schema))
		ksft_exit_fail_msg("no schema: %s\n", ctrace_errmsg(ct));
	stage("readers");
	start_readers();
	/* This process keeps the time and ends the storm, so it must not be kept waiting. */
	setpriority(PRIO_PROCESS, 0, -10);
	for (int i = 0; i < SESSIONS; i++)
		if (ctrace_session_start(session[i].s))
			ksft_exit_fail_msg("start: %s\n", ctrace_errmsg(ct));
	ctrace_session_each(ct, info_fn, NULL);
	vm_before = vmalloced();
	if (hotplug && !(plugger = fork()))
		plug();
	if (moves && !(mover = fork()))
		move();
	for (int i = 0; i < boxes; i++)
		box_go(&box[i]);
	stage("storm");
	weather();
	stage("calm");
	__atomic_store_n(&sh->stop_work, 1, __ATOMIC_RELEASE);
	if (plugger)
		waitpid(plugger, NULL, 0);
	if (mover)
		waitpid(mover, NULL, 0);
	for (int i = 0; i < boxes; i++)
		bad += !!box_end(&box[i]);
	for (int i = 0; i < SESSIONS; i++)
		ctrace_session_stop(session[i].s);
	__atomic_store_n(&sh->stop_read, 1, __ATOMIC_RELEASE);
	stage("readers end");
	for (int i = 0; i < readers; i++)
		waitpid(reader[i].pid, NULL, 0);
	stage("done");
	vm_after = vmalloced();
	ctrace_session_each(ct, info_fn, ct);
	if (bad)
		ksft_exit_fail_msg("%d containers failed\n", bad);
	made = sum_made();
	for (int i = 0; i < SESSIONS; i++)
		judge_session(&session[i], made);
	for (int i = 0; i < readers; i++)
		judge_reader(&reader[i], &sh->results[i]);
	ksft_test_result(vm_before == vm_after && vm_before, "the module's memory in /proc/vmallocinfo: %llu before, %llu after\n",
			 (unsigned long long)vm_before, (unsigned long long)vm_after);
	if (hotplug)
		judge_hotplug(ct);
	if (moves)
		ksft_test_result(sh->moved, "tasks were moved %llu times (%llu moves failed)\n",
				 (unsigned long long)sh->moved, (unsigned long long)sh->not_moved);
	for (int i = 0; i < SESSIONS; i++)
		ctrace_session_free(session[i].s);
	ctrace_close(ct);
	ksft_finished();
}
