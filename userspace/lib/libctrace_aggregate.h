/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libctrace: events that the kernel counts in tables instead of recording them, and how to read these tables.
 *
 *	ctrace_session_new(ct, &o, &s)			o.table_size: bytes for all tables of the session
 *	ctrace_aggregate_add(s, "calls", &p, &i, ...)	p.aggregate: "count() by syscall, errno"
 *	ctrace_reader_open(s, NULL, &r)			a mapping of the session; no records need be read
 *	ctrace_aggregate_open(r, i.table, &a)
 *	ctrace_session_start(s)
 *	ctrace_look_take(a, &look)			all rows at this moment, one for each key
 *	ctrace_look_gain(look, before, &gain)		what came between two looks
 *
 * The kernel only adds, and no reader clears a table. So any number of readers look at their own intervals,
 * each by the difference of its own two looks.
 *
 * Return values, ownership, threads and structs that grow are as in libctrace.h: 0 or a negative errno; what
 * a function returns a pointer to belongs to the object that it came from. Use a reader, and what was opened
 * on it, in one thread at a time. Nothing here asks the kernel for anything, but for ctrace_aggregate_add();
 * so there are no sentences.
 *
 * Even if the mapping contains garbage, these functions neither read outside of it nor wait for ever: the
 * layout is checked once and copied, and a row that keeps changing is read a bounded number of times.
 */
#ifndef LIBCTRACE_AGGREGATE_H
#define LIBCTRACE_AGGREGATE_H

#include <ctrace/ctrace_table.h>
#include <ctrace/libctrace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- probes that count ------------------------------------------------------ */

struct ctrace_aggregate_info {
	uint32_t probe_id, event_id;	/* as ctrace_probe_add() gives them */
	uint32_t rows;			/* of the table on each CPU, as they came out */
	uint64_t table;			/* where the table is in the mapping: for ctrace_aggregate_open() */
};
/*
 * Adds a probe whose events are counted: o->aggregate is set, as CTRACE_A_PROBE_AGGREGATE describes it.
 * sz: sizeof(*i). Errors: as ctrace_probe_add(), and: -EINVAL: no aggregate, or the module does not
 * understand it. -ENOSPC: table_size of the session has no room for the table. -EPROTO: the module's answer
 * names no table.
 */
int ctrace_aggregate_add(struct ctrace_session *s, const char *name, const struct ctrace_probe_opts *o,
			 struct ctrace_aggregate_info *i, size_t sz);
/*
 * Bytes that a table takes: of `rows` rows on each of `cpus` CPUs, keys and values of so many words, the
 * container's word included; stack: a key is a stack. At least what the module needs, for struct
 * ctrace_session_opts.table_size, where the tables of several probes add up.
 */
uint64_t ctrace_aggregate_size(uint32_t cpus, uint32_t rows, uint32_t key_words, uint32_t value_words, bool stack);

/* --- tables ------------------------------------------------------------------ */

struct ctrace_aggregate;	/* a table in the mapping of a reader */

/*
 * Opens the table at offset `table` of the reader's mapping (struct ctrace_aggregate_info, struct
 * ctrace_probe_info). r must live as long as *out, and shows a whole session. -ENOENT: this mapping has no
 * tables. -EPROTO: the mapping has no table that this library understands.
 */
int ctrace_aggregate_open(struct ctrace_reader *r, uint64_t table, struct ctrace_aggregate **out);
/* Looks of a must be freed before. a may be NULL. */
void ctrace_aggregate_close(struct ctrace_aggregate *a);
/* The table's columns: a checked copy. Names end with a NUL. */
const struct ctrace_table *ctrace_aggregate_table(const struct ctrace_aggregate *a);

/* --- looks -------------------------------------------------------------------- */

/* a table's rows at a moment, or what they gained between two; one for each key */
struct ctrace_look;

/*
 * Copies the table, and adds up the rows of all CPUs that have the same key. It costs one pass over the rows
 * that are in use. Events that are counted at the same time are in it or not; of an event that is just being
 * counted, some columns may be. While a CPU gives an ended container's row away, the look waits for it, a
 * second at most for all. -ENOMEM.
 */
int ctrace_look_take(struct ctrace_aggregate *a, struct ctrace_look **out);
/*
 * What the table gained since an earlier look of the same aggregate: counts, sums and histograms are
 * differences; min and max cannot be subtracted, and are since the row began. It has only rows that gained
 * something. What a row lost to the CTRACE_CID_ALL row, because its container had ended, is no gain of that
 * row. before NULL: a copy of now. -EINVAL: of two tables, or one of them is a gain itself. -ENOMEM.
 */
int ctrace_look_gain(const struct ctrace_look *now, const struct ctrace_look *before, struct ctrace_look **out);
void ctrace_look_free(struct ctrace_look *l);

/*
 * Sums over all CPUs; of a gain, the differences. events that are in no row: lost. stacks_lost: those whose
 * stack found no place; they are in rows without it. recycled: rows of ended containers that were given away.
 * busy: rows that could not be read, because the kernel was changing them all the time that the look took,
 * and CPUs that gave rows away all that time, whose rows may be counted twice or not at all; the next look
 * has them right.
 */
struct ctrace_look_account {
	uint64_t lost, stacks_lost, recycled, busy;
};
void ctrace_look_account(const struct ctrace_look *l, struct ctrace_look_account *to, size_t sz);

struct ctrace_look_row {
	/* CTRACE_CID_ALL: of ended containers, and of those whose own rows had no room */
	uint32_t cid;
	bool other;		/* all of that container's keys that found no row; the key says nothing */
	/* key_words words; column c's are at keys[c].at. Stacks: see ctrace_row_stack() */
	const uint64_t *key;
	const uint64_t *values;	/* value_words words; column c's are at values[c].at */
};
size_t ctrace_look_rows(const struct ctrace_look *l);
/* The i-th row, by cid and then by key, from 0; NULL past the end. Good until ctrace_look_free(). */
const struct ctrace_look_row *ctrace_look_row(const struct ctrace_look *l, size_t i);

/*
 * A row's text in key column c: *len bytes, up to the first NUL; there may be none behind them. Only of
 * columns of kind CTRACE_TABLE_KEY_TEXT.
 */
const char *ctrace_row_text(const struct ctrace_look *l, const struct ctrace_look_row *row, uint32_t c, size_t *len);
/*
 * A row's stack in key column c: *n addresses, innermost first; NULL and 0: none. Equal stacks are equal
 * pointers. Good until ctrace_aggregate_close(). Only of kinds CTRACE_TABLE_KEY_STACK and _USTACK.
 */
const uint64_t *ctrace_row_stack(const struct ctrace_look *l, const struct ctrace_look_row *row, uint32_t c, uint32_t *n);
/*
 * sum has value_words words. _none() sets it to what no event makes; _add() adds the values of row, min and
 * max compared.
 */
void ctrace_row_none(const struct ctrace_look *l, uint64_t *sum);
void ctrace_row_add(const struct ctrace_look *l, uint64_t *sum, const struct ctrace_look_row *row);

/* --- histograms: CTRACE_TABLE_BUCKETS words, as hist() makes them ---------------- */

uint64_t ctrace_hist_count(const uint64_t *h);		/* of all values */
/*
 * The value that a share p (0.0 to 1.0) of all values does not exceed, with a straight line drawn through
 * each bucket: wrong by less than the bucket is wide, half of the value at most. 0 if there are no values.
 */
uint64_t ctrace_hist_percentile(const uint64_t *h, double p);
/*
 * The bounds that all values lie in: from the lowest bucket's bottom to the highest one's top. 0 if there are
 * none.
 */
uint64_t ctrace_hist_min(const uint64_t *h);
uint64_t ctrace_hist_max(const uint64_t *h);
/* The smallest value that bucket b counts; of bucket 0, 0. */
uint64_t ctrace_hist_bottom(uint32_t b);

#ifdef __cplusplus
}
#endif
#endif /* LIBCTRACE_AGGREGATE_H */
