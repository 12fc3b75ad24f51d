/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What a trace is on disk. ctf.c describes it, ctf_writer.c and ctf_dir.c write it, and the command's
 * reader of recordings and the tests read it. Not installed.
 */
#ifndef CTRACE_LIB_CTF_FORMAT_H
#define CTRACE_LIB_CTF_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct ctrace_event_type;
struct ctrace_record;
struct ctrace_schema;

#define CTRACE_CTF_MAGIC	0xC1FC1FC1u
/* The directory in a trace where no CTF reader looks. It contains: */
#define CTRACE_CTF_SIDE		"ctrace"
#define CTRACE_CTF_SCHEMA	"schema.json"		/* these six are the command's */
#define CTRACE_CTF_CONTAINERS	"containers.json"
#define CTRACE_CTF_ASKED	"asked.json"
#define CTRACE_CTF_THREADS	"threads.json"
#define CTRACE_CTF_SOCKETS	"sockets.json"
#define CTRACE_CTF_SYMBOLS	"symbols.json"
#define CTRACE_CTF_BEGUN	".new"			/* suffix: not finished; also the writer's */

/*
 * The head of each packet of a stream file, as the metadata describes it; records
 * follow. packet_size includes the padding of the last record to 8 bytes. content_size does not:
 * CTF readers expect another whole event as long as any content is left.
 */
struct ctrace_ctf_packet {
	uint32_t magic;			/* CTRACE_CTF_MAGIC */
	uint8_t uuid[16];
	uint32_t stream_id;		/* 0 */
	uint64_t timestamp_begin, timestamp_end;
	uint64_t content_size, packet_size;	/* bits */
	uint64_t packet_seq_num;
	uint64_t events_discarded;	/* running total of the stream */
	uint32_t cpu_id;
	uint32_t ring_cid;		/* container of this stream, CTRACE_CID_ALL: shared */
};

/* --- decode.c ---------------------------------------------------------------- */

/*
 * The bits of a record without its padding. If t is NULL or the record does not decode, the bits of
 * all rec->len bytes. rec may be in a mapping that is being overwritten.
 */
uint32_t ctrace_ctf_record_bits(const struct ctrace_event_type *t, const struct ctrace_record *rec);

/* --- ctf.c --------------------------------------------------------------------- */

struct ctrace_ctf_env {
	uint8_t uuid[16];
	/* as text, of 36 characters: recordings of one boot have it in common, and so one clock. Or NULL */
	const char *boot_id;
	int64_t clock_offset_ns;	/* CLOCK_REALTIME - CLOCK_MONOTONIC */
	const char *hostname, *kernel_release, *kernel_version;	/* each may be NULL */
};
/* Writes CTF 1.8 metadata for every type of the schema that this kernel has. */
void ctrace_ctf_describe(FILE *f, const struct ctrace_schema *s, const struct ctrace_ctf_env *env);

/* --- ctf_dir.c ------------------------------------------------------------------- */

/*
 * Makes the directory, or takes over an existing one, and makes ctrace/ in it. Returns its descriptor, or
 * -errno, with the first words of a sentence in *what. -ENOTEMPTY: it has files, and replace is false.
 */
int ctrace_ctf_dir_open(int at, const char *path, bool replace, const char **what);
/* Removes all files made before the first packet: else the next recorder takes them for another trace. */
void ctrace_ctf_dir_undo(int dirfd);
/*
 * Replaces a file, named relative to the trace, in one step: a reader sees all of the old text or all of the
 * new. 0 or -errno.
 */
int ctrace_ctf_dir_put(int dirfd, const char *name, const void *data, size_t len);
/* May a file of this name be put into ctrace/? Not if a stream's unfinished file has it. */
bool ctrace_ctf_dir_takes(const char *name);
/* Is this the name of one of our stream files? */
bool ctrace_ctf_is_stream(const char *name);

#endif /* CTRACE_LIB_CTF_FORMAT_H */
