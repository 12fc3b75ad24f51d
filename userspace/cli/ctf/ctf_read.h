/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads back what sink_ctf.c wrote: packets of records, merged by time over the
 * stream files. A trace of another tracer is not for this: babeltrace2 reads any.
 */
#ifndef CTRACE_CTF_READ_H
#define CTRACE_CTF_READ_H

#include <libctrace.h>
#include "base/util.h"

struct ctf_reader;

/* Opens the streams of dir. NULL and errno. */
struct ctf_reader *ctf_reader_open(const char *dir, const uint8_t uuid[16]);
void ctf_reader_close(struct ctf_reader *r);
/*
 * Next record in order of time, good until the next call; NULL at the end. *lost: records
 * lost in the kernel or the recorder that became known since the last call.
 */
const struct ctrace_record *ctf_reader_next(struct ctf_reader *r, uint64_t *lost);
/* Name of a file that was left before its end because what followed is no packet; NULL: none. */
const char *ctf_reader_damaged(const struct ctf_reader *r, const char **why);

#endif
