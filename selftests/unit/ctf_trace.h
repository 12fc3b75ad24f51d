/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes a CTF trace, in a directory of its own, as a recorder does; and reads it with babeltrace2. */
#ifndef CTRACE_SELFTEST_CTF_TRACE_H
#define CTRACE_SELFTEST_CTF_TRACE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"
#include "ctf_format.h"
#include "ktap.h"

#define STREAM	"c7_1"

static char dir[] = "/tmp/ctrace-ctf-XXXXXX";

/* The records of one packet. */
struct buf {
	unsigned char b[2048] __attribute__((aligned(8)));
	size_t len, last;
};

__attribute__((unused))
static void put(struct buf *b, const void *p, size_t len, size_t align)
{
	b->len = (b->len + align - 1) & ~(align - 1);
	memcpy(b->b + b->len, p, len);
	b->len += len;
}

static void begin(struct buf *b, uint16_t id, uint64_t time)
{
	struct ctrace_record r = { .time = time, .id = id, .cid = 7, .tid = 1234, .vtid = 1 };

	b->last = b->len;
	put(b, &r, sizeof(r), 8);
}

static void end(struct buf *b)
{
	struct ctrace_record *r = (void *)(b->b + b->last);

	b->len = (b->len + 7) & ~7ul;
	r->len = b->len - b->last;
}

static void write_packet(FILE *f, const struct ctrace_schema *s, const struct buf *b,
			 uint64_t seq, uint64_t discarded)
{
	const struct ctrace_record *first = (void *)b->b, *last = (void *)(b->b + b->last);
	struct ctrace_ctf_packet p = {
		.magic = CTRACE_CTF_MAGIC, .timestamp_begin = first->time,
		.timestamp_end = last->time, .packet_seq_num = seq,
		.events_discarded = discarded, .cpu_id = 1, .ring_cid = 7,
	};

	memset(p.uuid, 0x5a, 16);
	p.packet_size = 8 * (sizeof(p) + b->len);
	p.content_size = p.packet_size - 8 * last->len +
		ctrace_ctf_record_bits(ctrace_schema_by_id(s, last->id), last);
	fwrite(&p, sizeof(p), 1, f);
	fwrite(b->b, b->len, 1, f);
}

static FILE *create(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return fopen(path, "w");
}

/* Sets env->uuid: the packets must have the same. */
static void write_metadata(const struct ctrace_schema *s, struct ctrace_ctf_env *env)
{
	FILE *f = create("metadata");

	memset(env->uuid, 0x5a, 16);
	ctrace_ctf_describe(f, s, env);
	fclose(f);
}

/* Returns the lines of babeltrace2's output, stderr included. The caller frees the text. */
static char *read_trace(const char *opts)
{
	size_t len = 0, got, max = 1 << 20;
	char *out = malloc(max);
	char cmd[160];
	FILE *p;

	snprintf(cmd, sizeof(cmd), "babeltrace2 %s %s 2>&1", opts, dir);
	p = popen(cmd, "r");
	while (len < max - 1 && (got = fread(out + len, 1, max - 1 - len, p)) > 0)
		len += got;
	out[len] = '\0';
	if (!check_eq(pclose(p), 0))
		printf("# %.2000s\n", out);
	return out;
}

static bool have_babeltrace(void)
{
	if (!system("babeltrace2 --version >/dev/null 2>&1"))
		return true;
	ktap_skip("no babeltrace2");
	return false;
}

static void clean_up(void)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/metadata", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/" STREAM, dir);
	unlink(path);
	check_eq(rmdir(dir), 0);
}

#endif
