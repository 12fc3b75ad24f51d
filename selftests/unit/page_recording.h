/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recording of page_test.c: six seconds of four containers. In the fourth one, db takes web's CPU; batch waits for a
 * disk all the time; the names of the last container, and of its task and files, are as bad as names can be.
 */
#ifndef CTRACE_SELFTEST_PAGE_RECORDING_H
#define CTRACE_SELFTEST_PAGE_RECORDING_H

#include "export_fixture.h"

#define BEGAN		(1000ull * NSEC_PER_SEC)
#define ENDED		(BEGAN + 6 * NSEC_PER_SEC)
#define MSEC		1000000ull
enum { WEB = 5, DB, BATCH, EVIL };

/* As a container, a program or a file may be called. */
#define EVIL_NAME	"</script><script>alert(1)</script>\342\200\250\342\200\256<!--<b>'\"&"

#define DURATION	{ "duration", CTRACE_FK_UINT, 0, 8 }

static struct ctrace_schema *page_types(void)
{
	static const struct ctrace_field run[] = { DURATION, { "comm", CTRACE_FK_TEXT, 0, 16 } };
	static const struct ctrace_field blame[] = {
		DURATION, { "culprit", CTRACE_FK_UINT, 0, 4 }, { "culprit_cid", CTRACE_FK_UINT, 0, 4 },
		{ "reason", CTRACE_FK_UINT, 0, 4 }, { "culprit_comm", CTRACE_FK_TEXT, 0, 16 },
	};
	static const struct ctrace_field block[] = {
		DURATION, { "state", CTRACE_FK_UINT, 0, 4 }, { "iowait", CTRACE_FK_UINT, 0, 4 },
		{ "syscall", CTRACE_FK_INT, 0, 4 }, { "comm", CTRACE_FK_TEXT, 0, 16 },
		{ "waker_cid", CTRACE_FK_UINT, 0, 4 }, { "arg", CTRACE_FK_INT, 0, 4 },
	};
	static const struct ctrace_field throttled[] = { DURATION, { "cgroup_id", CTRACE_FK_UINT, 0, 8 } };
	static const struct ctrace_field tcp[] = {
		DURATION, { "tx_bytes", CTRACE_FK_UINT, 0, 8 }, { "rx_bytes", CTRACE_FK_UINT, 0, 8 },
	};
	static const struct ctrace_field sample[] = {
		{ "ip", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 }, { "user", CTRACE_FK_UINT, 0, 4 },
		{ "callstack_kernel", CTRACE_FK_SEQ, CTRACE_FD_HEX, 8 }, { "hz", CTRACE_FK_UINT, 0, 4 },
		{ "callstack_user", CTRACE_FK_SEQ, CTRACE_FD_HEX, 8 },
	};
	static const struct ctrace_field io[] = { DURATION, { "bytes", CTRACE_FK_UINT, 0, 8 } };
	static const struct ctrace_field sleep[] = {
		DURATION, { "ret", CTRACE_FK_INT, 0, 8 }, { "marks", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 },
	};
	struct ctrace_schema *s = all_types();

	add_type(s, CTRACE_ID_SCHED_RUN, "sched", "sched_run", run, ARRAY_SIZE(run));
	add_type(s, CTRACE_ID_SCHED_BLAME, "sched", "sched_blame", blame, ARRAY_SIZE(blame));
	add_type(s, CTRACE_ID_SCHED_BLOCK, "sched", "sched_block", block, ARRAY_SIZE(block));
	add_type(s, CTRACE_ID_CPU_THROTTLED, "sched", "cpu_throttled", throttled, ARRAY_SIZE(throttled));
	add_type(s, CTRACE_ID_BLOCK_IO, "block", "block_io", io, ARRAY_SIZE(io));
	add_type(s, CTRACE_ID_TCP_LIFE, "sock", "tcp_life", tcp, ARRAY_SIZE(tcp));
	add_type(s, CTRACE_ID_CPU_SAMPLE, "ctrace", "cpu_sample", sample, ARRAY_SIZE(sample));
	add_type(s, CALL(35), "syscalls", "syscall_nanosleep", sleep, ARRAY_SIZE(sleep));
	return s;
}

/* --- events, put into order of time before they are written --- */

struct kept {
	uint64_t time;
	size_t at, len;
};
static struct kept *kept;
static char *bytes;
static size_t nkept, nbytes, room;

static void keep(const struct made *m)
{
	if (nbytes + m->rec.len > room) {
		room = 2 * room + 65536;
		bytes = realloc(bytes, room);
		kept = realloc(kept, room / sizeof(struct ctrace_record) * sizeof(kept[0]));
	}
	memcpy(bytes + nbytes, m->raw, m->rec.len);
	kept[nkept++] = (struct kept){ m->rec.time, nbytes, m->rec.len };
	nbytes += m->rec.len;
}

static int by_time(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time ? 1 : x->at < y->at ? -1 : x->at > y->at;
}

static void write_kept(void)
{
	static struct made m;

	qsort(kept, nkept, sizeof(kept[0]), by_time);
	for (size_t i = 0; i < nkept; i++) {
		memcpy(m.raw, bytes + kept[i].at, kept[i].len);
		add(0, &m);
		if (i % 500 == 499)
			flush();
	}
	free(kept);
	free(bytes);
	kept = NULL;
	bytes = NULL;
	nkept = nbytes = room = 0;
}

static struct made *at(uint64_t to, uint32_t id, uint32_t cid, int32_t tid)
{
	static struct made m;

	return make(&m, to, id, cid, tid, 1);
}

static void does_run(uint64_t from, uint64_t to, uint32_t cid, int32_t tid, const char *comm)
{
	struct made *m = at(to, CTRACE_ID_SCHED_RUN, cid, tid);

	put_int(m, to - from, 8);
	put_comm(m, comm);
	keep(m);
}

static void does_wait(uint64_t from, uint64_t to, uint32_t cid, int32_t tid, uint32_t culprit, uint32_t of, const char *comm)
{
	struct made *m = at(to, CTRACE_ID_SCHED_BLAME, cid, tid);

	put_int(m, to - from, 8);
	put_int(m, culprit, 4);
	put_int(m, of, 4);
	put_int(m, CTRACE_WAIT_PREEMPTED, 4);
	put_comm(m, comm);
	keep(m);
	m = at(to, CTRACE_ID_SCHED_WAIT, cid, tid);
	put_int(m, to - from, 8);
	put_int(m, 120, 4);
	put_comm(m, "worker");
	keep(m);
}

/* nr: the call that it sleeps in */
static void does_sleep(uint64_t from, uint64_t to, uint32_t cid, int32_t tid, bool disk, int32_t nr)
{
	struct made *m = at(to, CTRACE_ID_SCHED_BLOCK, cid, tid);

	put_int(m, to - from, 8);
	put_int(m, disk ? 2 : 1, 4);
	put_int(m, disk, 4);
	put_int(m, (uint64_t)nr, 4);
	put_comm(m, "worker");
	put_int(m, 0, 4);
	put_int(m, 3, 4);
	keep(m);
}

static void does_open(uint64_t from, uint64_t to, uint32_t cid, int32_t tid, const char *path, int64_t ret)
{
	struct made *m = at(to, CALL(257), cid, tid);

	put_int(m, to - from, 8);
	put_int(m, (uint64_t)ret, 8);
	put_int(m, 0, 8);
	put_int(m, (uint64_t)-100, 8);
	put_string(m, path);
	put_int(m, 0, 8);
	put_int(m, 0644, 8);
	keep(m);
}

static void does_nap(uint64_t from, uint64_t to, uint32_t cid, int32_t tid)
{
	struct made *m = at(to, CALL(35), cid, tid);

	put_int(m, to - from, 8);
	put_int(m, 0, 8);
	put_int(m, 0, 8);
	keep(m);
}

static void does_io(uint64_t from, uint64_t to, uint32_t cid, uint64_t size)
{
	struct made *m = at(to, CTRACE_ID_BLOCK_IO, cid, 0);

	put_int(m, to - from, 8);
	put_int(m, size, 8);
	keep(m);
}

static void does_sample(uint64_t time, uint32_t cid, int32_t tid, uint64_t where)
{
	struct made *m = at(time, CTRACE_ID_CPU_SAMPLE, cid, tid);

	put_int(m, 0x1000, 8);
	put_int(m, 1, 4);
	put_int(m, 1 + where % 2, 4);
	put_int(m, 0xffffffff81000000 + 64 * (where % 5), 8);
	if (where % 2)
		put_int(m, 0xffffffff81100000, 8);
	put_int(m, 99, 4);
	put_int(m, 2, 4);
	put_int(m, 0x401000 + 64 * where, 8);
	put_int(m, 0x400000, 8);
	keep(m);
}

static void is_named(int32_t tid, uint32_t cid, const char *comm)
{
	struct made *m = at(BEGAN, CTRACE_ID_STATEDUMP_PROCESS_STATE, cid, tid);

	put_int(m, (uint64_t)tid, 4);
	put_int(m, (uint64_t)tid, 4);
	put_comm(m, comm);
	keep(m);
}

/* --- the six seconds, in cycles of 20 ms --- */

static void cycle(uint64_t t, int i)
{
	bool bad = i >= 150 && i < 200;		/* the fourth second */
	uint64_t run = bad ? 2 * MSEC : 6 * MSEC, wait = bad ? 16 * MSEC : MSEC;

	does_run(t, t + run, WEB, 51, "nginx");
	does_wait(t + run, t + run + wait, WEB, 51, CTRACE_CULPRIT_NEIGHBOUR, DB, "postgres");
	/* of two waits in one part of time, the first is longer */
	does_wait(t + run + wait, t + run + wait + MSEC / 4, WEB, 51, CTRACE_CULPRIT_SELF, 0, "nginx");
	does_sleep(t + run + wait + MSEC / 4, t + 20 * MSEC, WEB, 51, false, 35);
	does_open(t + MSEC, t + MSEC + 90000 + 7000 * draw(9), WEB, 51, "/etc/nginx.conf", i % 7 ? 3 : -2);
	does_nap(t + run + wait + MSEC / 4, t + 20 * MSEC, WEB, 51);
	does_run(t, t + (bad ? 18 : 4) * MSEC, DB, 61, "postgres");
	does_wait(t + (bad ? 18 : 4) * MSEC, t + (bad ? 19 : 5) * MSEC, DB, 61, CTRACE_CULPRIT_SELF, 0, "postgres");
	does_run(t + 5 * MSEC, t + 7 * MSEC, BATCH, 71, "tar");
	does_sleep(t + 7 * MSEC, t + 20 * MSEC, BATCH, 71, true, 0);
	does_io(t + 7 * MSEC, t + 8 * MSEC + draw(12) * MSEC, BATCH, 65536);
	does_run(t + 9 * MSEC, t + 10 * MSEC, CTRACE_CID_HOST, 90, "ctrace");
	does_wait(t + 8 * MSEC, t + 9 * MSEC, CTRACE_CID_HOST, 90, CTRACE_CULPRIT_IDLE, 0, "");
	does_wait(t + 8 * MSEC, t + 9 * MSEC, EVIL, 81, CTRACE_CULPRIT_HOST, 0, "ctrace");
	does_run(t + 9 * MSEC, t + 19 * MSEC, EVIL, 81, "</script>");
	does_open(t + 3 * MSEC, t + 4 * MSEC, EVIL, 81, EVIL_NAME, -13);
	for (int k = 0; k < 2; k++)
		does_sample(t + (1 + 9 * k) * MSEC, k ? DB : WEB, k ? 61 : 51, draw(6));
}

/* first: a container's number that others have in another recording. Writes it into dir. */
static void record_incident(uint64_t s)
{
	static const char threads[] = "{\"looked\":%llu,\"threads\":["
		"{\"cid\":5,\"tid\":51,\"start\":5,\"seen\":%llu,\"old\":true,\"first\":\"unknown\",\"last\":\"slept\",\"ran_first\":0,\"ran\":0}"
		"]}\n";
	static const struct { uint32_t cid; const char *name; } names[] = {
		{ WEB, "web" }, { DB, "db" }, { BATCH, "batch" }, { EVIL, EVIL_NAME },
	};
	struct sbuf b = { 0 };
	struct made *m;

	begin_with(s, page_types());
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		ctable_add(table, &(struct ctrace_container){ .cid = names[i].cid, .path = "/x" }, names[i].name, "podman", true);
	ctf_containers(ctf);
	is_named(51, WEB, "nginx");
	is_named(61, DB, "postgres");
	is_named(71, BATCH, "tar");
	is_named(81, EVIL, "</script>");
	is_named(90, CTRACE_CID_HOST, "ctrace");
	m = at(BEGAN, CTRACE_ID_STATEDUMP_END, 0, 0);
	finish(m);
	keep(m);
	for (int i = 0; i < 300; i++)
		cycle(BEGAN + (uint64_t)i * 20 * MSEC, i);
	m = at(BEGAN + 2 * NSEC_PER_SEC, CTRACE_ID_TCP_LIFE, WEB, 51);
	put_int(m, NSEC_PER_SEC, 8);
	put_int(m, 5000, 8);
	put_int(m, 700, 8);
	keep(m);
	write_kept();
	sbuf_printf(&b, threads, (unsigned long long)ENDED, (unsigned long long)ENDED);
	ctf_side(ctf, CTRACE_CTF_THREADS, &b);
	sbuf_reset(&b);
	sbuf_printf(&b, "{\"began\":%llu,\"ended\":%llu,\"events\":[{\"name\":\"sched_run\"},{\"name\":\"sched_wait\"},"
		    "{\"name\":\"sched_blame\"},{\"name\":\"sched_block\"},{\"name\":\"cpu_throttled\"},{\"name\":\"block_io\"},"
		    "{\"name\":\"tcp_life\"},{\"name\":\"calls\"},{\"name\":\"sample:99\"}],\"host\":\"node\",\"kernel\":\"6.1\"}\n",
		    (unsigned long long)BEGAN, (unsigned long long)ENDED);
	end(b.s);
	sbuf_free(&b);
}

#endif
