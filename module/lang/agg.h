/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Aggregates, such as `count(), hist(duration) by comm, dev`: the functions say what is added up, and there
 * is one sum for each value of the keys. Compiled once, in process context, into a description of bounded
 * size. The grammar is at CTRACE_A_PROBE_AGGREGATE, what is made of it in uapi/ctrace_table.h.
 * Compiles on a host, too.
 */
#ifndef CTRACE_AGG_H
#define CTRACE_AGG_H

#include "lang/fields.h"
#include "../uapi/ctrace_table.h"

enum ctrace_agg_op { CTRACE_AGG_PLAIN, CTRACE_AGG_DIVIDE, CTRACE_AGG_MASK, CTRACE_AGG_LOG2 };

/* A key, or what a function is of. */
struct ctrace_agg_column {
	u8 kind;		/* enum ctrace_table_key, or of a value enum ctrace_table_fn */
	u8 what, part;		/* as struct ctrace_expr_term has it */
	u8 op;			/* enum ctrace_agg_op */
	bool is_signed;
	u8 words;
	u8 at;			/* in the key */
	u8 size;		/* of a number's field with a fixed place: its bytes; else 0 */
	u16 place;		/* of such a one: where it is in the payload */
	u16 from;		/* in the values */
	u64 arg;		/* of op */
	u64 reciprocal;		/* 0, or a power of two's shift + 1: divides without a division */
};

/* Immutable once made; the maker frees it. */
struct ctrace_agg {
	u32 nkeys, nvalues;
	u32 key_words, value_words;	/* the container's word included */
	u32 head;		/* fields below this number are all that is asked for */
	bool words;		/* a $word is asked for */
	bool stack, ustack;	/* a key is one */
	struct ctrace_field_places fields;
	struct ctrace_agg_column keys[CTRACE_TABLE_KEYS], values[CTRACE_TABLE_VALUES];
	struct ctrace_table_column key_names[CTRACE_TABLE_KEYS], value_names[CTRACE_TABLE_VALUES];
};

/*
 * Compiles text for an event type with these fields. call: of whole calls, so syscall can be asked for. 0 and
 * *out; or -EINVAL, and why names the bad word and its column; or -ENOMEM. Process context.
 */
int ctrace_agg_new(const char *text, const struct ctrace_field_desc *fields, u32 nfields, bool call,
		   struct ctrace_agg **out, char *why, size_t why_size);
void ctrace_agg_free(struct ctrace_agg *a);

/*
 * Any context incl. NMI. Fills key[key_words] but for word 0 and the stacks, which become 0. w: a walk over
 * the payload. x is only looked at if a->words.
 */
void ctrace_agg_key(const struct ctrace_agg *a, struct ctrace_walk *w, const struct ctrace_expr_ctx *x, u32 id, u64 *key);
/*
 * *v: the number of column c's field, not rounded. False: the event lacks it, and the function does not count
 * it; a key is 0 then. Not of count().
 */
bool ctrace_agg_field(const struct ctrace_agg_column *c, struct ctrace_walk *w, u64 *v);

/*
 * The same, without a call for most fields. The payload is aligned to 8, and each number in it to its size.
 */
static __always_inline bool ctrace_agg_value(const struct ctrace_agg_column *c, struct ctrace_walk *w, u64 *v)
{
	const void *p = w->payload + c->place;

	if (c->size == 8 && c->place + 8u <= w->len) {
		*v = *(const u64 *)p;
		return true;
	}
	if (c->size == 4 && c->place + 4u <= w->len) {
		*v = c->is_signed ? (u64)*(const s32 *)p : *(const u32 *)p;
		return true;
	}
	return ctrace_agg_field(c, w, v);
}

#endif
