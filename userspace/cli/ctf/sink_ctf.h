/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording: the library's CTF trace, and what `ctrace report` needs besides the records:
 *
 *	DIR/ctrace/schema.json		what the records look like
 *	DIR/ctrace/containers.json	names; replaced as containers come and go
 *	DIR/ctrace/asked.json		what was asked for, where and when; written at the start and the end
 *	DIR/ctrace/threads.json		what the threads did at the start and the end, for why; written then
 *	DIR/ctrace/sockets.json		TCP sockets at the start and the end, for tcp; written then
 *	DIR/ctrace/symbols.json		names of the addresses in stacks, if any; written at the end
 */
#ifndef CTRACE_SINK_CTF_H
#define CTRACE_SINK_CTF_H

#include <ctf_format.h>
#include "names/ctable.h"
#include "symbols/symbols.h"

struct ctf;
struct json_object;

#define CTF_SIDE_SCHEMA		CTRACE_CTF_SIDE "/" CTRACE_CTF_SCHEMA
#define CTF_SIDE_CONTAINERS	CTRACE_CTF_SIDE "/" CTRACE_CTF_CONTAINERS
#define CTF_SIDE_ASKED		CTRACE_CTF_SIDE "/" CTRACE_CTF_ASKED
#define CTF_SIDE_THREADS	CTRACE_CTF_SIDE "/" CTRACE_CTF_THREADS
#define CTF_SIDE_SOCKETS	CTRACE_CTF_SIDE "/" CTRACE_CTF_SOCKETS
#define CTF_SIDE_SYMBOLS	CTRACE_CTF_SIDE "/" CTRACE_CTF_SYMBOLS

struct ctf_opts {
	bool force;		/* take a directory that is not empty, and remove an older trace in it */
	struct symbols *symbols;	/* for the addresses in stacks, outlives the trace; NULL: no stacks */
	uint32_t stacks;	/* CTRACE_PROBE_F_*: the stacks that each event comes with */
	/* whose records are written; NULL: all */
	bool (*shows)(const void *arg, uint32_t cid);
	const void *shows_arg;
	/*
	 * CLOCK_MONOTONIC, ns: only records of this time are written, and what was overwritten before it is
	 * no loss; to 0: all
	 */
	uint64_t from, to;
};

/* Makes the directory and the files that can be written at the start. o may be NULL. NULL after a message. */
struct ctf *ctf_create(const char *dir, const struct ctrace_schema *s, struct ctable *t,
		       const struct ctf_opts *o);
/* Writes one round over the rings. Returns the number of runs, or -1 once writing has failed. */
int ctf_drain(struct ctf *c, struct ctrace_reader *r);
/* From now on another reader's runs are written: the numbers of its slots are others. */
void ctf_next_reader(struct ctf *c);
/* The window from now on, of a trace that has one. */
void ctf_window(struct ctf *c, uint64_t from, uint64_t to);
/*
 * CLOCK_MONOTONIC, ns: from where on no record was overwritten before it was read. 0: none was in the whole
 * window. A shared ring counts only if records that are shown were in it.
 */
uint64_t ctf_whole_from(const struct ctf *c);
/* Writes a run that is not a reader's, before all of its stream. */
void ctf_put_run(struct ctf *c, const struct ctrace_run *run);
/* ctf_disks.c. Writes what the disks in dir, /sys/class/block, are called. time: before all events */
void ctf_disks(struct ctf *c, const struct ctrace_schema *s, const char *dir, uint64_t time);
/* Rewrites containers.json if the table changed. */
void ctf_containers(struct ctf *c);
/* Writes one of CTRACE_CTF_*, a file beside the streams; frees the text. */
void ctf_side(struct ctf *c, const char *name, struct sbuf *b);
/* Closes the files. Returns CLI_OK; or, after a message, CLI_FAIL if anything could not be written. */
int ctf_close(struct ctf *c);

struct ctrace_ctf_info ctf_info(const struct ctf *c);

/* --- side.c: the JSON beside the streams --- */
struct side_info {
	uint8_t uuid[16];
	int64_t clock_offset;
	uint32_t stacks;	/* CTRACE_PROBE_F_* */
};
void side_schema(struct sbuf *b, const struct ctrace_schema *s, const struct side_info *info);
void side_containers(struct sbuf *b, struct ctable *t);
/*
 * Each reads its file back. 0, or -errno: -ENOENT there is no such file, -EBADMSG its content is not
 * what we write, -EPROTO it was written on a machine of the other byte order.
 */
int side_load_schema(const char *dir, struct ctrace_schema *s, struct side_info *info);
int side_load_containers(const char *dir, struct ctable *t);
/* Any of them, as JSON; NULL: *err is as above. */
struct json_object *side_load(const char *dir, const char *name, int *err);

/* --- ctf_symbols.c --- */

/* Looks up the addresses of the stacks in a run of records, while the processes are still there. */
void ctf_symbols_scan(struct symbols *sy, const struct ctrace_schema *s, const void *data, size_t len);

#endif
