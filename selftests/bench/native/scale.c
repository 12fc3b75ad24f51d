// SPDX-License-Identifier: GPL-2.0-only
/*
 * scale BYTES: what a record of that length costs each of several writers, in ns. Each has a CPU and a ring of its own, as in
 * the module. Prints lines "NAME-WRITERS NS"; the names are below.
 *
 * Where CPUs are few and busy, writers often run one after the other, which shows nothing. So only such turns
 * count in which
 * every other writer ended a turn, too. All ways are measured again and again, as a virtual machine's CPUs may be moved from two
 * cores to two threads of one core and back, where sharing costs less.
 */
#include <sched.h>
#include "bench.h"

#define WRITERS_MAX	64
#define TURN		1000	/* records */
#define TURNS		401
#define ROUNDS		9
#define SECONDS		2	/* if the writers hardly ever run at the same time */

static const struct way {
	const char *name;
	enum { NOBODY, ONE, EACH } readers;	/* ONE thread reads all rings; or EACH ring has a reader */
	bool one_line;		/* a control: the hints of all rings are in one cache line */
	bool counts;		/* a control: each record adds one to a counter that all writers have in common */
} ways[] = {
	{ .name = "alone" },
	{ .name = "reader", .readers = ONE },
	{ .name = "readers", .readers = EACH },
	{ .name = "line", .one_line = true },
	{ .name = "counter", .counts = true },
};
#define WAYS	(sizeof(ways) / sizeof(*ways))

static struct writer {
	struct ctrace_ring_desc d;
	u64 hint;
	int cpu;
	u64 turns;		/* that it has had; others read it */
	double ns;
	pthread_t thread, reader;
} __aligned(128) writers[WRITERS_MAX];
static u64 one_line[WRITERS_MAX] __aligned(64);
static u64 counter __aligned(64);
static struct {
	const struct way *way;
	pthread_barrier_t start;
	int writers, measuring, stop;
} now __aligned(64);

static void turn(struct ctrace_ring_desc *d)
{
	int i;

	for (i = 0; i < TURN; i++) {
		write_one(d);
		if (now.way->counts)
			__atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
	}
}

/* Has each other writer ended a turn since `before` was noted? Notes it anew. */
static bool moved(const struct writer *w, u64 *before)
{
	bool all = true;
	u64 turns;
	int i;

	for (i = 0; i < now.writers; i++) {
		turns = READ_ONCE(writers[i].turns);
		all &= &writers[i] == w || turns != before[i];
		before[i] = turns;
	}
	return all;
}

/* Before all other work, if we may: it lasts for some hundredths of a second. A reader goes before the writers, as it mostly sleeps. */
static void hurry(int priority)
{
	const struct sched_param p = { .sched_priority = priority };

	sched_setscheduler(0, SCHED_FIFO, &p);
}

static void *writer(void *arg)
{
	u64 t, end, before[WRITERS_MAX];
	struct writer *w = arg;
	double v[TURNS];
	cpu_set_t set;
	int n = 0;

	CPU_ZERO(&set);
	CPU_SET(w->cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	hurry(1);
	pthread_barrier_wait(&now.start);
	end = mono() + SECONDS * 1000000000ull;
	/* until the last one has measured */
	for (bool done = false; __atomic_load_n(&now.measuring, __ATOMIC_RELAXED);) {
		moved(w, before);
		t = mono();
		turn(&w->d);
		t = mono() - t;
		WRITE_ONCE(w->turns, w->turns + 1);
		if (n < TURNS && moved(w, before))
			v[n++] = (double)t / TURN;
		if (!done && (n == TURNS || mono() > end)) {
			done = true;
			__atomic_sub_fetch(&now.measuring, 1, __ATOMIC_RELAXED);
		}
	}
	w->ns = median(v, n);
	return NULL;
}

/* Copies all that there is in its rings, then waits, as readers do. */
static void *reader(void *arg)
{
	struct writer *first = arg;
	int i, n = now.way->readers == ONE ? now.writers : 1;
	struct ctrace_cursor c[WRITERS_MAX];
	static __thread char copy[SUBBUF];
	struct ctrace_span s;

	hurry(2);
	for (i = 0; i < n; i++)
		ctrace_cursor_init(&c[i], first[i].d.ctl, RING, SUBBUF);
	while (!READ_ONCE(now.stop)) {
		for (i = 0; i < n; i++)
			while (ctrace_cursor_next(&c[i], &s, SUBBUF, ~0ull) > 0 && !READ_ONCE(now.stop)) {
				memcpy(copy, s.data, s.len);
				ctrace_cursor_done(&c[i], &s);
			}
		usleep(1000);
	}
	return NULL;
}

static void must(int err)
{
	if (err)
		exit(1);
}

/* The mean of the writers. */
static double measure(const struct way *way, int n)
{
	int i, readers = way->readers == EACH ? n : way->readers == ONE;
	double sum = 0;

	now.way = way;
	now.writers = now.measuring = n;
	now.stop = 0;
	must(pthread_barrier_init(&now.start, NULL, n));
	for (i = 0; i < n; i++)
		writers[i].d.hint = way->one_line ? &one_line[i] : &writers[i].hint;
	for (i = 0; i < readers; i++)
		must(pthread_create(&writers[i].reader, NULL, reader, &writers[i]));
	for (i = 0; i < n; i++)
		must(pthread_create(&writers[i].thread, NULL, writer, &writers[i]));
	for (i = 0; i < n; i++) {
		pthread_join(writers[i].thread, NULL);
		sum += writers[i].ns;
	}
	WRITE_ONCE(now.stop, 1);
	for (i = 0; i < readers; i++)
		pthread_join(writers[i].reader, NULL);
	return sum / n;
}

int main(int argc, char **argv)
{
	static double v[WAYS][ROUNDS];
	int cpu, cpus = 0, n, r;
	cpu_set_t set;
	size_t k;

	if (argc != 2 || !set_len(argv[1]))
		return 2;
	must(sched_getaffinity(0, sizeof(set), &set));
	for (cpu = 0; cpu < CPU_SETSIZE && cpus < WRITERS_MAX; cpu++) {
		if (!CPU_ISSET(cpu, &set))
			continue;
		writers[cpus].cpu = cpu;
		must(!ring_init(&writers[cpus].d, &writers[cpus].hint, cpu));
		cpus++;
	}
	for (n = 1; n <= cpus; n *= 2) {
		for (r = 0; r < ROUNDS; r++)
			for (k = 0; k < WAYS; k++)
				v[k][r] = measure(&ways[k], n);
		for (k = 0; k < WAYS; k++)
			printf("%s-%d %.1f\n", ways[k].name, n, median(v[k], ROUNDS));
	}
	return 0;
}
