// SPDX-License-Identifier: GPL-2.0-only
/*
 * moves [-n STEPS] [-S SEED]: moves tasks between the cgroups of containers while they run.
 *
 * Walkers, one in each container's pid namespace and one in the host's, stand still while they are moved,
 * or move themselves between one call and the next. Their calls are marked with the number of the stay:
 * each such record must have the cid of the container where the walker was just then. A runner in each
 * container never stands still: its records must have the cid of one of our containers. All calls must be
 * there.
 */
#include "box.h"
#include <getopt.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <kselftest.h>
#include <ctrace/libctrace.h>

#define BOXES		4
#define WALKERS		(BOXES + 1)	/* the last one is the host's */
#define CALLS		5
#define RUNNER		0x1000000u	/* + number: the calls of a runner */
#define STEPS_MAX	20000
#define STAYS_MAX	(2 * STEPS_MAX)	/* before a step and after it */

static struct shared {
	int stop;
	uint64_t made[BOXES];		/* by runners */
} *sh;

static struct box box[BOXES];
static uint32_t cids[BOXES];
static int to_walker[WALKERS][2], from_walker[WALKERS][2];
static pid_t walker_pid[WALKERS], runner_pid[BOXES];

static uint32_t calls[STAYS_MAX], expected[STAYS_MAX], right[STAYS_MAX], wrong[STAYS_MAX],
	wrong_cid[STAYS_MAX];
static uint32_t is_in[WALKERS];	/* the cid of where a walker is */

struct order {
	uint32_t step;		/* UINT32_MAX: end */
	char path[100];		/* where the walker moves itself; empty: it was moved */
};

static void mark(uint32_t stay)
{
	for (int i = 0; i < CALLS; i++)
		box_mark(stay);
}

static void walk(int w)
{
	struct order o;

	while (read(to_walker[w][0], &o, sizeof(o)) == sizeof(o)) {
		if (o.step == UINT32_MAX)
			break;
		if (o.path[0]) {
			mark(2 * o.step);
			if (box_cgroup_enter(o.path, 0))
				break;
		}
		mark(2 * o.step + 1);
		if (write(from_walker[w][1], &o.step, sizeof(o.step)) != sizeof(o.step))
			break;
	}
	_exit(0);
}

static void run(int n)
{
	while (!__atomic_load_n(&sh->stop, __ATOMIC_RELAXED)) {
		box_mark(RUNNER + n);
		sh->made[n]++;
		usleep(200);
	}
	_exit(0);
}

static int in_box(void *arg)
{
	int n = (long)arg;

	/* the first child is the walker, the second the runner */
	if (!fork())
		walk(n);
	if (!fork())
		run(n);
	while (wait(NULL) > 0)
		;
	return 0;
}

static bool children_of(int n)
{
	pid_t c[2];

	if (box_children(box[n].pid, c, 2) != 2)
		return false;
	walker_pid[n] = c[0];
	runner_pid[n] = c[1];
	return true;
}

static int find_fn(const struct ctrace_container *c, void *arg)
{
	(void)arg;
	for (int i = 0; i < BOXES; i++)
		if ((pid_t)c->init_pid == box[i].pid && !(c->flags & CTRACE_CONTAINER_F_DEAD))
			cids[i] = c->cid;
	return 0;
}

static void start(struct ctrace *ct)
{
	char hex[65], path[100];
	int w;

	if (box_init(BOX_MOUNTS))
		ksft_exit_fail_msg("no cgroups\n");
	for (w = 0; w < WALKERS; w++)
		if (pipe2(to_walker[w], O_CLOEXEC) || pipe2(from_walker[w], O_CLOEXEC))
			ksft_exit_fail_msg("pipe\n");
	for (int i = 0; i < BOXES; i++) {
		box_hex(hex, "moves", getpid() * 10 + i);
		snprintf(path, sizeof(path), "/box/%s", hex);
		if (box_start(&box[i], path, CLONE_NEWPID, in_box, (void *)(long)i))
			ksft_exit_fail_msg("no container: %s\n", strerror(errno));
		box_settle(&box[i]);
	}
	w = BOXES;
	walker_pid[w] = fork();
	if (!walker_pid[w])
		walk(w);
	ctrace_container_each(ct, find_fn, NULL);
	for (int i = 0; i < BOXES; i++)
		if (!cids[i])
			ksft_exit_fail_msg("pid %d has no container\n", box[i].pid);
}

static uint64_t runners_seen[BOXES], runners_elsewhere;

static void take(struct ctrace_reader *r, const struct ctrace_schema *schema)
{
	const struct ctrace_record *rec;
	struct ctrace_value v[16];
	uint32_t who;
	int n;

	while (ctrace_reader_next(r, &rec) == 1) {
		const struct ctrace_event_type *t = ctrace_schema_by_id(schema, rec->id);

		who = UINT32_MAX;
		n = t ? ctrace_decode(t, rec, v, 16) : 0;
		for (int i = 0; i < n; i++)
			if (!strcmp(v[i].field->name, "who"))
				who = v[i].u;
		if (who >= RUNNER && who - RUNNER < BOXES) {
			bool ours = false;

			for (int i = 0; i < BOXES; i++)
				ours |= rec->cid == cids[i];
			runners_seen[who - RUNNER]++;
			runners_elsewhere += !ours;
		} else if (who < STAYS_MAX && rec->cid == expected[who]) {
			right[who]++;
		} else if (who < STAYS_MAX) {
			wrong[who]++;
			wrong_cid[who] = rec->cid;
		}
	}
}

static void stay(uint32_t number, uint32_t cid)
{
	calls[number] = CALLS;
	expected[number] = cid;
}

/* The walker is in the read() of its pipe then, or on its way there: it makes no marked call. */
static void step(int w, int to, bool itself, uint32_t number)
{
	struct order o = { .step = number };

	snprintf(o.path, sizeof(o.path), "%s", to < BOXES ? box[to].path : "/");
	if (itself)
		stay(2 * number, is_in[w]);
	/* A task that is in no container's cgroup belongs to its pid namespace. */
	is_in[w] = to < BOXES ? cids[to] : w < BOXES ? cids[w] : CTRACE_CID_HOST;
	stay(2 * number + 1, is_in[w]);
	if (!itself) {
		if (box_cgroup_enter(o.path, walker_pid[w]))
			ksft_exit_fail_msg("move: %s\n", strerror(errno));
		o.path[0] = 0;
	}
	if (write(to_walker[w][1], &o, sizeof(o)) != sizeof(o) ||
	    read(from_walker[w][0], &number, sizeof(number)) != sizeof(number))
		ksft_exit_fail_msg("a walker has gone\n");
}

static void judge(uint32_t steps, const struct ctrace_losses *l)
{
	uint32_t bad = 0, first = 0;
	uint64_t made = 0, seen = 0;

	for (uint32_t i = 0; i < 2 * steps; i++)
		if ((wrong[i] || right[i] != calls[i]) && !bad++)
			first = i;
	ksft_test_result(!bad, "%u steps of walkers: %u stays wrong; the first, %u, had %u records right of %u, %u wrong, of cid %u for %u\n",
			 steps, bad, first, right[first], calls[first], wrong[first], wrong_cid[first],
			 expected[first]);
	for (int i = 0; i < BOXES; i++) {
		made += sh->made[i];
		seen += runners_seen[i];
	}
	ksft_test_result(made == seen && !runners_elsewhere, "runners: %" PRIu64 " calls made, %" PRIu64 " seen, %" PRIu64 " of them in another container\n",
			 made, seen, runners_elsewhere);
	ksft_test_result(!l->overrun && !l->full && !l->nested, "nothing was lost: overrun %" PRIu64 " full %" PRIu64 " nested %" PRIu64 "\n",
			 l->overrun, l->full, l->nested);
}

int main(int argc, char **argv)
{
	struct ctrace_session_opts so = { .sz = sizeof(so), .name = "moves",
					  .arena_size = 64 << 20, .ring_size = 1 << 20 };
	unsigned int seed = time(NULL);
	struct ctrace_schema *schema;
	struct ctrace_session *s;
	struct ctrace_reader *r;
	struct ctrace_losses l;
	uint32_t steps = 300;
	struct ctrace *ct;
	struct order last = { .step = UINT32_MAX };
	int o;

	while ((o = getopt(argc, argv, "n:S:")) != -1) {
		switch (o) {
		case 'n':
			steps = atoi(optarg);
			break;
		case 'S':
			seed = strtoul(optarg, NULL, 0);
			break;
		default:
			return 2;
		}
	}
	if (steps > STEPS_MAX)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	ksft_print_header();
	ksft_print_msg("seed %u\n", seed);
	ksft_set_plan(3);
	srand(seed);
	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (ctrace_open(&ct) || ctrace_session_new(ct, &so, &s) || ctrace_target_add(s, NULL, NULL) ||
	    ctrace_probe_add(s, "call:getpriority", NULL, NULL, NULL) || ctrace_schema_get(ct, &schema) ||
	    ctrace_reader_open(s, NULL, &r) || ctrace_session_start(s))
		ksft_exit_fail_msg("session: %s\n", ctrace_errmsg(ct));
	start(ct);
	for (int i = 0; i < BOXES; i++) {
		box_go(&box[i]);
		for (int tries = 0; !children_of(i); tries++) {
			if (tries == 1000)
				ksft_exit_fail_msg("the children of %d are not known\n", box[i].pid);
			usleep(5000);
		}
	}
	for (int w = 0; w < WALKERS; w++)
		is_in[w] = w < BOXES ? cids[w] : CTRACE_CID_HOST;
	for (uint32_t i = 0; i < steps; i++) {
		step(rand() % WALKERS, rand() % (BOXES + 1), rand() % 2, i);
		/* Move two runners too, wherever they are. They need not stay there for long. */
		box_cgroup_enter(box[rand() % BOXES].path, runner_pid[rand() % BOXES]);
		box_cgroup_enter(box[rand() % BOXES].path, runner_pid[rand() % BOXES]);
		if (!(i % 16))
			take(r, schema);
	}
	__atomic_store_n(&sh->stop, 1, __ATOMIC_RELAXED);
	for (int w = 0; w < WALKERS; w++)
		if (write(to_walker[w][1], &last, sizeof(last)) != sizeof(last))
			ksft_exit_fail_msg("a walker has gone\n");
	for (int i = 0; i < BOXES; i++)
		if (box_end(&box[i]))
			ksft_exit_fail_msg("a container failed\n");
	waitpid(walker_pid[BOXES], NULL, 0);
	ctrace_session_stop(s);
	take(r, schema);
	ctrace_reader_losses(r, &l, sizeof(l));
	judge(steps, &l);
	ctrace_reader_close(r);
	ctrace_close(ct);
	ksft_finished();
}
