/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the stream files that the library wrote: packets of records, merged by time. It does not read
 * the traces of other tracers; babeltrace2 reads any.
 */
#ifndef CTRACE_CTF_READ_H
#define CTRACE_CTF_READ_H

#include <libctrace.h>
#include "base/util.h"

struct ctf_reader;

/* Opens the streams of dir. On error: NULL, and errno says why. */
struct ctf_reader *ctf_reader_open(const char *dir, const uint8_t uuid[16]);
void ctf_reader_close(struct ctf_reader *r);
/*
 * The next record in order of time, good until the next call; NULL at the end. *lost: the losses, in
 * kernel or recorder, that the packets read since the last call report.
 */
const struct ctrace_record *ctf_reader_next(struct ctf_reader *r, uint64_t *lost);
/*
 * The name of a file that was not read to its end, because no packet followed where one should, with
 * the reason in *why. NULL: there is none.
 */
const char *ctf_reader_damaged(const struct ctf_reader *r, const char **why);

#endif
