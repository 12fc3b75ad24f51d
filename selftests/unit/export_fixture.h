/* SPDX-License-Identifier: GPL-2.0-only */
/* A machine of a few CPUs that switch between tasks of four containers and make calls, recorded; and what must come out. */
#ifndef CTRACE_SELFTEST_EXPORT_FIXTURE_H
#define CTRACE_SELFTEST_EXPORT_FIXTURE_H

#include "recording_fixture.h"
#include "export/export.h"

#define TASKS		8
#define STEPS		3000u
#define CIDS		4

static struct {
	uint64_t calls[CIDS + 2], failed[CIDS + 2], ran[CIDS + 2], ios[CIDS + 2], switches, samples, first, last;
} must;

static struct ctrace_schema *machine_types(void)
{
	static const struct ctrace_field sw[] = {
		{ "prev_comm", CTRACE_FK_TEXT, 0, 16 }, { "prev_tid", CTRACE_FK_INT, 0, 4 }, { "prev_prio", CTRACE_FK_INT, 0, 4 },
		{ "prev_state", CTRACE_FK_INT, 0, 8 }, { "next_comm", CTRACE_FK_TEXT, 0, 16 }, { "next_tid", CTRACE_FK_INT, 0, 4 },
		{ "next_prio", CTRACE_FK_INT, 0, 4 }, { "prev_cid", CTRACE_FK_UINT, 0, 4 }, { "next_cid", CTRACE_FK_UINT, 0, 4 },
	};
	static const struct ctrace_field state[] = {
		{ "tid", CTRACE_FK_INT, 0, 4 }, { "vtid", CTRACE_FK_INT, 0, 4 }, { "pid", CTRACE_FK_INT, 0, 4 },
		{ "vpid", CTRACE_FK_INT, 0, 4 }, { "name", CTRACE_FK_TEXT, 0, 16 },
	};
	static const struct ctrace_field io[] = {
		{ "duration", CTRACE_FK_UINT, 0, 8 }, { "bytes", CTRACE_FK_UINT, 0, 8 },
	};
	static const struct ctrace_field sample[] = {
		{ "ip", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 }, { "user", CTRACE_FK_UINT, 0, 4 },
		{ "callstack_kernel", CTRACE_FK_SEQ, CTRACE_FD_HEX, 8 }, { "hz", CTRACE_FK_UINT, 0, 4 },
		{ "callstack_user", CTRACE_FK_SEQ, CTRACE_FD_HEX, 8 },
	};
	struct ctrace_schema *s = all_types();

	add_type(s, CTRACE_ID_SCHED_SWITCH, "sched", "sched_switch", sw, 9);
	add_type(s, CTRACE_ID_STATEDUMP_PROCESS_STATE, "ctrace", "lttng_statedump_process_state", state, 5);
	add_type(s, CTRACE_ID_BLOCK_IO, "block", "block_io", io, 2);
	add_type(s, CTRACE_ID_CPU_SAMPLE, "ctrace", "cpu_sample", sample, 5);
	return s;
}

/* Tasks 101 to 108; two of each container, 1 to 4. The first of the two leads the process of both. */
static uint32_t cid_of(int32_t tid)
{
	return tid ? 1 + (uint32_t)(tid - 101) / 2 : 0;
}

static int32_t pid_of(int32_t tid)
{
	return tid - (tid - 101) % 2;
}

static void put_comm(struct made *m, const char *name)
{
	char text[16] = "";

	snprintf(text, sizeof(text), "%s", name);
	put_name(m, text);
}

static void dump_tasks(uint64_t time)
{
	struct made m;

	for (int32_t tid = 101; tid <= 100 + TASKS; tid++) {
		make(&m, time, CTRACE_ID_STATEDUMP_PROCESS_STATE, cid_of(tid), tid, tid - 100);
		put_int(&m, (uint64_t)tid, 4);
		put_int(&m, (uint64_t)(tid - 100), 4);
		put_int(&m, (uint64_t)pid_of(tid), 4);
		put_int(&m, (uint64_t)(pid_of(tid) - 100), 4);
		put_comm(&m, "worker");
		add(0, &m);
	}
	make(&m, time, CTRACE_ID_STATEDUMP_END, 0, 0, 0);
	finish(&m);
	add(0, &m);
}

static struct {
	int32_t tid;
	uint64_t since;
} on[CPUS];
static bool in_call[TASKS + 2];

static void make_switch(struct made *m, uint64_t time, int32_t prev, int32_t next)
{
	make(m, time, CTRACE_ID_SCHED_SWITCH, cid_of(prev ? prev : next), prev, prev ? prev - 100 : 0);
	put_comm(m, prev ? "worker" : "swapper");
	put_int(m, (uint64_t)prev, 4);
	put_int(m, 120, 4);
	put_int(m, draw(2), 8);
	put_comm(m, next ? "worker" : "swapper");
	put_int(m, (uint64_t)next, 4);
	put_int(m, 120, 4);
	put_int(m, cid_of(prev), 4);
	put_int(m, cid_of(next), 4);
}

static void do_switch(uint64_t time, uint32_t cpu)
{
	int32_t next = (int32_t)draw(3) ? 101 + (int32_t)draw(TASKS) : 0;
	struct made m;

	for (uint32_t i = 0; i < CPUS; i++)
		if (on[i].tid == next && next)
			next = 0;
	if (next == on[cpu].tid)
		return;
	make_switch(&m, time, on[cpu].tid, next);
	add(cpu, &m);
	if (on[cpu].since)
		must.ran[cid_of(on[cpu].tid)] += time - on[cpu].since;
	must.switches++;
	on[cpu].tid = next;
	on[cpu].since = time;
}

static void do_call(uint64_t time, uint32_t cpu)
{
	int32_t tid = on[cpu].tid;
	bool *in = &in_call[tid - 100];
	struct event e = { .time = time, .cid = cid_of(tid), .tid = tid, .duration = 1, .ret = draw(4) ? 3 : -2,
			   .id = draw(2) ? CALL(0) : CALL(257) };
	struct made m;

	if (*in) {
		/* some calls return without their number */
		make(&m, time, time % 8 ? EXIT(0) : CTRACE_ID_SYS_EXIT_UNKNOWN, e.cid, tid, tid - 100);
		if (time % 8 == 0)
			put_int(&m, (uint64_t)-1, 8);
		put_int(&m, (uint64_t)e.ret, 8);
		must.failed[e.cid] += e.ret < 0;
		*in = false;
	} else if (draw(2)) {
		make_read(&m, time, e.cid, tid);
		*in = true;
		must.calls[e.cid]++;
	} else {
		make_whole(&m, &e);
		must.calls[e.cid]++;
		must.failed[e.cid] += e.ret < 0;
	}
	add(cpu, &m);
}

/* Ends now, began up to 100 steps before: they overlap. */
static void do_io(uint64_t time, uint32_t cpu)
{
	uint32_t cid = 1 + draw(CIDS);
	struct made m;

	make(&m, time, CTRACE_ID_BLOCK_IO, cid, 0, 0);
	put_int(&m, 1 + draw(100000), 8);
	put_int(&m, 4096, 8);
	add(cpu, &m);
	must.ios[cid]++;
}

static void do_sample(uint64_t time, uint32_t cpu)
{
	int32_t tid = on[cpu].tid;
	struct made m;

	make(&m, time, CTRACE_ID_CPU_SAMPLE, cid_of(tid), tid, tid - 100);
	put_int(&m, 0x1000, 8);
	put_int(&m, 1, 4);
	put_int(&m, 0, 4);	/* no kernel's frames: a sequence begins with its length */
	put_int(&m, 99, 4);
	put_int(&m, 2, 4);
	put_int(&m, 0x1000 + draw(64), 8);
	put_int(&m, 0x2000, 8);
	add(cpu, &m);
	must.samples++;
}

/* Writes after each STEPS steps, until the recording is that large. */
static void run_large(uint64_t s, uint64_t bytes)
{
	uint64_t time = 1000000;

	memset(&must, 0, sizeof(must));
	memset(on, 0, sizeof(on));
	memset(in_call, 0, sizeof(in_call));
	begin_with(s, machine_types());
	must.first = time;
	dump_tasks(time);
	for (uint32_t i = 0; i < STEPS || ctf_info(ctf).bytes < bytes; i++) {
		uint32_t cpu = draw(CPUS), what = draw(8);

		time += 1 + draw(5000);
		if (what < 3 || !on[cpu].tid)
			do_switch(time, cpu);
		else if (what < 6)
			do_call(time, cpu);
		else if (what < 7)
			do_io(time, cpu);
		else
			do_sample(time, cpu);
		must.last = time;
		if (!((i + 1) % STEPS))
			flush();
	}
	end(NULL);
}

static inline void run_machine(uint64_t s)
{
	run_large(s, 0);
}

#endif
