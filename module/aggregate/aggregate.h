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
/* The tables made since *used was this have gone, and no reader was told of them: others may be made there. */
void ctrace_table_room_back(struct ctrace_table_room *room, u64 used);
/* No probe function sees it any more. Its memory stays with the arena. */
void ctrace_aggregate_free(struct ctrace_aggregate *t);
/* Does a table for a have the same columns as t? */
bool ctrace_aggregate_fits(const struct ctrace_aggregate *t, const struct ctrace_agg *a);

/* What is counted. The caller keeps all of it until ctrace_aggregate_count() returns. */
struct ctrace_aggregate_event {
	u32 cid, id;
	const void *payload;	/* len bytes, as a record holds them */
	u32 len;
	const struct ctrace_expr_ctx *x;	/* only looked at if agg->words */
	/* Only called for keys that are stacks. They write at most CTRACE_TABLE_FRAMES addresses, and return how many. */
	u32 (*kernel_stack)(u64 *to, const void *arg);
	u32 (*user_stack)(u64 *to, const void *arg);
	const void *arg;
	u64 *frames;		/* [CTRACE_TABLE_FRAMES] for these; NULL: there is no room, so the stack is lost */
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

/*
 * ctrace_aggregate_count() of the number v with a key of n words whose hash is h, in line: the same row, the same numbers. n is
 * a constant; words beyond it are not looked at. False: the row is not where it is in most cases, and nothing has been counted.
 *
 * Context: the same, but no other writer of this CPU may have been interrupted. So no row is half made. A row that was never
 * used has words of 0. nest is written first: see table.h.
 */
static __always_inline bool ctrace_aggregate_quick(const struct ctrace_aggregate *t, u64 h, u32 n, u64 k0, u64 k1, u64 k2, u64 v)
{
	struct ctrace_aggregate_cpu __percpu *cpu = t->cpu;
	const struct ctrace_table_shape *s = &t->shape;
	struct ctrace_table_row *r;

	this_cpu_inc(cpu->nest);
	/* part + 1: rows_off, known to the compiler */
	r = ctrace_table_at(s, this_cpu_read(cpu->part) + 1, h >> CTRACE_AGGREGATE_HASH_SHIFT & s->rows_mask);
	/* Of several words, the second is never 0. */
	if (unlikely(r->words[0] != k0 || (n == 1 && !r->gen) || (n > 1 && r->words[1] != k1) || (n > 2 && r->words[2] != k2))) {
		this_cpu_dec(cpu->nest);
		return false;
	}
	ctrace_table_add_one(s, r, n, v);
	this_cpu_dec(cpu->nest);
	return true;
}

/*
 * Can ctrace_aggregate_call() count for a, whose table is t? All functions are of the duration, and the keys are the call,
 * or the call and the error. Any context.
 */
bool ctrace_aggregate_of_calls(const struct ctrace_aggregate *t, const struct ctrace_agg *a);

/* Counts a whole call. id is not 0. Returns, context: ctrace_aggregate_quick(). */
static __always_inline bool ctrace_aggregate_call(const struct ctrace_aggregate *t, u64 cid, u64 id, u64 duration, long ret)
{
	u64 h = ctrace_aggregate_mix(ctrace_aggregate_mix(0, cid), id), error = 0;

	if (t->shape.key_words == 2)
		return ctrace_aggregate_quick(t, h, 2, cid, id, 0, duration);
	if (IS_ERR_VALUE(ret))
		error = -ret;
	return ctrace_aggregate_quick(t, ctrace_aggregate_mix(h, error), 3, cid, id, error, duration);
}

/* The same of sched_wait: the key is the reason, which is not 0, or there is none. */
bool ctrace_aggregate_of_waits(const struct ctrace_aggregate *t, const struct ctrace_agg *a);

static __always_inline bool ctrace_aggregate_wait(const struct ctrace_aggregate *t, u32 cid, u32 reason, u64 duration)
{
	u64 h = ctrace_aggregate_mix(0, cid);

	if (t->shape.key_words == 1)
		return ctrace_aggregate_quick(t, h, 1, cid, 0, 0, duration);
	return ctrace_aggregate_quick(t, ctrace_aggregate_mix(h, reason), 2, cid, reason, 0, duration);
}

#endif
