// SPDX-License-Identifier: GPL-2.0-only
/*
 * tables MODE: aggregates, against what tasks count themselves. MODE:
 *
 *	storm [SECONDS]	50 containers make marked calls, two tasks in each, one of which forks; large and small tables
 *	churn [SECONDS]	containers come and go, each makes CHURN_CALLS calls; their rows are given to others
 *	stacks		the same stacks on all CPUs
 *	memory		a refused probe gives its table's memory back; a view maps no table
 *	sum SECONDS PROBE AGGREGATE [ROWS]	prints the sum of count(), which comes first, over all rows and what was lost
 *	add PROBE AGGREGATE [ROWS [BYTES [FLAGS [FILTER]]]]	adds a probe; prints what is wrong with it
 *	hold		makes a session with tables, counts, says so, and waits
 */
#include "tables.h"

/* --- storm ------------------------------------------------------------------------------- */

#define BOXES	50
#define TASKS	2

static struct box box[BOXES];
static uint32_t cids[BOXES];

static int in_box(void *arg)
{
	int number = (int)(long)arg, st, bad = 0;

	for (int t = 0; t < TASKS; t++) {
		if (fork())
			continue;
		while (!__atomic_load_n(&sh->stop_work, __ATOMIC_RELAXED)) {
			mark(number, t);
			if (!t)
				continue;
			if (!fork()) {
				box_mark((uint32_t)number);
				box_mark((uint32_t)number);
				_exit(2);
			}
			if (wait(&st) > 0 && WIFEXITED(st))
				sh->made[number][t] += (uint64_t)WEXITSTATUS(st);
		}
		_exit(0);
	}
	while (wait(&st) > 0)
		bad |= st;
	/* The rows of a container that ended two seconds ago may be given away: it stays until the last one has counted. */
	__atomic_add_fetch(&sh->quiet, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&sh->quiet, __ATOMIC_ACQUIRE) < BOXES)
		usleep(1000);
	return !!bad;
}

static int set_cid(const struct ctrace_container *c, void *arg)
{
	(void)arg;
	for (int i = 0; i < BOXES; i++)
		if ((pid_t)c->init_pid == box[i].pid && !(c->flags & CTRACE_CONTAINER_F_DEAD))
			cids[i] = c->cid;
	return 0;
}

static void make_boxes(void)
{
	int missing = BOXES;

	for (int i = 0; i < BOXES; i++) {
		char hex[65], path[100];

		box_hex(hex, "tables", (unsigned int)getpid() * 100 + (unsigned int)i);
		snprintf(path, sizeof(path), "/box/%s", hex);
		if (box_start(&box[i], path, CLONE_NEWPID, in_box, (void *)(long)i))
			ksft_exit_fail_msg("no container: %s\n", strerror(errno));
	}
	for (int i = 0; i < BOXES; i++)
		box_settle(&box[i]);
	for (int tries = 0; missing && tries < 500; tries++) {
		ctrace_container_each(ct, set_cid, NULL);
		missing = 0;
		for (int i = 0; i < BOXES; i++)
			missing += !cids[i];
		usleep(20000);
	}
	if (missing)
		ksft_exit_fail_msg("%d containers are not known\n", missing);
}

static void judge_boxes(const struct counting *c)
{
	struct ctrace_look *l = look(c->a);
	uint64_t seen, made, all = 0;
	int wrong = 0;

	/* (other) rows are more than containers here: none needs the row of all */

	for (int i = 0; i < BOXES; i++) {
		seen = sum_of(l, cids[i], &all);
		made = 0;
		for (int t = 0; t < TASKS; t++)
			made += sh->made[i][t];
		if (seen != made)
			wrong++;
	}
	ksft_test_result(!all && !wrong, "%s: %d of %d containers differ (row of all: %llu)\n", c->name, wrong, BOXES,
			 (unsigned long long)all);
	ctrace_look_free(l);
}

static void storm(int seconds)
{
	static struct counting c[] = {
		{ .name = "many rows", .probe = "call:getpriority", .rows = 4096,
		  .aggregate = "count(), hist(duration), min(ret), max(ret) by $comm, $tid" },
		{ .name = "8 rows", .probe = "call:getpriority", .rows = 8,
		  .aggregate = "count(), hist(duration), avg(ret), sum(ret) by $comm, $tid" },
		{ .name = "by argument, 1 row", .probe = "call:getpriority", .rows = 1,
		  .aggregate = "count(), hist(who) by who" },
		{ .name = "switches, many rows", .probe = "sched_switch", .rows = 4096, .aggregate = "count(), hist(prev_prio) by $tid" },
		{ .name = "switches, 2 rows", .probe = "sched_switch", .rows = 2,
		  .aggregate = "count(), hist(prev_prio) by $tid, $cpu" },
	};
	uint64_t made = 0;

	if (box_init(BOX_MOUNTS))
		ksft_exit_fail_msg("no cgroups\n");
	make_boxes();
	for (int i = 0; i < 5; i++) {
		counting_new(&c[i]);
		for (int b = 0; b < BOXES; b++)
			if (target_cid(c[i].s, cids[b]))
				ksft_exit_fail_msg("target: %s\n", ctrace_errmsg(ct));
		counting_begin(&c[i], i < 3 ? 4 : 1);
	}
	for (int i = 0; i < BOXES; i++)
		box_go(&box[i]);
	sleep((unsigned int)seconds);
	__atomic_store_n(&sh->stop_work, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < BOXES; i++)
		if (box_end(&box[i]))
			ksft_exit_fail_msg("a container failed\n");
	for (int i = 0; i < BOXES; i++)
		for (int t = 0; t < TASKS; t++)
			made += sh->made[i][t];
	ksft_print_msg("%llu calls\n", (unsigned long long)made);
	for (int i = 0; i < 3; i++)
		counting_judge(&c[i], made);
	judge_boxes(&c[0]);
	judge_boxes(&c[1]);
	/* switches are counted by nobody else; both sessions had the same ones */
	made = counting_sum(&c[3], NULL);
	ksft_test_result(made, "%llu switches\n", (unsigned long long)made);
	counting_judge(&c[3], made);
	counting_judge(&c[4], made);
}

/* --- churn ------------------------------------------------------------------------------- */

#define CHURN_CALLS	20

static int short_life(void *arg)
{
	(void)arg;
	for (int i = 0; i < CHURN_CALLS; i++)
		mark(0, 0);
	return 0;
}

static void churn(int seconds)
{
	static struct counting c[] = {
		{ .name = "by task", .probe = "call:getpriority", .rows = 8, .aggregate = "count(), hist(duration) by $tid" },
		{ .name = "entries and exits by container", .probe = "syscall:getpriority", .rows = 1, .aggregate = "count()" },
	};
	uint64_t end, recycled;
	unsigned int n = 0;

	if (box_init(BOX_MOUNTS))
		ksft_exit_fail_msg("no cgroups\n");
	for (int i = 0; i < 2; i++) {
		counting_new(&c[i]);
		if (ctrace_target_add(c[i].s, NULL, NULL))
			ksft_exit_fail_msg("target: %s\n", ctrace_errmsg(ct));
		counting_begin(&c[i], 4);
	}
	/* at least so many, however slow the machine; on each CPU 8 + 64 rows can be filled before one must be given away */
	for (end = box_now() + (uint64_t)seconds * 1000000000; box_now() < end || n < 300; n++) {
		char hex[65], path[100];
		struct box b;

		box_hex(hex, "churn", n);
		snprintf(path, sizeof(path), "/box/%s", hex);
		if (box_start(&b, path, CLONE_NEWPID, short_life, NULL))
			ksft_exit_fail_msg("no container: %s\n", strerror(errno));
		box_go(&b);
		if (box_end(&b))
			ksft_exit_fail_msg("a container failed\n");
	}
	ksft_print_msg("%u containers\n", n);
	/* the next one meets rows of containers that have been forgotten */
	sleep(4);
	for (int tries = 0; tries < 30; tries++) {
		char path[100] = "/box/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
		struct box b;

		for (int k = 0; k < 20; k++) {
			if (box_start(&b, path, CLONE_NEWPID, short_life, NULL))
				ksft_exit_fail_msg("no container: %s\n", strerror(errno));
			box_go(&b);
			if (box_end(&b))
				ksft_exit_fail_msg("a container failed\n");
		}
		counting_sum(&c[0], &recycled);
		if (recycled > 10)
			break;
		sleep(1);
	}
	ksft_test_result(recycled > 10, "%llu rows were given to others\n", (unsigned long long)recycled);
	counting_judge(&c[0], sh->made[0][0]);
	counting_judge(&c[1], 2 * sh->made[0][0]);
}

/* --- stacks ------------------------------------------------------------------------------ */

/* box_mark(), but the call is made right here: the innermost address is the caller's, whatever the C library is built with. */
static inline __attribute__((always_inline)) void mark_here(long number)
{
#if defined(__x86_64__)
	long ret = SYS_getpriority;

	__asm__ volatile("syscall" : "+a" (ret) : "D" ((long)BOX_MARK), "S" (number) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long nr __asm__("x8") = SYS_getpriority, which __asm__("x0") = BOX_MARK, who __asm__("x1") = number;

	__asm__ volatile("svc #0" : "+r" (which) : "r" (nr), "r" (who) : "memory");
#else
	box_mark((uint32_t)number);
#endif
}

__attribute__((noinline)) static void one_way(void)
{
	mark_here(1);
	sh->made[0][0]++;
}

__attribute__((noinline)) static void other_way(void)
{
	mark_here(2);
	sh->made[0][1]++;
}

static void from_all_cpus(void (*fn)(void), int n)
{
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			continue;
		for (int i = 0; i < n; i++)
			fn();
	}
}

static void stacks(void)
{
	static struct counting c = {
		.name = "stacks", .probe = "call:getpriority", .rows = 64, .aggregate = "count(), hist(who) by who, stack, ustack",
	};
	const uint64_t *k[2] = { NULL }, *u[2] = { NULL }, *frames;
	const struct ctrace_look_row *row;
	struct ctrace_look *l;
	uint64_t n[2] = { 0 };
	int rows[2] = { 0 };
	uint32_t len;

	counting_new(&c);
	if (target_pid(c.s, (uint32_t)getpid()))
		ksft_exit_fail_msg("target: %s\n", ctrace_errmsg(ct));
	counting_begin(&c, 0);
	/* one place to call from: a loop of its own for each would be another stack */
	from_all_cpus(one_way, 100);
	from_all_cpus(other_way, 50);
	l = look(c.a);
	for (size_t i = 0; (row = ctrace_look_row(l, i)); i++) {
		const struct ctrace_table *t = ctrace_aggregate_table(c.a);
		uint64_t who = row->key[t->keys[0].at] - 1;

		if (who > 1 || row->other)
			continue;
		rows[who]++;
		n[who] += row->values[0];
		frames = ctrace_row_stack(l, row, 1, &len);
		k[who] = frames && len > 1 ? frames : k[who];
		frames = ctrace_row_stack(l, row, 2, &len);
		u[who] = frames && len ? frames : u[who];
	}
	ksft_test_result(n[0] == sh->made[0][0] && n[1] == sh->made[0][1], "%llu calls and %llu\n", (unsigned long long)n[0],
			 (unsigned long long)n[1]);
	ksft_test_result(rows[0] == 1 && rows[1] == 1, "one stack each, whatever the CPU: %d, %d\n", rows[0], rows[1]);
	ksft_test_result(u[0] && u[1] && u[0] != u[1], "two places in the program\n");
	ksft_test_result(k[0] && k[0] == k[1], "one in the kernel\n");
	ctrace_look_free(l);
	counting_judge(&c, n[0] + n[1]);
}

/* --- memory ------------------------------------------------------------------------------ */

static void memory(void)
{
	struct ctrace_probe_opts o = { .sz = sizeof(o), .aggregate = "count() by stack", .rows = 64 };
	struct ctrace_reader_opts host = { .sz = sizeof(host), .flags = CTRACE_READER_CID, .cid = CTRACE_CID_HOST };
	struct ctrace_session_opts so = { .sz = sizeof(so), .table_size = 1 << 20 };
	struct ctrace_aggregate_info i = { 0 }, first;
	struct ctrace_reader *view, *r;
	struct ctrace_session *s;
	struct ctrace_aggregate *a;
	int err;

	if (ctrace_session_new(ct, &so, &s) || ctrace_reader_open(s, &host, &view))
		ksft_exit_fail_msg("session: %s\n", ctrace_errmsg(ct));
	ksft_test_result(ctrace_aggregate_open(view, 0, &a) == -ENOENT, "a view has no tables\n");
	err = ctrace_aggregate_add(s, "sched_switch", &o, &i, sizeof(i));
	ksft_test_result(err == -EBUSY && !used(s), "refused beside a view: %d, and %llu bytes are taken\n", err,
			 (unsigned long long)used(s));
	o.aggregate = "count() by prev_comm";
	err = ctrace_aggregate_add(s, "sched_switch", &o, &first, sizeof(first));
	ksft_test_result(!err && used(s), "another one in its place: %d, %llu bytes\n", err, (unsigned long long)used(s));
	ksft_test_result(!ctrace_reader_open(s, NULL, &r) && !ctrace_aggregate_open(r, first.table, &a) &&
			 first.rows == 64 && ctrace_aggregate_table(a)->nrows == 64 && ctrace_aggregate_table(a)->nkeys == 1,
			 "it can be opened\n");
	ksft_test_result(ctrace_aggregate_open(view, first.table, &a) == -ENOENT, "not by the view\n");
	o.rows = 1 << 16;
	err = ctrace_aggregate_add(s, "sched_wakeup", &o, &i, sizeof(i));
	ksft_test_result(err == -EINVAL && strstr(ctrace_errmsg(ct), "prev_comm"), "a field of another event: %s\n", ctrace_errmsg(ct));
	o.aggregate = "count() by $comm, $tid, $cpu";
	err = ctrace_aggregate_add(s, "sched_wakeup", &o, &i, sizeof(i));
	ksft_test_result(err == -ENOSPC, "no room for it: %s\n", ctrace_errmsg(ct));
	o.rows = 1;
	err = ctrace_aggregate_add(s, "sched_wakeup", &o, &i, sizeof(i));
	ksft_test_result(!err && i.table > first.table && i.rows == 1, "room for a small one: %d\n", err);
	ctrace_reader_close(r);
	ctrace_reader_close(view);
	ctrace_session_free(s);
}

/* --- for scripts ------------------------------------------------------------------------- */

static int sum(int seconds, const char *probe, const char *aggregate, const char *rows)
{
	struct counting c = { .name = "", .probe = probe, .aggregate = aggregate, .rows = rows ? (uint32_t)atoi(rows) : 0 };
	struct ctrace_look_account acc;
	struct ctrace_look *l;

	counting_new(&c);
	if (ctrace_target_add(c.s, NULL, NULL))
		ksft_exit_fail_msg("target: %s\n", ctrace_errmsg(ct));
	counting_begin(&c, 0);
	fprintf(stderr, "counting\n");
	if (seconds)
		sleep((unsigned int)seconds);
	else if (getchar() == EOF)
		fprintf(stderr, "end\n");
	ctrace_session_stop(c.s);
	l = look(c.a);
	ctrace_look_account(l, &acc, sizeof(acc));
	printf("%llu %llu %llu\n", (unsigned long long)counting_sum(&c, NULL), (unsigned long long)hist_sum(l, c.a),
	       (unsigned long long)acc.lost);
	return 0;
}

static int add(char **argv)
{
	struct ctrace_probe_opts o = { .sz = sizeof(o), .aggregate = argv[1] };
	struct ctrace_session_opts so = { .sz = sizeof(so), .table_size = 8 << 20 };
	struct ctrace_aggregate_info i;
	struct ctrace_session *s;

	if (argv[2])
		o.rows = (uint32_t)strtoul(argv[2], NULL, 0);
	if (argv[2] && argv[3])
		so.table_size = strtoull(argv[3], NULL, 0);
	if (argv[2] && argv[3] && argv[4])
		o.flags = (uint32_t)strtoul(argv[4], NULL, 0);
	if (!strcmp(o.aggregate, "-"))
		o.aggregate = NULL;
	if (ctrace_session_new(ct, &so, &s) ||
	    (o.aggregate ? ctrace_aggregate_add(s, argv[0], &o, &i, sizeof(i)) : ctrace_probe_add(s, argv[0], &o, NULL, NULL))) {
		fprintf(stderr, "%s\n", ctrace_errmsg(ct));
		return 1;
	}
	return 0;
}

static void hold(void)
{
	static struct counting c = { .name = "", .probe = "sched_switch", .aggregate = "count() by $comm, stack", .rows = 8192 };

	counting_new(&c);
	if (ctrace_target_add(c.s, NULL, NULL))
		ksft_exit_fail_msg("target: %s\n", ctrace_errmsg(ct));
	counting_begin(&c, 0);
	while (!counting_sum(&c, NULL))
		usleep(1000);
	printf("holding\n");
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int seconds = argc > 2 ? atoi(argv[2]) : 3;

	setpriority(PRIO_PROCESS, 0, -5);
	if (tables_init())
		return 1;
	if (!strcmp(mode, "sum") && argc > 4)
		return sum(seconds, argv[3], argv[4], argv[5]);
	if (!strcmp(mode, "add") && argc > 3)
		return add(argv + 2);
	if (!strcmp(mode, "hold"))
		hold();
	ksft_print_header();
	if (!strcmp(mode, "storm")) {
		ksft_set_plan(3 * 2 + 3 * 4 + 2 + 1 + 2 * 2 + 2);
		storm(seconds);
	} else if (!strcmp(mode, "churn")) {
		ksft_set_plan(1 + 2 * (2 + 4));
		churn(seconds);
	} else if (!strcmp(mode, "stacks")) {
		ksft_set_plan(4 + 2);
		stacks();
	} else if (!strcmp(mode, "memory")) {
		ksft_set_plan(8);
		memory();
	} else {
		ksft_exit_fail_msg("usage: see the head of tables.c\n");
	}
	ksft_finished();
}
