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
 * Gives only the records with from <= time < to, and those `ahead` ns before and `behind` ns after. Packets
 * outside are skipped unread. before: a set of event types whose earlier records are given all the same, as
 * later ones need them; it outlives the reader. NULL: none. Call it before the first ctf_reader_next().
 */
#define CTF_TYPES	(1u << 16)
struct ctf_types {
	uint64_t bits[CTF_TYPES / 64];
};
void ctf_reader_window(struct ctf_reader *r, uint64_t from, uint64_t to, uint64_t ahead, uint64_t behind,
		       const struct ctf_types *before);
/* When the first packet begins and the last one ends, by the heads of all packets. False: there are none. */
bool ctf_reader_times(const struct ctf_reader *r, uint64_t *first, uint64_t *last);

static inline void ctf_types_add(struct ctf_types *t, uint16_t id)
{
	t->bits[id / 64] |= 1ull << id % 64;
}

static inline bool ctf_types_has(const struct ctf_types *t, uint16_t id)
{
	return t->bits[id / 64] >> id % 64 & 1;
}
/*
 * The next record in order of time, good until the next call; NULL at the end. *lost: the losses, in
 * kernel or recorder, that the packets read since the last call report.
 */
const struct ctrace_record *ctf_reader_next(struct ctf_reader *r, uint64_t *lost);
/*
 * One of these losses, those that touch the window; call it until it returns false, as often as *lost is not
 * 0. They lie between two times: that of the last record before them, 0 if there is none, and the beginning
 * of the packet behind them.
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
/*
 * What the packets of this container's own streams, read so far, say was lost; CTRACE_CID_ALL: of shared
 * streams.
 */
uint64_t ctf_reader_lost(const struct ctf_reader *r, uint32_t cid);
/* Bytes of all files. */
uint64_t ctf_reader_size(const struct ctf_reader *r);
/* How much of all files was read or skipped, from 0 to 1. */
double ctf_reader_done(const struct ctf_reader *r);
/*
 * The name of a file that was not read to its end, because no packet followed where one should, with
 * the reason in *why. NULL: there is none.
 */
const char *ctf_reader_damaged(const struct ctf_reader *r, const char **why);

#endif
