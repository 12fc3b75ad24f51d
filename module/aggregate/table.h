/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing a table: the pure algorithm, without the module around it. uapi/ctrace_table.h has the layout and
 * the reader's side. Compiles on a host, too: the command counts a recording's events by it.
 *
 * One CPU writes a part. Only that CPU's own interrupts and NMIs can interrupt a writer, and they nest
 * strictly. So
 *
 *  - a row is claimed by a compare-and-exchange of its gen that need not be atomic against other CPUs. An
 *    interrupt that meets a row which is being made passes by it, and takes the next one: the same key may
 *    have two rows;
 *  - a number is added to by an instruction, or a loop, that an interrupt cannot split (local64_t);
 *  - a row is taken from a container that has gone only by a writer that interrupted no other: that one might
 *    be about to add to it. An interrupt that comes during this passes by it.
 *
 * Readers are on any CPU, and only read:
 *
 *	writer					reader
 *	gen odd					load-acquire gen: even?
 *	write key, first numbers		read them
 *	store-release gen, even
 *
 *	store recycled, odd; smp_wmb()		load-acquire recycled: even?
 *	gen odd; add to ALL's row;		read all rows; smp_rmb()
 *	write key, first numbers; gen even
 *	store-release recycled, even		read recycled: the same?
 *
 * recycled is odd before gen is: a reader that leaves out a row because its gen is odd must see that it has
 * to look again.
 */
#ifndef CTRACE_AGGREGATE_TABLE_H
#define CTRACE_AGGREGATE_TABLE_H

#include "lang/agg.h"
#include "lang/hosted.h"

#define CTRACE_TABLE_TRIES	8u	/* rows that may hold a key */

/*
 * What the writer knows of a table. Invariant. Nothing is decided by what the memory says that readers map.
 */
struct ctrace_table_shape {
	u32 row_size, key_words;
	u32 rows_mask, others_mask, stacks_mask;	/* numbers of rows - 1 */
	u32 rows_off, others_off, stacks_off;		/* in a part */
	u32 nvalues;
	struct {
		u8 fn;
		bool is_signed;
		u16 at;		/* words, in a row's words[] */
	} values[CTRACE_TABLE_VALUES];
	/*
	 * alike: all functions are of one unsigned number, and none occurs twice (avg() is sum() and
	 * count()). Then this says where in words[] each is; 0: it has none.
	 */
	bool alike;
	/* they are count, sum, min, max and hist, in this order, as for `ctrace stats` */
	bool standard;
	u8 of;			/* a value that is of that number; if all are count(), one of them */
	struct {
		u16 count, sum, min, max, hist;
	} one;
};

/* A key for ctrace_table_row(), with room for the longest. */
struct ctrace_table_words {
	u64 w[CTRACE_TABLE_KEY_WORDS];
};

static __always_inline void ctrace_table_plus(__u64 *word, u64 v)
{
	local64_add(v, (local64_t *)word);
}

static __always_inline bool ctrace_table_less(u64 a, u64 b, bool is_signed)
{
	return is_signed ? (s64)a < (s64)b : a < b;
}

/* *word becomes v, if v is less (or, with more, greater). */
static __always_inline void ctrace_table_extreme(__u64 *word, u64 v, bool is_signed, bool more)
{
	u64 old = READ_ONCE(*word), seen;

	/* most values are neither; the compiler would put the loop first */
	if (likely(more ? !ctrace_table_less(old, v, is_signed) : !ctrace_table_less(v, old, is_signed)))
		return;
	while (more ? ctrace_table_less(old, v, is_signed) : ctrace_table_less(v, old, is_signed)) {
		seen = local64_cmpxchg((local64_t *)word, old, v);
		if (seen == old)
			break;
		old = seen;
	}
}

/* The numbers that a row begins with. */
static inline void ctrace_table_begin(const struct ctrace_table_shape *s, struct ctrace_table_row *r)
{
	u64 top;
	u32 i;

	memset(r->words + s->key_words, 0, s->row_size - sizeof(*r) - s->key_words * sizeof(u64));
	for (i = 0; i < s->nvalues; i++) {
		top = s->values[i].is_signed ? ~0ull >> 1 : ~0ull;
		if (s->values[i].fn == CTRACE_TABLE_MIN)
			r->words[s->values[i].at] = top;
		else if (s->values[i].fn == CTRACE_TABLE_MAX)
			r->words[s->values[i].at] = ~top;	/* the smallest of that sign */
	}
}

/* Adds one event's number v to value i of row r. */
static __always_inline void ctrace_table_add(const struct ctrace_table_shape *s, struct ctrace_table_row *r, u32 i, u64 v)
{
	__u64 *at = r->words + s->values[i].at;

	switch (s->values[i].fn) {
	case CTRACE_TABLE_COUNT:
		ctrace_table_plus(at, 1);
		break;
	case CTRACE_TABLE_AVG:
		ctrace_table_plus(at + 1, 1);
		ctrace_table_plus(at, v);
		break;
	case CTRACE_TABLE_SUM:
		ctrace_table_plus(at, v);
		break;
	case CTRACE_TABLE_MIN:
	case CTRACE_TABLE_MAX:
		ctrace_table_extreme(at, v, s->values[i].is_signed, s->values[i].fn == CTRACE_TABLE_MAX);
		break;
	case CTRACE_TABLE_HIST:
		ctrace_table_plus(at + (s->values[i].is_signed ? ctrace_table_bucket(v) :
					ctrace_table_bucket_unsigned(v)), 1);
		break;
	}
}

/*
 * Adds one event's number v to all values of row r, in one step. The table's functions are alike. n: the
 * key's words, a constant where it can be one.
 */
static __always_inline void ctrace_table_add_one(const struct ctrace_table_shape *s, struct ctrace_table_row *r, u32 n, u64 v)
{
	__u64 *at = r->words + n;

	if (likely(s->standard)) {
		ctrace_table_plus(at, 1);
		ctrace_table_plus(at + 1, v);
		ctrace_table_extreme(at + 2, v, false, false);
		ctrace_table_extreme(at + 3, v, false, true);
		ctrace_table_plus(at + 4 + ctrace_table_bucket_unsigned(v), 1);
		return;
	}
	if (s->one.count)
		ctrace_table_plus(r->words + s->one.count, 1);
	if (s->one.sum)
		ctrace_table_plus(r->words + s->one.sum, v);
	if (s->one.min)
		ctrace_table_extreme(r->words + s->one.min, v, false, false);
	if (s->one.max)
		ctrace_table_extreme(r->words + s->one.max, v, false, true);
	if (s->one.hist)
		ctrace_table_plus(r->words + s->one.hist + ctrace_table_bucket_unsigned(v), 1);
}

/* Adds all numbers of row `from`, which nobody else writes now, to the numbers of row `to`. */
static inline void ctrace_table_merge(const struct ctrace_table_shape *s, struct ctrace_table_row *to,
				      const struct ctrace_table_row *from)
{
	u32 i, k, n;

	for (i = 0; i < s->nvalues; i++) {
		u32 at = s->values[i].at;
		u8 fn = s->values[i].fn;

		if (fn == CTRACE_TABLE_MIN || fn == CTRACE_TABLE_MAX) {
			ctrace_table_extreme(to->words + at, from->words[at], s->values[i].is_signed, fn == CTRACE_TABLE_MAX);
			continue;
		}
		n = fn == CTRACE_TABLE_HIST ? CTRACE_TABLE_BUCKETS : fn == CTRACE_TABLE_AVG ? 2 : 1;
		for (k = at; k < at + n; k++)
			if (from->words[k])
				ctrace_table_plus(to->words + k, from->words[k]);
	}
}

static __always_inline struct ctrace_table_row *ctrace_table_at(const struct ctrace_table_shape *s, void *rows, u32 i)
{
	return rows + (size_t)i * s->row_size;
}

static __always_inline bool ctrace_table_is(const struct ctrace_table_row *r, const u64 *key, u32 hash, u32 n)
{
	u32 i;

	if (r->hash != hash)
		return false;
	for (i = 0; i < n; i++)
		if (r->words[i] != key[i])
			return false;
	return true;
}

/*
 * Makes row r key's. The caller has made its gen odd, so no reader and no interrupt uses the row during this.
 */
static inline void ctrace_table_make(const struct ctrace_table_shape *s, struct ctrace_table_row *r, u32 gen,
				     const u64 *key, u32 hash)
{
	u32 i;

	r->hash = hash;
	for (i = 0; i < s->key_words; i++)
		r->words[i] = key[i];
	ctrace_table_begin(s, r);
	smp_store_release(&r->gen, gen + 2);	/* pairs with the readers' load of gen: the row is whole */
}

/*
 * False: an interrupt has taken it. Only this CPU writes gen, so the exchange need not be atomic for others.
 */
static __always_inline bool ctrace_table_claim(struct ctrace_table_row *r, u32 gen)
{
	return cmpxchg_local(&r->gen, gen, gen + 1) == gen;
}

/* The row of key among mask + 1 rows, made if there is room; else NULL. */
static __always_inline struct ctrace_table_row *ctrace_table_find(const struct ctrace_table_shape *s, void *rows, u32 mask,
								  u32 ntries, const u64 *key, u32 hash)
{
	struct ctrace_table_row *r;
	u32 i, gen;

	for (i = 0; i < ntries; i++) {
		r = ctrace_table_at(s, rows, (hash + i) & mask);
		gen = READ_ONCE(r->gen);
		/* an interrupt may have made the row: what was read before its gen was nothing */
		barrier();
		if (!gen) {
			if (!ctrace_table_claim(r, 0))
				continue;
			ctrace_table_make(s, r, 0, key, hash);
			return r;
		}
		if (!(gen & 1) && ctrace_table_is(r, key, hash, s->key_words))
			return r;
	}
	return NULL;
}

/* The row of what found none: the last of others[], made with the table. */
static __always_inline struct ctrace_table_row *ctrace_table_rest(const struct ctrace_table_shape *s,
								  struct ctrace_table_part *part)
{
	return ctrace_table_at(s, (void *)part + s->others_off, s->others_mask);
}

/*
 * Takes a row from a container that is not known any more. The caller interrupted no other writer of the
 * part.
 */
static noinline __maybe_unused struct ctrace_table_row *ctrace_table_recycle(const struct ctrace_table_shape *s,
	struct ctrace_table_part *part, void *rows, u32 mask, u32 ntries, const u64 *key, u32 hash, bool (*known)(u32 cid))
{
	struct ctrace_table_row *r, *rest = ctrace_table_rest(s, part);
	u32 i, gen;

	for (i = 0; i < ntries; i++) {
		r = ctrace_table_at(s, rows, (hash + i) & mask);
		gen = READ_ONCE(r->gen);
		if ((gen & 1) || r == rest || known((u32)r->words[0]))
			continue;
		/*
		 * Interrupts neither make this row (it is not new) nor take it (they are not alone): gen is
		 * still the same.
		 */
		WRITE_ONCE(part->recycled, part->recycled + 1);
		smp_wmb();	/* pairs with the readers' barrier before they read recycled again */
		WRITE_ONCE(r->gen, gen + 1);
		barrier();	/* interrupts pass by the row from here on */
		ctrace_table_merge(s, rest, r);
		ctrace_table_make(s, r, gen, key, hash);
		smp_store_release(&part->recycled, part->recycled + 1);	/* pairs with their load-acquire */
		return r;
	}
	return NULL;
}

/* The row of an event whose own key found none: its container's other row, or the rest. */
static noinline __maybe_unused struct ctrace_table_row *ctrace_table_crowded(const struct ctrace_table_shape *s,
	struct ctrace_table_part *part, u64 cid, bool alone, bool (*known)(u32 cid))
{
	void *others = (void *)part + s->others_off;
	struct ctrace_table_words other = { .w = { cid | CTRACE_TABLE_OTHER } };
	struct ctrace_table_row *r;

	/* the rest's row has another key, so it is passed by */
	r = ctrace_table_find(s, others, s->others_mask, CTRACE_TABLE_TRIES, other.w, (u32)cid);
	if (!r && alone)
		r = ctrace_table_recycle(s, part, others, s->others_mask, CTRACE_TABLE_TRIES, other.w, (u32)cid, known);
	return r ?: ctrace_table_rest(s, part);
}

/*
 * The row that counts an event with this key, whose word 0 is the container. Never NULL. alone: the caller
 * interrupted no other writer of this part. known: are there still events of that container? Any context
 * incl. NMI; preemption off.
 */
static __always_inline struct ctrace_table_row *ctrace_table_row(const struct ctrace_table_shape *s,
	struct ctrace_table_part *part, const u64 *key, u32 hash, bool alone, bool (*known)(u32 cid))
{
	u32 ntries = s->rows_mask < CTRACE_TABLE_TRIES ? s->rows_mask + 1 : CTRACE_TABLE_TRIES;
	void *rows = (void *)part + s->rows_off;
	struct ctrace_table_row *r;

	r = ctrace_table_find(s, rows, s->rows_mask, ntries, key, hash);
	if (likely(r))
		return r;
	if (alone)
		r = ctrace_table_recycle(s, part, rows, s->rows_mask, ntries, key, hash, known);
	return r ?: ctrace_table_crowded(s, part, key[0], alone, known);
}

/*
 * The number of the stack for a key: 1 + its place in stacks[]; 0: there is none, or no room. Stays as it is
 * once it is made. Context: the same.
 */
static inline u64 ctrace_table_stack(const struct ctrace_table_shape *s, struct ctrace_table_part *part, const u64 *frames,
				     u32 n, u32 hash)
{
	struct ctrace_table_stack *stacks = (void *)part + s->stacks_off, *t;
	u32 i, gen, at;

	if (!n)
		return 0;
	for (i = 0; i < CTRACE_TABLE_TRIES; i++) {
		at = (hash + i) & s->stacks_mask;
		t = &stacks[at];
		gen = READ_ONCE(t->gen);
		barrier();
		if (!gen && cmpxchg_local(&t->gen, 0, 1) == 0) {
			t->n = n;
			memcpy(t->frames, frames, n * sizeof(*frames));
			smp_store_release(&t->gen, 2);	/* pairs with the readers' load of gen */
			return at + 1;
		}
		if (gen == 2 && t->n == n && !memcmp(t->frames, frames, n * sizeof(*frames)))
			return at + 1;
	}
	ctrace_table_plus(&part->stacks_lost, 1);
	return 0;
}

#endif
