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
 * One of these losses; call it until it returns false, as often as *lost is not 0. They lie between two times: that of
 * the last record before them, 0 if there is none, and the beginning of the packet behind them.
 */
struct ctf_loss {
	uint32_t cid, cpu;	/* CTRACE_CID_ALL: of a stream that containers share */
	uint64_t n, after, before;
};
bool ctf_reader_loss(struct ctf_reader *r, struct ctf_loss *l);
/* The CPU of the record that ctf_reader_next() gave last. */
uint32_t ctf_reader_cpu(const struct ctf_reader *r);
/* One more than the highest number of a CPU that a stream is of; at least 1. */
uint32_t ctf_reader_ncpus(const struct ctf_reader *r);
/* What the packets of this container's own streams, read so far, say was lost; CTRACE_CID_ALL: of shared streams. */
uint64_t ctf_reader_lost(const struct ctf_reader *r, uint32_t cid);
/* Bytes of all files. */
uint64_t ctf_reader_size(const struct ctf_reader *r);
/* How much of all files was read, from 0 to 1. */
double ctf_reader_done(const struct ctf_reader *r);
/*
 * The name of a file that was not read to its end, because no packet followed where one should, with
 * the reason in *why. NULL: there is none.
 */
const char *ctf_reader_damaged(const struct ctf_reader *r, const char **why);

#endif
