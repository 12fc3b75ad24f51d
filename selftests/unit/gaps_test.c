// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the losses of a recording lie: in the heads of its packets, for babeltrace2, and for our reader, also in a
 * recording whose packets count only the losses before them.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ctf/ctf_read.h"
#include "ctf_format.h"
#include "ktap.h"
#include "make_record.h"

#define HEAD	sizeof(struct ctrace_ctf_packet)
#define READS	5u	/* records of each run, 1 ns apart */

static char dir[] = "/tmp/ctrace-gaps-XXXXXX", stream[64];
static struct ctrace_schema *schema;
static struct ctrace_ctf *w;
static uint64_t bytes;	/* of a run */

/* A run of container 7; ok false: it was overwritten while it was copied. */
static void add(uint64_t lost, uint64_t time, bool ok)
{
	char data[1024];
	struct ctrace_run run = {
		.cid = 7, .cpu = 1, .count = READS, .data = data, .time_begin = time, .lost = lost,
	};
	struct made m;

	for (uint32_t i = 0; i < READS; i++) {
		make_read(&m, time + i, 7, 100);
		memcpy(data + run.len, m.raw, m.rec.len);
		run.last = (void *)(data + run.len);
		run.len += m.rec.len;
		run.time_end = m.rec.time;
	}
	bytes = run.len;
	check_eq(ctrace_ctf_write(w, &run), 0);
	check_eq(ctrace_ctf_done(w, &run, ok), 0);
}

static void record(void)
{
	check(mkdtemp(dir) != NULL);
	snprintf(stream, sizeof(stream), "%s/c7_1", dir);
	schema = make_schema();
	check_eq(ctrace_ctf_open(AT_FDCWD, dir, schema, NULL, &w), 0);
	add(4, 1000, true);
	add(0, 2000, true);
	add(3, 3000, true);
	add(6, 4000, false);	/* what was lost before it comes again */
	add(8, 5000, true);
	add(0, 5004, true);
}

static void check_packet(FILE *f, uint64_t begin, uint64_t end, uint64_t discarded)
{
	struct ctrace_ctf_packet h = { 0 };
	long at = ftell(f);

	check_eq(fread(&h, sizeof(h), 1, f), 1);
	check_eq(h.timestamp_begin, begin);
	check_eq(h.timestamp_end, end);
	check_eq(h.events_discarded, discarded);
	fseek(f, at + (long)(h.packet_size / 8), SEEK_SET);
}

static void packets(void)
{
	FILE *f = fopen(stream, "r");

	check_packet(f, 1000, 1000, 0);		/* without records, as readers see no losses of the first one */
	check_packet(f, 1000, 1004, 4);		/* losses before all records cannot be shown before the gap */
	check_packet(f, 2000, 3000, 4 + 3);
	check_packet(f, 3000, 5000, 4 + 3 + 8);
	check_packet(f, 5000, 5004, 4 + 3 + 8);
	check_packet(f, 5004, 5008, 4 + 3 + 8);
	check_eq(fgetc(f), EOF);
	fclose(f);
}

/* While it is recorded, and afterwards. */
static void heads(void)
{
	struct ctrace_ctf_info info;

	packets();
	ctrace_ctf_info(w, &info, sizeof(info));
	check_eq(info.lost, 4 + 3 + 8);
	check_eq(ctrace_ctf_close(w), 0);
	packets();
}

static void babeltrace(void)
{
	static const char form[] = "%*[^0-9]%lu events between [%*u:%*u:%*u.%lu] and [%*u:%*u:%*u.%lu]";
	/* from the end of one packet to the end of the next, with the gap behind it */
	static const struct { uint64_t lost, took; } want[] = { { 4, 4 }, { 3, 3000 - 1004 }, { 8, 5000 - 3000 } };
	uint64_t lost, from, to;
	char cmd[128], line[512];
	unsigned int i = 0;
	FILE *p;

	if (system("babeltrace2 --version >/dev/null 2>&1")) {
		ktap_skip("no babeltrace2");
		return;
	}
	snprintf(cmd, sizeof(cmd), "babeltrace2 '%s' 2>&1 >/dev/null | grep discarded", dir);
	p = popen(cmd, "r");
	for (; fgets(line, sizeof(line), p) && i < ARRAY_SIZE(want); i++) {
		check_eq(sscanf(line, form, &lost, &from, &to), 3);
		check_eq(lost, want[i].lost);
		check_eq((to + 1000000000 - from) % 1000000000, want[i].took);
	}
	check_eq(i, ARRAY_SIZE(want));
	pclose(p);
}

static void read_it(void)
{
	static const struct { struct ctf_loss l; unsigned int records; } want[] = {
		{ { .n = 4, .after = 1000, .before = 1000 }, 0 },	/* nothing is known of the time before it */
		{ { .n = 3, .after = 2004, .before = 3000 }, 2 * READS },
		{ { .n = 8, .after = 3004, .before = 5000 }, 3 * READS },
	};
	unsigned int i = 0, records = 0;
	struct ctrace_ctf_packet h;
	struct ctf_reader *r;
	struct ctf_loss l;
	uint64_t lost, all = 0;
	FILE *f = fopen(stream, "r");

	check_eq(fread(&h, sizeof(h), 1, f), 1);
	fclose(f);
	r = ctf_reader_open(dir, h.uuid);
	for (; ctf_reader_next(r, &lost); records++) {
		all += lost;
		for (; lost && ctf_reader_loss(r, &l) && i < ARRAY_SIZE(want); i++) {
			check_eq(l.cid, 7);
			check_eq(l.n, want[i].l.n);
			check_eq(l.after, want[i].l.after);
			check_eq(l.before, want[i].l.before);
			check_eq(records, want[i].records);
		}
	}
	check_eq(all, 4 + 3 + 8);
	check_eq(i, ARRAY_SIZE(want));
	check_eq(records, 5 * READS);
	ctf_reader_close(r);
}

static void put_head(FILE *f, unsigned int run, uint64_t end, uint64_t discarded)
{
	struct ctrace_ctf_packet h;
	long at = (long)(HEAD + run * (HEAD + bytes));

	fseek(f, at, SEEK_SET);
	check_eq(fread(&h, sizeof(h), 1, f), 1);
	h.timestamp_end = end;
	h.events_discarded = discarded;
	fseek(f, at, SEEK_SET);
	fwrite(&h, sizeof(h), 1, f);
}

/* As recorders wrote it before, and as one leaves it that is killed before it has written the gap. */
static void told_behind(void)
{
	FILE *f = fopen(stream, "r+");

	put_head(f, 1, 2004, 4);
	put_head(f, 2, 3004, 4 + 3);
	fclose(f);
	read_it();
}

/* --- what a head may make the reader do ------------------------------------------------------- */

#define MANY	2000u
#define CLAIM	(200u << 20)
#define COST	(128u << 10)	/* bytes that a stream may cost, whatever its packets say */

static size_t largest;	/* allocation of the reader */

void *__real_xrealloc(void *p, size_t size);
void *__wrap_xrealloc(void *p, size_t size);

/* The linker makes the reader call this. */
void *__wrap_xrealloc(void *p, size_t size)
{
	largest = size > largest ? size : largest;
	return __real_xrealloc(p, size);
}

/* A packet of many records of each length. It counts 6 that were lost after it. */
static void long_packet(void)
{
	struct ctrace_run run = { .cid = 8, .cpu = 0, .time_begin = 10000, .count = MANY };
	static const struct { uint64_t n, after, before; } want = { 6, 10000 + MANY - 1, 20000 };
	char *data = malloc(MANY * 1024), path[1024] = "";
	const struct ctrace_record *rec;
	uint64_t lost, all = 0, next = 10000;
	struct ctrace_ctf_info info;
	struct ctf_reader *r;
	struct ctf_loss l;
	struct made m;

	check_eq(ctrace_ctf_open(AT_FDCWD, dir, schema, &(struct ctrace_ctf_opts){ .sz = sizeof(struct ctrace_ctf_opts),
				 .flags = CTRACE_CTF_REPLACE }, &w), 0);
	run.data = data;
	for (uint32_t i = 0; i < MANY; i++) {
		memset(path, 'a' + (char)(i % 26), i % 700);
		path[i % 700] = '\0';
		make_openat(&m, 10000 + i, 8, 100, path, i);
		memcpy(data + run.len, m.raw, m.rec.len);
		run.last = (void *)(data + run.len);
		run.len += m.rec.len;
	}
	run.time_end = 10000 + MANY - 1;
	check(run.len > 1u << 19);
	check_eq(ctrace_ctf_write(w, &run), 0);
	check_eq(ctrace_ctf_done(w, &run, true), 0);
	make_openat(&m, 20000, 8, 100, "/end", 0);
	run = (struct ctrace_run){ .cid = 8, .count = 1, .data = m.raw, .len = m.rec.len, .last = &m.rec, .time_begin = 20000,
				   .time_end = 20000, .lost = 6 };
	check_eq(ctrace_ctf_write(w, &run), 0);
	check_eq(ctrace_ctf_done(w, &run, true), 0);
	ctrace_ctf_info(w, &info, sizeof(info));
	check_eq(ctrace_ctf_close(w), 0);

	largest = 0;
	r = ctf_reader_open(dir, info.uuid);
	while ((rec = ctf_reader_next(r, &lost))) {
		if (lost && check(ctf_reader_loss(r, &l))) {
			check_eq(l.n, want.n);
			check_eq(l.after, want.after);
			check_eq(l.before, want.before);
		}
		all += lost;
		next = next == 10000 + MANY ? 20000 : next;
		check_eq(rec->time, next);
		if (next < 20000)
			check_eq(((const char *)(rec + 1))[8], (next - 10000) % 700 ? 'a' + (int)((next - 10000) % 26) : 0);
		next++;
	}
	check_eq(next, 20001);
	check_eq(all, 6);
	check(largest <= COST);
	ctf_reader_close(r);
	free(data);
}

static void claim(FILE *f, uint64_t content, uint64_t packet)
{
	struct ctrace_ctf_packet h;

	fseek(f, HEAD, SEEK_SET);
	check_eq(fread(&h, sizeof(h), 1, f), 1);
	h.content_size = 8 * content;
	h.packet_size = 8 * packet;
	fseek(f, HEAD, SEEK_SET);
	fwrite(&h, sizeof(h), 1, f);
	fflush(f);
}

/* Reads it all. Returns the damage. */
static const char *read_claim(const uint8_t uuid[16], unsigned int records)
{
	struct ctf_reader *r = ctf_reader_open(dir, uuid);
	const char *why;
	uint64_t lost;

	largest = 0;
	for (; ctf_reader_next(r, &lost); records--)
		;
	check_eq(records, 0);
	if (!check(largest <= COST))
		printf("# it wanted %zu bytes at once\n", largest);
	why = ctf_reader_damaged(r, &why) ? why : "";
	ctf_reader_close(r);
	return why;
}

static void hostile(void)
{
	struct ctrace_ctf_packet h;
	struct ctrace_ctf_info info;
	char other[80];
	FILE *f;

	snprintf(other, sizeof(other), "%s/c8_0", dir);
	unlink(other);
	check_eq(ctrace_ctf_open(AT_FDCWD, dir, schema, &(struct ctrace_ctf_opts){ .sz = sizeof(struct ctrace_ctf_opts),
				 .flags = CTRACE_CTF_REPLACE }, &w), 0);
	add(0, 1000, true);
	ctrace_ctf_info(w, &info, sizeof(info));
	check_eq(ctrace_ctf_close(w), 0);
	f = fopen(stream, "r+");
	fseek(f, HEAD, SEEK_SET);
	check_eq(fread(&h, sizeof(h), 1, f), 1);
	check_str(read_claim(info.uuid, READS), "");

	/* more than there is */
	claim(f, CLAIM, CLAIM);
	check_str(read_claim(info.uuid, 0), "ends within a packet");
	claim(f, UINT64_MAX / 8 - 7, UINT64_MAX / 8 - 7);
	check_str(read_claim(info.uuid, 0), "ends within a packet");
	/* the file is that long, but it has a hole */
	check_eq(ftruncate(fileno(f), (off_t)CLAIM + (1 << 20)), 0);
	claim(f, CLAIM, CLAIM);
	check_str(read_claim(info.uuid, READS), "has a packet with a broken record");
	/* room that was never used, up to the end and beyond */
	claim(f, h.content_size / 8, CLAIM + (1 << 20) - HEAD);
	check_str(read_claim(info.uuid, READS), "");
	claim(f, h.content_size / 8, UINT64_MAX / 8 - 7);
	check_str(read_claim(info.uuid, READS), "");
	fclose(f);
}

static void clean_up(void)
{
	char cmd[64];

	ctrace_schema_free(schema);
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	check_eq(system(cmd), 0);
}

static const struct ktap_case cases[] = {
	{ "a stream with gaps", record },
	{ "packets tell of the gap behind them", heads },
	{ "where babeltrace2 finds the losses", babeltrace },
	{ "where our reader finds them", read_it },
	{ "and if they are told behind the gap", told_behind },
	{ "a packet that is longer than what is read at once", long_packet },
	{ "a packet costs no more than the file", hostile },
	{ "clean up", clean_up },
};
KTAP_MAIN(cases)
