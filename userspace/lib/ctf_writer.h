/* SPDX-License-Identifier: LGPL-2.1-only */
/* A writer of traces: the stream files (ctf_stream.c), and the rest (ctf_writer.c). */
#ifndef CTRACE_LIB_CTF_WRITER_H
#define CTRACE_LIB_CTF_WRITER_H

#include "internal.h"
#include "ctf_format.h"

struct ctrace_ctf_stream;

struct ctrace_ctf {
	char *path;		/* as the caller named it: for sentences */
	int dirfd;		/* -1: the directory could not be opened */
	const struct ctrace_schema *schema;
	struct ctrace_ctf_info info;
	struct ctrace_ctf_stream **v;
	size_t n;
	/*
	 * by slot: how many its ring had refused at its last good run; runs on when a slot changes containers
	 */
	uint64_t *refused;
	uint32_t nslots;	/* length of refused */
	unsigned int nopen, max_open;
	uint64_t clock;		/* counts packets */
	off_t file_max;		/* RLIMIT_FSIZE; 0: none */
	int err;		/* the first error; nothing is written after it */
	char *why;		/* its sentence; NULL: there was no memory for one */
};

/* Keeps the first error and its sentence; returns that error. */
int ctrace_ctf_fail(struct ctrace_ctf *w, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int ctrace_ctf_cannot_write(struct ctrace_ctf *w, const char *name, int err);

/* --- ctf_stream.c ---------------------------------------------------------------- */

void ctrace_ctf_streams_close(struct ctrace_ctf *w);

#endif /* CTRACE_LIB_CTF_WRITER_H */
