/* SPDX-License-Identifier: GPL-2.0-only */
/* Aggregates: events that are counted in a table (uapi/ctrace_table.h) in place of a record. */
#ifndef CTRACE_AGGREGATE_H
#define CTRACE_AGGREGATE_H

#include <linux/err.h>
#include <linux/percpu.h>
#include "aggregate/table.h"

/* The memory of a session's tables, part of its arena. The caller of _new() and _room_* holds ctrace_lock. */
struct ctrace_table_room {
	void *mem;		/* NULL: there is none */
	u64 offset;		/* of mem in what session-wide readers map */
	u64 size, used;
};

struct ctrace_aggregate_cpu {
	struct ctrace_table_part *part;	/* invariant */
	u32 nest;		/* writers at work: the outermost and those that interrupted it */
};

/* Immutable but for the numbers. The probe that it belongs to owns it; its memory is the arena's. */
struct ctrace_aggregate {
	struct ctrace_table_shape shape;
	struct ctrace_aggregate_cpu __percpu *cpu;
	u64 offset;		/* of struct ctrace_table in what readers map */
	u32 rows;		/* of each CPU */
};

/* Process context. Makes the table for agg: 0, or -ENOSPC with a sentence in why, or -ENOMEM. */
int ctrace_aggregate_new(const struct ctrace_agg *agg, u32 rows, u32 probe, struct ctrace_table_room *room,
			 struct ctrace_aggregate **out, char *why);
/* The tables made since *used was this have gone, and no reader knew of them: others may be made there. */
void ctrace_table_room_back(struct ctrace_table_room *room, u64 used);
/* No probe function sees it any more. Its memory stays with the arena. */
void ctrace_aggregate_free(struct ctrace_aggregate *t);
/* Does a table for a have the same columns as t? */
bool ctrace_aggregate_fits(const struct ctrace_aggregate *t, const struct ctrace_agg *a);

/* An event to count. The caller keeps all of it until ctrace_aggregate_count() returns. */
struct ctrace_aggregate_event {
	u32 cid, id;
	const void *payload;	/* len bytes, as a record holds them */
	u32 len;
	const struct ctrace_expr_ctx *x;	/* only looked at if agg->words */
	/*
	 * Only called for keys that are stacks. They write at most CTRACE_TABLE_FRAMES addresses, and return
	 * how many.
	 */
	u32 (*kernel_stack)(u64 *to, const void *arg);
	u32 (*user_stack)(u64 *to, const void *arg);
	const void *arg;
	/* [CTRACE_TABLE_FRAMES] for these; NULL: there is no room, so the stack is lost */
	u64 *frames;
};

/* agg: t was made for it, or fits it. Any context incl. NMI; preemption off. */
void ctrace_aggregate_count(struct ctrace_aggregate *t, const struct ctrace_agg *agg,
			    const struct ctrace_aggregate_event *e);
/* An event that could not be counted at all. Context: the same. */
void ctrace_aggregate_lost(struct ctrace_aggregate *t);

/* The hash of a key: mixed with each word in turn, from 0 on, and then this shift. */
static __always_inline u64 ctrace_aggregate_mix(u64 h, u64 word)
{
	return (h ^ word) * 0x9e3779b97f4a7c15ull;	/* 2^64 / the golden ratio */
}

#define CTRACE_AGGREGATE_HASH_SHIFT	32

/* --- in line ---------------------------------------------------------------------- */

/* The words of a key that is counted in line. */
struct ctrace_aggregate_key {
	u64 w[5];
};

/*
 * *row becomes the row of key k of n words whose hash is h, if it is where it is in most cases; else this
 * returns false. n is a constant; words beyond it are not looked at. After a row comes
 * ctrace_aggregate_quick_end(). nest is written first: see table.h.
 *
 * Context: ctrace_aggregate_count(). nested, a constant: another writer of this CPU may have been
 * interrupted, and this row may be half made. One that is whole stays the key's, as only a writer that
 * interrupted none takes rows from others. Without nested, no row is half made; one that was never used has
 * words of 0, but of several words, the second is never 0.
 */
static __always_inline bool ctrace_aggregate_quick_begin(const struct ctrace_aggregate *t, u64 h, u32 n,
							 const struct ctrace_aggregate_key *k, bool nested,
							 struct ctrace_table_row **row)
{
	struct ctrace_aggregate_cpu __percpu *cpu = t->cpu;
	const struct ctrace_table_shape *s = &t->shape;
	struct ctrace_table_row *r;
	u32 gen = 2;

	this_cpu_inc(cpu->nest);
	/* part + 1: rows_off, known to the compiler */
	r = ctrace_table_at(s, this_cpu_read(cpu->part) + 1, h >> CTRACE_AGGREGATE_HASH_SHIFT & s->rows_mask);
	if (nested || n == 1) {
		gen = READ_ONCE(r->gen);
		/* an interrupt may have made the row: what was read before its gen was nothing */
		barrier();
	}
	if (unlikely(!gen || gen & 1 || r->words[0] != k->w[0] || (n > 1 && r->words[1] != k->w[1]) || (n > 2 && r->words[2] != k->w[2]) ||
		     (n > 3 && r->words[3] != k->w[3]) || (n > 4 && r->words[4] != k->w[4]))) {
		this_cpu_dec(cpu->nest);
		return false;
	}
	*row = r;
	return true;
}

static __always_inline void ctrace_aggregate_quick_end(const struct ctrace_aggregate *t)
{
	this_cpu_dec(t->cpu->nest);
}

/*
 * ctrace_aggregate_count() of the number v with such a key, in line: the same row, the same numbers. False:
 * nothing has been counted. Context: as above, without nested.
 */
static __always_inline bool ctrace_aggregate_quick(const struct ctrace_aggregate *t, u64 h, u32 n, const struct ctrace_aggregate_key *k, u64 v)
{
	struct ctrace_table_row *r;

	if (!ctrace_aggregate_quick_begin(t, h, n, k, false, &r))
		return false;
	ctrace_table_add_one(&t->shape, r, n, v);
	ctrace_aggregate_quick_end(t);
	return true;
}

/*
 * Can ctrace_aggregate_call() count for a, whose table is t? All functions are of the duration, and the keys
 * are the call, or the call and the error. Any context.
 */
bool ctrace_aggregate_of_calls(const struct ctrace_aggregate *t, const struct ctrace_agg *a);

/* Counts a whole call. id is not 0. Returns, context: ctrace_aggregate_quick(). */
static __always_inline bool ctrace_aggregate_call(const struct ctrace_aggregate *t, u64 cid, u64 id, u64 duration, long ret)
{
	struct ctrace_aggregate_key k = { .w = { cid, id, IS_ERR_VALUE(ret) ? -ret : 0 } };
	u64 h = ctrace_aggregate_mix(ctrace_aggregate_mix(0, cid), id);

	if (t->shape.key_words == 2)
		return ctrace_aggregate_quick(t, h, 2, &k, duration);
	return ctrace_aggregate_quick(t, ctrace_aggregate_mix(h, k.w[2]), 3, &k, duration);
}

/* The same of sched_wait: the key is the reason, which is not 0, or there is none. */
bool ctrace_aggregate_of_waits(const struct ctrace_aggregate *t, const struct ctrace_agg *a);

static __always_inline bool ctrace_aggregate_wait(const struct ctrace_aggregate *t, u32 cid, u32 reason, u64 duration)
{
	struct ctrace_aggregate_key k = { .w = { cid, reason } };
	u64 h = ctrace_aggregate_mix(0, cid);

	if (t->shape.key_words == 1)
		return ctrace_aggregate_quick(t, h, 1, &k, duration);
	return ctrace_aggregate_quick(t, ctrace_aggregate_mix(h, reason), 2, &k, duration);
}

/*
 * The same of a part of a wait, sched_blame: the functions are count() and sum(), the keys culprit, which is
 * not 0, culprit_cid, and culprit_comm.
 */
bool ctrace_aggregate_of_blame(const struct ctrace_aggregate *t, const struct ctrace_agg *a);

#define CTRACE_AGGREGATE_BLAME_WORDS	5u

/*
 * Counts v with key k in the row that t has for it, wherever that is. t's functions are alike. Context:
 * ctrace_aggregate_count().
 */
void ctrace_aggregate_key_count(const struct ctrace_aggregate *t, const struct ctrace_aggregate_key *k, u64 v);

/* Counts v, which it always does. Context: ctrace_aggregate_quick(). */
static __always_inline void ctrace_aggregate_blame(const struct ctrace_aggregate *t, const struct ctrace_aggregate_key *k, u64 v)
{
	const u32 n = CTRACE_AGGREGATE_BLAME_WORDS;
	struct ctrace_table_row *r;
	u64 h = 0;
	u32 i;

	for (i = 0; i < n; i++)
		h = ctrace_aggregate_mix(h, k->w[i]);
	if (!ctrace_aggregate_quick_begin(t, h, n, k, false, &r)) {
		ctrace_aggregate_key_count(t, k, v);
		return;
	}
	ctrace_table_plus(r->words + n, 1);
	ctrace_table_plus(r->words + n + 1, v);
	ctrace_aggregate_quick_end(t);
}

/*
 * The same of block_io: the keys are dev and rwbs, the functions count(), sum(bytes), sum(duration),
 * sum(queued), sum(throttled), max(duration), hist(duration) and hist(queued).
 */
bool ctrace_aggregate_of_io(const struct ctrace_aggregate *t, const struct ctrace_agg *a);

/* False: nothing has been counted. Context: ctrace_aggregate_count(). */
static __always_inline bool ctrace_aggregate_io(const struct ctrace_aggregate *t, u32 cid, u32 dev, u32 rwbs,
						u32 bytes, u64 duration, u64 queued, u64 throttled)
{
	u64 h = ctrace_aggregate_mix(ctrace_aggregate_mix(ctrace_aggregate_mix(0, cid), dev), rwbs);
	struct ctrace_aggregate_key k = { .w = { cid, dev, rwbs } };
	struct ctrace_table_row *r;

	if (!ctrace_aggregate_quick_begin(t, h, 3, &k, true, &r))
		return false;
	ctrace_table_plus(r->words + 3, 1);
	ctrace_table_plus(r->words + 4, bytes);
	ctrace_table_plus(r->words + 5, duration);
	ctrace_table_plus(r->words + 6, queued);
	ctrace_table_plus(r->words + 7, throttled);
	ctrace_table_extreme(r->words + 8, duration, false, true);
	ctrace_table_plus(r->words + 9 + ctrace_table_bucket_unsigned(duration), 1);
	ctrace_table_plus(r->words + 9 + CTRACE_TABLE_BUCKETS + ctrace_table_bucket_unsigned(queued), 1);
	ctrace_aggregate_quick_end(t);
	return true;
}

#endif
