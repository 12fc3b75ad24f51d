// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report command reads what the recorder writes: runs of records go through the writer into a
 * directory, and come back, merged. Damaged, old and foreign traces are refused.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cli.h"
#include "ctf/ctf_read.h"
#include "ktap.h"
#include "make_record.h"
#include "ctf/sink_ctf.h"

#define MSEC	1000000ull
#define HEAD	((off_t)sizeof(struct ctrace_ctf_packet))

/* Replaces main.c's and the reader's: counts messages, and supplies runs. */
bool cli_json;
static unsigned int messages;
int cli_vreport(int status, const char *fmt, va_list ap)
{
	(void)fmt, (void)ap;
	messages++;
	return status;
}

struct fake {
	struct ctrace_run run[8];
	char data[8][8192];
	bool ok[8];
	unsigned int n;
};
static struct fake fake;

int ctrace_reader_runs(struct ctrace_reader *r, ctrace_run_fn fn, ctrace_run_done_fn done, void *arg)
{
	unsigned int i;

	(void)r;
	for (i = 0; i < fake.n; i++) {
		int err = fn(&fake.run[i], arg);

		if (err)
			return err;
		done(&fake.run[i], fake.ok[i], arg);
	}
	fake.n = 0;
	return (int)i;
}

static char dir[64];
static struct ctrace_schema *schema;
static struct ctable *table;

static void start(void)
{
	strcpy(dir, "/tmp/ctrace-report-XXXXXX");
	check(mkdtemp(dir) != NULL);
	schema = make_schema();
	table = ctable_new(NULL);
	ctable_add(table, &(struct ctrace_container){ .cid = 3, .path = "/a\"b" }, "w\"eb", "podman",
		   true);
	memset(&fake, 0, sizeof(fake));
	messages = 0;
}

static void finish_case(void)
{
	char cmd[128];

	ctable_free(table);
	ctrace_schema_free(schema);
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	check_eq(system(cmd), 0);
}

/* Adds a run of n reads, at the times time, time + step, ... */
static void add_run(uint32_t cid, uint32_t cpu, uint64_t time, uint64_t step, uint32_t n,
		    uint64_t lost, bool ok)
{
	struct ctrace_run *r = &fake.run[fake.n];
	struct made m;

	memset(r, 0, sizeof(*r));
	r->slot = cid == CTRACE_CID_ALL ? cpu : 10 + cid * 2 + cpu;
	r->cid = cid;
	r->cpu = cpu;
	r->count = n;
	r->data = fake.data[fake.n];
	r->time_begin = time;
	r->lost = lost;
	for (uint32_t i = 0; i < n; i++) {
		if (i % 2)
			make_openat(&m, time + i * step, cid == CTRACE_CID_ALL ? 77 : cid, 100, "/x", 0);
		else
			make_read(&m, time + i * step, cid == CTRACE_CID_ALL ? 77 : cid, 100);
		r->last = (void *)(fake.data[fake.n] + r->len);
		memcpy(fake.data[fake.n] + r->len, m.raw, m.rec.len);
		r->len += m.rec.len;
		r->time_end = m.rec.time;
	}
	fake.ok[fake.n++] = ok;
}

struct seen {
	unsigned int records, backwards;
	uint64_t lost;
	const char *why;
};

static struct seen read_back(void)
{
	struct ctrace_schema *s = ctrace_schema_new();
	struct side_info info;
	const struct ctrace_record *rec;
	struct seen seen = { 0 };
	struct ctf_reader *r;
	uint64_t lost, last = 0;

	check_eq(side_load_schema(dir, s, &info), 0);
	r = ctf_reader_open(dir, info.uuid);
	if (!check(r != NULL))
		return seen;
	while ((rec = ctf_reader_next(r, &lost))) {
		struct ctrace_value v[8];

		seen.records++;
		seen.lost += lost;
		seen.backwards += rec->time < last;
		last = rec->time;
		check(ctrace_decode(ctrace_schema_by_id(s, rec->id), rec, v, 8) >= 3);
	}
	seen.lost += lost;
	ctf_reader_damaged(r, &seen.why);
	ctf_reader_close(r);
	ctrace_schema_free(s);
	return seen;
}

static struct ctf *create(bool force)
{
	return ctf_create(dir, schema, table, &(struct ctf_opts){ .force = force });
}

static void round_trip(void)
{
	struct ctable *names = ctable_new(NULL);
	struct ctf *c;
	struct seen s;

	start();
	c = create(false);
	if (!check(c != NULL))
		return;
	add_run(3, 0, 1 * MSEC, 10, 50, 0, true);
	add_run(3, 1, 1 * MSEC + 5, 10, 50, 0, true);
	add_run(CTRACE_CID_ALL, 0, 1 * MSEC + 7, 10, 20, 0, true);
	add_run(3, 0, 2 * MSEC, 10, 50, 9, true);
	add_run(3, 0, 3 * MSEC, 10, 50, 5, true);
	check_eq(ctf_drain(c, NULL), 5);
	check_eq(ctf_info(c).records, 220);
	check_eq(ctf_info(c).streams, 3);
	check_eq(ctf_close(c), CLI_OK);
	s = read_back();
	check_eq(s.records, 220);
	check_eq(s.lost, 14);
	check_eq(s.backwards, 0);
	check(!s.why);
	check_eq(side_load_containers(dir, names), 0);
	check_str(ctable_get(names, 3)->label, "w\"eb");
	check_str(ctable_get(names, 3)->c.path, "/a\"b");
	ctable_free(names);
	check_eq(messages, 0);
	finish_case();
}

static struct name_record words(const char *ns, const char *image)
{
	return (struct name_record){
		.ns = xstrdup(ns), .pod = xstrdup("db"), .pod_uid = xstrdup("u-1"), .container = xstrdup("app"),
		.image = xstrdup(image), .restarts = xstrdup("2"), .labels = json_tokener_parse("{\"tier\":\"b\\\"k\"}"),
	};
}

/* What the recorder knew of containers, another machine knows from the recording. */
static void records(void)
{
	struct ctable *names = ctable_new(NULL);
	struct centry *e;
	struct ctf *c;

	start();
	table->names = names_new("/nowhere");
	ctable_add(table, &(struct ctrace_container){ .cid = 4, .parent = 3 }, "db/app", "cri-o", true);
	e = ctable_get(table, 4);
	e->r = words("prod", "db:1");
	ctable_add(table, &(struct ctrace_container){ .cid = 5, .flags = CTRACE_CONTAINER_F_HOSTPID }, "d#b", "podman", true);
	e = ctable_get(table, 5);
	e->owner = NAME_OF_USER;
	e->whose = 1000;
	ctable_add(table, &(struct ctrace_container){ .cid = 6, .hierarchy = 7 }, "x", "", false);
	ctable_get(table, 6)->tried = 1;
	c = create(false);
	check_eq(ctf_close(c), CLI_OK);
	check_eq(side_load_containers(dir, names), 0);
	e = ctable_get(names, 4);
	check_str(e->name, "db/app");
	check_str(e->full, "prod/db/app");
	check_str(e->runtime, "cri-o");
	check_str(e->r.ns, "prod");
	check_str(e->r.pod, "db");
	check_str(e->r.pod_uid, "u-1");
	check_str(e->r.container, "app");
	check_str(e->r.image, "db:1");
	check_str(e->r.restarts, "2");
	check_str(names_str(e->r.labels, "tier"), "b\"k");
	check(e->named && e->proven);
	check_eq(e->owner, NAME_OF_SYSTEM);
	check_eq(e->c.parent, 3);
	e = ctable_get(names, 5);
	check_str(e->name, "d#b");
	check_str(e->label, "d#b#5");
	check_str(e->shown, "d#b#5");
	check_eq(e->owner, NAME_OF_USER);
	check_eq(e->whose, 1000);
	check_eq(e->c.flags, CTRACE_CONTAINER_F_HOSTPID);
	check(!ctable_get(names, 6)->named);
	check_eq(ctable_get(names, 6)->c.hierarchy, 7);
	ctable_free(names);
	check_eq(messages, 0);
	finish_case();
}

/* A run that was overwritten while it was copied leaves no trace in the file. */
static void undone(void)
{
	struct ctf *c;
	struct seen s;

	start();
	c = create(false);
	add_run(3, 0, 1 * MSEC, 10, 50, 0, true);
	add_run(3, 0, 2 * MSEC, 10, 50, 0, false);
	add_run(3, 0, 3 * MSEC, 10, 10, 50, true);
	ctf_drain(c, NULL);
	check_eq(ctf_close(c), CLI_OK);
	s = read_back();
	check_eq(s.records, 60);
	check_eq(s.lost, 50);
	check(!s.why);
	finish_case();
}

static bool not_78(const void *asked, uint32_t cid)
{
	*(unsigned int *)asked += 1;
	return cid != 78;
}

/* In the run that was added last, of a shared ring: every nth record is of container 78. */
static void mix(unsigned int nth)
{
	char *at = fake.data[fake.n - 1], *end = at + fake.run[fake.n - 1].len;

	for (unsigned int i = 0; at < end; i++) {
		struct ctrace_record *rec = (void *)at;

		if (i % nth == 0)
			rec->cid = 78;
		at += rec->len;
	}
}

/*
 * Of a shared ring only the records are written that are shown; its losses are written with the next of them.
 */
static void chosen(void)
{
	unsigned int asked = 0;
	struct ctf *c;
	struct seen s;

	start();
	c = ctf_create(dir, schema, table, &(struct ctf_opts){ .shows = not_78, .shows_arg = &asked });
	add_run(CTRACE_CID_ALL, 0, 1 * MSEC, 10, 20, 3, true);
	mix(2);
	add_run(78, 1, 1 * MSEC, 10, 20, 0, true);
	add_run(3, 0, 1 * MSEC, 10, 20, 0, true);
	add_run(CTRACE_CID_ALL, 0, 2 * MSEC, 10, 20, 2, true);
	mix(1);
	add_run(CTRACE_CID_ALL, 0, 3 * MSEC, 10, 20, 7, false);	/* its losses come again with the next */
	mix(1);
	add_run(CTRACE_CID_ALL, 0, 4 * MSEC, 10, 20, 0, true);
	mix(3);
	add_run(CTRACE_CID_ALL, 0, 5 * MSEC, 10, 20, 0, true);
	ctf_drain(c, NULL);
	check(asked > 100);
	check_eq(ctf_info(c).records, 10 + 20 + 13 + 20);
	check_eq(ctf_info(c).streams, 2);
	check_eq(ctf_info(c).lost, 3 + 2);
	check_eq(ctf_close(c), CLI_OK);
	s = read_back();
	check_eq(s.records, 10 + 20 + 13 + 20);
	check_eq(s.lost, 3 + 2);
	check_eq(s.backwards, 0);
	check(!s.why);
	finish_case();
}

/* What a full ring refused comes as a running total, and is counted once. */
static void refused(void)
{
	static const uint64_t totals[] = { 4, 4, 6 };
	struct ctf *c;
	struct seen s;

	start();
	c = create(false);
	for (uint32_t i = 0; i < 3; i++) {
		add_run(3, 0, (i + 1) * MSEC, 10, 50, i, true);
		fake.run[i].refused = totals[i];
	}
	ctf_drain(c, NULL);
	check_eq(ctf_info(c).lost, 6 + 3);
	check_eq(ctf_close(c), CLI_OK);
	s = read_back();
	check_eq(s.records, 150);
	check_eq(s.lost, 6 + 3);
	finish_case();
}

/* Readers refuse a stream whose time runs backwards, so it continues in another file. */
static void backwards(void)
{
	struct ctf *c;
	struct seen s;
	char path[128];

	start();
	c = create(false);
	add_run(3, 0, 5 * MSEC, 10, 50, 0, true);
	add_run(3, 0, 2 * MSEC, 10, 50, 0, true);
	ctf_drain(c, NULL);
	check_eq(ctf_close(c), CLI_OK);
	snprintf(path, sizeof(path), "%s/c3_0.1", dir);
	check(!access(path, F_OK));
	s = read_back();
	check_eq(s.records, 100);
	check_eq(s.backwards, 0);
	finish_case();
}

static void babeltrace(void)
{
	char cmd[256], line[512];
	unsigned int n = 0, named = 0, told = 0;
	struct ctf *c;
	FILE *p;

	if (system("command -v babeltrace2 >/dev/null")) {
		ktap_skip("no babeltrace2");
		return;
	}
	start();
	c = create(false);
	add_run(3, 0, 1 * MSEC, 10, 50, 0, true);
	add_run(3, 1, 1 * MSEC + 5, 10, 49, 4, true);	/* lost before the first packet */
	ctf_drain(c, NULL);
	/* both while it is being recorded, and after */
	for (int i = 0; i < 2; i++) {
		n = named = told = 0;
		snprintf(cmd, sizeof(cmd), "babeltrace2 '%s' 2>&1", dir);
		p = popen(cmd, "r");
		while (fgets(line, sizeof(line), p)) {
			told += strstr(line, "discarded 4 events") != NULL;
			n += line[0] == '[';
			named += strstr(line, "cid = 3") && strstr(line, "syscall_entry_");
		}
		check_eq(pclose(p), 0);
		check_eq(n, 99);
		check_eq(named, 99);
		check_eq(told, 1);
		if (!i)
			check_eq(ctf_close(c), CLI_OK);
	}
	finish_case();
}

static void damage(void)
{
	char path[128];
	struct ctf *c;
	struct seen s;
	FILE *f;

	start();
	c = create(false);
	add_run(3, 0, 1 * MSEC, 10, 50, 0, true);
	add_run(3, 0, 2 * MSEC, 10, 50, 0, true);
	ctf_drain(c, NULL);
	check_eq(ctf_close(c), CLI_OK);
	snprintf(path, sizeof(path), "%s/c3_0", dir);
	check_eq(truncate(path, (off_t)fake.run[0].len + 2 * HEAD + 100), 0);
	s = read_back();
	check_eq(s.records, 50);
	check_str(s.why ? s.why : "", "ends within a packet");
	/* A length of zero must not keep the reader in place for ever. */
	f = fopen(path, "r+");
	fseek(f, 2 * HEAD + 10, SEEK_SET);
	fwrite("\0\0", 1, 2, f);
	fclose(f);
	s = read_back();
	check_eq(s.records, 0);
	check_str(s.why ? s.why : "", "has a packet with a broken record");
	finish_case();
}

/* Something else has cut a file, at any byte: what is before the cut is read, and the cut is reported. */
static void cut(void)
{
	unsigned int whole[4] = { 0 }, n = 0;
	char path[128];
	struct ctf *c;
	struct seen s;
	off_t ends[4] = { HEAD }, at;	/* the first packet has no records */

	start();
	c = create(false);
	for (uint32_t i = 1; i < 4; i++) {
		add_run(3, 0, i * MSEC, 10, i, 0, true);
		ends[i] = ends[i - 1] + HEAD + (off_t)fake.run[i - 1].len;
		whole[i] = whole[i - 1] + i;
	}
	ctf_drain(c, NULL);
	check_eq(ctf_close(c), CLI_OK);
	snprintf(path, sizeof(path), "%s/c3_0", dir);
	for (at = ends[3], n = 3; at >= 0; at--) {
		if (n && at < ends[n])
			n--;
		check_eq(truncate(path, at), 0);
		s = read_back();
		check_eq(s.records, whole[n]);
		check_str(s.why ? s.why : "", !at || at == ends[n] ? "" : "ends within a packet");
	}
	finish_case();
}

static void directories(void)
{
	struct ctrace_schema *s = ctrace_schema_new();
	struct side_info info;
	char path[128];
	struct ctf *c;

	start();
	check_eq(side_load_schema(dir, s, &info), -ENOENT);
	ctrace_schema_free(s);
	snprintf(path, sizeof(path), "%s/precious", dir);
	fclose(fopen(path, "w"));
	check(!create(false));
	check_eq(messages, 1);
	/* --force: an older trace is removed; files that are no trace stay. */
	c = create(true);
	add_run(3, 0, 1 * MSEC, 10, 50, 0, true);
	ctf_drain(c, NULL);
	ctf_close(c);
	c = create(true);
	check_eq(ctf_close(c), CLI_OK);
	check(!access(path, F_OK));
	check_eq(read_back().records, 0);
	check(ctrace_ctf_is_stream("c12_0") && ctrace_ctf_is_stream("shared_11.2"));
	check(!ctrace_ctf_is_stream("cat_0") && !ctrace_ctf_is_stream("c1_") &&
	      !ctrace_ctf_is_stream("shared_") && !ctrace_ctf_is_stream("c1_0x") &&
	      !ctrace_ctf_is_stream("c_1"));
	finish_case();
}

static void full_disk(void)
{
	char path[128];
	struct ctf *c;

	start();
	c = create(false);
	/* a stream whose device has no room */
	snprintf(path, sizeof(path), "%s/c3_0", dir);
	add_run(3, 0, 1 * MSEC, 10, 50, 0, true);
	check_eq(mkdir(path, 0755), 0);
	check_eq(ctf_drain(c, NULL), -1);
	check_eq(ctf_drain(c, NULL), -1);
	check_eq(messages, 1);
	check_eq(ctf_close(c), CLI_FAIL);
	finish_case();
}

/* Names of disks, from a directory as /sys/class/block is, come before all events. */
static void disks(void)
{
	static const struct ctrace_field f[] = {
		{ "dev", CTRACE_FK_UINT, 0, 4 }, { "diskname", CTRACE_FK_STRING, 0, 0 },
	};
	const struct ctrace_record *rec;
	char cmd[640], sys[80];
	unsigned int seen = 0, vda = 0;
	struct side_info info;
	struct ctf_reader *r;
	struct ctf *c;
	uint64_t lost;

	start();
	snprintf(sys, sizeof(sys), "%s.sys", dir);
	snprintf(cmd, sizeof(cmd), "mkdir -p %s/vda %s/vda1 %s/odd && echo 254:0 > %s/vda/dev && echo 254:1 > %s/vda1/dev && "
		 "echo x > %s/odd/dev", sys, sys, sys, sys, sys, sys);
	check_eq(system(cmd), 0);
	/* the schema lacks the type: an older module */
	c = create(false);
	ctf_disks(c, schema, sys, 500);
	check_eq(ctf_info(c).records, 0);
	check_eq(ctf_close(c), CLI_OK);
	add_type(schema, CTRACE_ID_STATEDUMP_BLOCK_DEVICE, "ctrace", "lttng_statedump_block_device", f, 2);
	c = create(true);
	ctf_disks(c, schema, sys, 500);
	add_run(CTRACE_CID_HOST, 0, 1000, 10, 4, 0, true);
	check_eq(ctf_drain(c, NULL), 1);
	check_eq(ctf_close(c), CLI_OK);
	check_eq(side_load_schema(dir, schema, &info), 0);
	r = ctf_reader_open(dir, info.uuid);
	while ((rec = ctf_reader_next(r, &lost))) {
		struct ctrace_value v[8];

		check_eq(rec->id == CTRACE_ID_STATEDUMP_BLOCK_DEVICE, seen < 2);
		if (seen++ >= 2)
			continue;
		check_eq(rec->time, 500);
		check_eq(ctrace_decode(ctrace_schema_by_id(schema, rec->id), rec, v, 8), 2);
		vda += v[0].u == 254u << 20 && v[1].str.len == 3 && !memcmp(v[1].str.s, "vda", 3);
	}
	check_eq(seen, 6);
	check_eq(vda, 1);
	ctf_reader_close(r);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", sys);
	check_eq(system(cmd), 0);
	finish_case();
}

static const struct ktap_case cases[] = {
	{ "what was recorded is read back, in order, with its losses", round_trip },
	{ "what is known of containers is read back", records },
	{ "a run overwritten while copied is undone", undone },
	{ "of a shared ring only what is shown, and all its losses", chosen },
	{ "what a full ring refused is counted once", refused },
	{ "time that runs backwards goes into another file", backwards },
	{ "babeltrace2 reads it while it is recorded and after", babeltrace },
	{ "damaged files are read up to the damage", damage },
	{ "cut at every byte", cut },
	{ "directories with something in them", directories },
	{ "what cannot be written ends it, once said", full_disk },
	{ "names of disks", disks },
};
KTAP_MAIN(cases)
