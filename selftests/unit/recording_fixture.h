/* SPDX-License-Identifier: GPL-2.0-only */
/* Recordings made by hand, of random events: for tests that read them. */
#ifndef CTRACE_SELFTEST_RECORDING_FIXTURE_H
#define CTRACE_SELFTEST_RECORDING_FIXTURE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cli.h"
#include "ctf/sink_ctf.h"
#include "ktap.h"
#include "make_record.h"
#include "run/recording.h"

#define CPUS		3u
#define CALL(nr)	(CTRACE_ID_CALL + (nr))

bool cli_json;
static char message[512];
int cli_vreport(int status, const char *fmt, va_list ap)
{
	vsnprintf(message, sizeof(message), fmt, ap);
	return status;
}

/* --- events ------------------------------------------------------------------------ */

/* A wait, or a call. */
struct event {
	uint64_t time, duration;
	int64_t ret;
	uint32_t cid, cpu, id;
	int32_t tid, prio;
	char comm[16];
};
static uint64_t seed;

static uint32_t draw(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

static char *data[CPUS];
static struct ctrace_run runs[CPUS];
static uint64_t lost;

int ctrace_reader_runs(struct ctrace_reader *r, ctrace_run_fn fn, ctrace_run_done_fn done, void *arg)
{
	(void)r;
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		if (!runs[cpu].count)
			continue;
		check_eq(fn(&runs[cpu], arg), 0);
		done(&runs[cpu], true, arg);
		runs[cpu].count = 0;
	}
	return 0;
}

static void add(uint32_t cpu, const struct made *m)
{
	struct ctrace_run *r = &runs[cpu];

	data[cpu] = realloc(data[cpu], r->len + m->rec.len);
	memcpy(data[cpu] + r->len, m->raw, m->rec.len);
	r->time_begin = r->count ? r->time_begin : m->rec.time;
	r->time_end = m->rec.time;
	r->slot = r->cpu = cpu;
	r->cid = CTRACE_CID_ALL;
	r->len += m->rec.len;
	r->count++;
}

static void put_name(struct made *m, const char name[16])
{
	uint64_t words[2];

	memcpy(words, name, sizeof(words));
	m->len = (m->len + 3) & ~3ul;
	for (int i = 0; i < 4; i++)
		put_int(m, words[i / 2] >> (i % 2 ? 32 : 0), 4);
}

static void make_whole(struct made *m, const struct event *e)
{
	make(m, e->time, e->id, e->cid, e->tid, 1);
	put_int(m, e->duration, 8);
	put_int(m, (uint64_t)e->ret, 8);
	put_int(m, 0, 8);
	if (e->id == CALL(0)) {
		put_int(m, 3, 8);
		put_int(m, 0x7f00, 8);
		put_int(m, 100, 8);
		return;
	}
	put_int(m, (uint64_t)-100, 8);
	put_string(m, e->prio ? "/etc/passwd" : "/x");
	put_int(m, 0, 8);
	put_int(m, 0644, 8);
}

static struct ctrace_schema *all_types(void)
{
	static const struct ctrace_field wait[] = {
		{ "duration", CTRACE_FK_UINT, 0, 8 }, { "prio", CTRACE_FK_INT, 0, 4 }, { "comm", CTRACE_FK_TEXT, 0, 16 },
	};
	static const struct ctrace_field state[] = {
		{ "tid", CTRACE_FK_INT, 0, 4 }, { "pid", CTRACE_FK_INT, 0, 4 }, { "name", CTRACE_FK_TEXT, 0, 16 },
	};
#define WHOLE	{ "duration", CTRACE_FK_UINT, 0, 8 }, { "ret", CTRACE_FK_INT, 0, 8 }, { "marks", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 }
	static const struct ctrace_field read[] = {
		WHOLE, { "fd", CTRACE_FK_UINT, 0, 8 }, { "buf", CTRACE_FK_UINT, CTRACE_FD_HEX, 8 },
		{ "count", CTRACE_FK_UINT, 0, 8 },
	};
	static const struct ctrace_field openat[] = {
		WHOLE, { "dfd", CTRACE_FK_INT, 0, 8 }, { "filename", CTRACE_FK_STRING, 0, 0 },
		{ "flags", CTRACE_FK_INT, 0, 8 }, { "mode", CTRACE_FK_UINT, 0, 8 },
	};
	const struct ctrace_event_type w = {
		.id = CTRACE_ID_SCHED_WAIT, .name = "sched_wait", .system = "sched", .source = "sched_switch", .nfields = 3,
		.fields = wait,
	};
	struct ctrace_schema *s = make_schema();

	check_eq(ctrace_schema_add(s, &w, sizeof(w)), 0);
	add_type(s, CTRACE_ID_STATEDUMP_PROCESS_STATE, "ctrace", "lttng_statedump_process_state", state, 3);
	add_type(s, CTRACE_ID_STATEDUMP_END, "ctrace", "lttng_statedump_end", NULL, 0);
	add_type(s, CALL(0), "syscalls", "syscall_read", read, 6);
	add_type(s, CALL(257), "syscalls", "syscall_openat", openat, 7);
	return s;
}

/* --- a recording --------------------------------------------------------------------- */

static char dir[64];
static struct ctf *ctf;
static struct ctrace_schema *schema;
static struct ctable *table;

static void begin_with(uint64_t s, struct ctrace_schema *types)
{
	seed = s;
	lost = 0;
	message[0] = '\0';
	strcpy(dir, "/tmp/ctrace-recorded-XXXXXX");
	check(mkdtemp(dir) != NULL);
	schema = types;
	table = ctable_new(NULL);
	for (uint32_t cid = 1; cid < 5; cid++) {
		char name[8];

		snprintf(name, sizeof(name), "c%u", cid);
		ctable_add(table, &(struct ctrace_container){ .cid = cid, .path = "/x" }, name, "podman", true);
	}
	ctf = ctf_create(dir, schema, table, NULL);
	check(ctf != NULL);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		runs[cpu] = (struct ctrace_run){ 0 };
}

/* Writes what was added. */
static void flush(void)
{
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		struct ctrace_run *r = &runs[cpu];
		const char *at = data[cpu];

		r->data = data[cpu];
		for (uint32_t i = 0; i < r->count; i++) {
			r->last = (const void *)at;
			at += r->last->len;
		}
		r->lost = cpu ? 0 : lost;
	}
	ctf_drain(ctf, NULL);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		runs[cpu].len = 0;
}

static void end(const char *asked)
{
	struct sbuf b = { 0 };

	flush();
	if (asked) {
		sbuf_puts(&b, asked);
		ctf_side(ctf, CTRACE_CTF_ASKED, &b);
	}
	check_eq(ctf_close(ctf), CLI_OK);
	ctable_free(table);
	ctrace_schema_free(schema);
}

static void remove_all(void)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	if (!getenv("KEEP"))
		check_eq(system(cmd), 0);
}

#endif
