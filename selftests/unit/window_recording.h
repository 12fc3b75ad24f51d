/* SPDX-License-Identifier: GPL-2.0-only */
/* The recording of window_test.c, which includes all that this needs. */
#ifndef CTRACE_SELFTEST_WINDOW_RECORDING_H
#define CTRACE_SELFTEST_WINDOW_RECORDING_H

static char *data[CPUS];
static struct ctrace_run runs[CPUS];

int __wrap_ctrace_reader_runs(struct ctrace_reader *r, ctrace_run_fn fn, ctrace_run_done_fn done, void *arg);

int __wrap_ctrace_reader_runs(struct ctrace_reader *r, ctrace_run_fn fn, ctrace_run_done_fn done, void *arg)
{
	(void)r;
	for (int cpu = 0; cpu < CPUS; cpu++) {
		if (!runs[cpu].count)
			continue;
		if (!fn(&runs[cpu], arg))
			done(&runs[cpu], true, arg);
		runs[cpu].count = 0;
		runs[cpu].len = 0;
	}
	return 0;
}

static void add(int cpu, const struct made *m)
{
	struct ctrace_run *r = &runs[cpu];

	data[cpu] = realloc(data[cpu], r->len + m->rec.len);
	memcpy(data[cpu] + r->len, m->raw, m->rec.len);
	r->time_begin = r->count ? r->time_begin : m->rec.time;
	r->time_end = m->rec.time;
	r->slot = r->cpu = (uint32_t)cpu;
	r->cid = CTRACE_CID_ALL;
	r->len += m->rec.len;
	r->count++;
}

static void flush(struct ctf *ctf)
{
	for (int cpu = 0; cpu < CPUS; cpu++) {
		const char *at = runs[cpu].data = data[cpu];

		for (uint32_t i = 0; i < runs[cpu].count; i++, at += runs[cpu].last->len)
			runs[cpu].last = (const void *)at;
	}
	ctf_drain(ctf, NULL);
}

static void type(struct ctrace_schema *s, uint32_t id, const char *name, const struct ctrace_field *f, uint32_t n)
{
	const struct ctrace_event_type t = {
		.id = id, .name = name, .system = "sched", .source = "x", .nfields = n, .fields = f,
	};

	check_eq(ctrace_schema_add(s, &t, sizeof(t)), 0);
}

#define DURATION	{ "duration", CTRACE_FK_UINT, 0, 8 }

static struct ctrace_schema *types(void)
{
	static const struct ctrace_field run[] = { DURATION, { "comm", CTRACE_FK_TEXT, 0, 16 } };
	static const struct ctrace_field wait[] = { DURATION };
	static const struct ctrace_field blame[] = {
		DURATION, { "culprit", CTRACE_FK_UINT, 0, 4 }, { "culprit_cid", CTRACE_FK_UINT, 0, 4 },
		{ "reason", CTRACE_FK_UINT, 0, 4 }, { "culprit_comm", CTRACE_FK_TEXT, 0, 16 },
	};
	static const struct ctrace_field block[] = {
		DURATION, { "state", CTRACE_FK_UINT, 0, 4 }, { "iowait", CTRACE_FK_UINT, 0, 4 },
		{ "syscall", CTRACE_FK_INT, 0, 4 }, { "comm", CTRACE_FK_TEXT, 0, 16 },
		{ "waker_cid", CTRACE_FK_UINT, 0, 4 }, { "arg", CTRACE_FK_INT, 0, 4 },
	};
	static const struct ctrace_field read[] = {
		DURATION, { "ret", CTRACE_FK_INT, 0, 8 }, { "marks", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 },
		{ "fd", CTRACE_FK_UINT, 0, 8 }, { "buf", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 }, { "count", CTRACE_FK_UINT, 0, 8 },
	};
	static const struct ctrace_field fork[] = {
		{ "parent_comm", CTRACE_FK_TEXT, 0, 16 }, { "parent_tid", CTRACE_FK_INT, 0, 4 }, { "parent_pid", CTRACE_FK_INT, 0, 4 },
		{ "child_comm", CTRACE_FK_TEXT, 0, 16 }, { "child_tid", CTRACE_FK_INT, 0, 4 }, { "child_pid", CTRACE_FK_INT, 0, 4 },
	};
	struct ctrace_schema *s = make_schema();

	type(s, CTRACE_ID_SCHED_RUN, "sched_run", run, ARRAY_SIZE(run));
	type(s, CTRACE_ID_SCHED_WAIT, "sched_wait", wait, ARRAY_SIZE(wait));
	type(s, CTRACE_ID_SCHED_BLAME, "sched_blame", blame, ARRAY_SIZE(blame));
	type(s, CTRACE_ID_SCHED_BLOCK, "sched_block", block, ARRAY_SIZE(block));
	type(s, CTRACE_ID_SCHED_PROCESS_FORK, "sched_process_fork", fork, ARRAY_SIZE(fork));
	type(s, CTRACE_ID_CALL, "syscall_read", read, ARRAY_SIZE(read));
	return s;
}

/* Thread 10 + t of container 1 + t, t of 0 and 1: it runs, sleeps, and waits while another and then the host has its CPU. */
enum { RUN, SLEEP, NEIGHBOUR, HOST, KINDS };
struct span {
	uint64_t from, to;
};
static struct span spans[2][CYCLES][KINDS];

static void plan(int t)
{
	uint64_t at = BEGAN;

	for (int i = 0; i < CYCLES; i++) {
		uint64_t part[KINDS] = { 1000000 + (uint64_t)(i * 7919 + t * 104729) % 3000000, 2000000, 1500000 };

		part[HOST] = CYCLE - part[RUN] - part[SLEEP] - part[NEIGHBOUR];
		for (int k = 0; k < KINDS; k++) {
			spans[t][i][k] = (struct span){ at, at + part[k] };
			at += part[k];
		}
	}
}

static uint64_t length(const struct span *s)
{
	return s->to - s->from;
}

static void make_part(struct made *m, int t, uint64_t time, const struct span *s, uint32_t culprit, uint32_t cid)
{
	make(m, time, CTRACE_ID_SCHED_BLAME, 1 + (uint32_t)t, 10 + t, 1);
	put_int(m, length(s), 8);
	put_int(m, culprit, 4);
	put_int(m, cid, 4);
	put_int(m, CTRACE_WAIT_PREEMPTED, 4);
	put_text(m, "sh", 16);
	add(t, m);
}

static void make_cycle(int t, int i)
{
	const struct span *s = spans[t][i];
	struct made m;

	make(&m, s[RUN].to, CTRACE_ID_SCHED_RUN, 1 + (uint32_t)t, 10 + t, 1);
	put_int(&m, length(&s[RUN]), 8);
	put_text(&m, "work", 16);
	add(t, &m);
	make(&m, s[SLEEP].to, CTRACE_ID_SCHED_BLOCK, 1 + (uint32_t)t, 10 + t, 1);
	put_int(&m, length(&s[SLEEP]), 8);
	put_int(&m, 1, 4);
	put_int(&m, 0, 4);
	put_int(&m, 0, 4);
	put_text(&m, "work", 16);
	put_int(&m, 0, 4);
	put_int(&m, 3, 4);
	add(t, &m);
	/* the last part first, a little after the wait's end */
	make_part(&m, t, s[HOST].to + 100, &s[HOST], CTRACE_CULPRIT_HOST, 0);
	make_part(&m, t, s[HOST].to + 250, &s[NEIGHBOUR], CTRACE_CULPRIT_NEIGHBOUR, 2 - (uint32_t)t);
	make(&m, s[HOST].to + 400, CTRACE_ID_SCHED_WAIT, 1 + (uint32_t)t, 10 + t, 1);
	put_int(&m, s[HOST].to - s[NEIGHBOUR].from, 8);
	add(t, &m);
	make_read(&m, s[HOST].to + 500, 1 + (uint32_t)t, 10 + t);
	add(t, &m);
	/* it returns in the next cycle, on the other CPU's stream if that one's records are not written yet */
	make_exit(&m, s[HOST].to + 900 + (uint64_t)(i % 2) * 700, 0, 1 + (uint32_t)t, 10 + t, i % 5 ? 10 : -11);
	add(t, &m);
}

static char dir[] = "/tmp/ctrace-window-XXXXXX";
static int64_t offset;

/* What the module says of threads that sleep all the time, and of one that sleeps until the middle. */
static const char threads[] =
"{\"looked\":%llu,\"threads\":["
"{\"cid\":1,\"tid\":10,\"start\":5,\"seen\":%llu,\"old\":true,\"first\":\"unknown\",\"last\":\"unknown\",\"ran_first\":0,\"ran\":0},"
"{\"cid\":1,\"tid\":20,\"start\":5,\"seen\":%llu,\"old\":true,\"first\":\"slept\",\"last\":\"slept\",\"ran_first\":0,\"ran\":0},"
"{\"cid\":1,\"tid\":21,\"start\":%llu,\"seen\":%llu,\"old\":false,\"first\":\"network\",\"last\":\"locks\",\"ran_first\":0,\"ran\":0},"
"{\"cid\":1,\"tid\":22,\"start\":5,\"seen\":%llu,\"old\":true,\"first\":\"unknown\",\"last\":\"unknown\",\"ran_first\":7,\"ran\":1000000007}"
"]}\n";
#define BORN	(BEGAN + 777777777)	/* thread 21 */
#define WOKE	(BEGAN + 3333333333)	/* thread 23: it slept since SLEPT */
#define SLEPT	(BEGAN + 111111111)

static void record(void)
{
	struct ctrace_schema *schema = types();
	struct ctable *table = ctable_new(NULL);
	struct sbuf b = { 0 };
	struct side_info info;
	struct ctf *ctf;
	struct made m;

	check(mkdtemp(dir) != NULL);
	ctable_add(table, &(struct ctrace_container){ .cid = 1, .path = "/x" }, "one", "podman", true);
	ctable_add(table, &(struct ctrace_container){ .cid = 2, .path = "/y" }, "two", "podman", true);
	ctf = ctf_create(dir, schema, table, NULL);
	check(ctf != NULL);
	plan(0);
	plan(1);
	for (int i = 0; i < CYCLES; i++) {
		for (int t = 0; t < CPUS; t++)
			make_cycle(t, i);
		if (i == 50) {
			make(&m, spans[0][i][HOST].to + 2000, CTRACE_ID_SCHED_PROCESS_FORK, 1, 10, 1);
			put_text(&m, "work", 16);
			put_int(&m, 10, 4);
			put_int(&m, 10, 4);
			put_text(&m, "child", 16);
			put_int(&m, 23, 4);
			put_int(&m, 23, 4);
			add(0, &m);
		}
		if (spans[0][i][RUN].from < WOKE && spans[0][i][HOST].to >= WOKE) {
			/* in order of time in the stream: its turn comes after this cycle's events */
			make(&m, spans[0][i][HOST].to + 3000, CTRACE_ID_SCHED_BLOCK, 1, 23, 1);
			put_int(&m, spans[0][i][HOST].to + 3000 - SLEPT, 8);
			put_int(&m, 1, 4);
			put_int(&m, 0, 4);
			put_int(&m, 0, 4);
			put_text(&m, "child", 16);
			put_int(&m, 0, 4);
			put_int(&m, 3, 4);
			add(0, &m);
		}
		if (i % 20 == 19)
			flush(ctf);
	}
	sbuf_printf(&b, threads, ENDED, ENDED, ENDED, BORN, ENDED, ENDED);
	ctf_side(ctf, CTRACE_CTF_THREADS, &b);
	sbuf_reset(&b);
	sbuf_printf(&b, "{\"began\":%llu,\"ended\":%llu,\"events\":[{\"name\":\"sched_run\"},{\"name\":\"sched_wait\"},"
		    "{\"name\":\"sched_blame\"},{\"name\":\"sched_block\"},{\"name\":\"syscalls\"},"
		    "{\"name\":\"sched_process_fork\"}]}\n", BEGAN, ENDED + 5000);
	ctf_side(ctf, CTRACE_CTF_ASKED, &b);
	check_eq(ctf_close(ctf), CLI_OK);
	ctable_free(table);
	ctrace_schema_free(schema);
	schema = ctrace_schema_new();
	check_eq(side_load_schema(dir, schema, &info), 0);
	offset = info.clock_offset;
	ctrace_schema_free(schema);
}

#endif
