/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filter expressions, such as `prev_comm ~ "nginx*" && prev_prio < 100`, over the fields of an event and
 * over its owner. Compiled once, in process context, into a program of bounded length without loops,
 * which probes run. The grammar is at CTRACE_A_PROBE_FILTER.
 *
 * Compiles on a host, too: tests, the fuzzer and views of recordings run the same code.
 */
#ifndef CTRACE_EXPR_H
#define CTRACE_EXPR_H

#include "lang/hosted.h"
#include "../uapi/ctrace.h"
#include "../uapi/ctrace_netlink.h"

#define CTRACE_EXPR_TERMS	32	/* comparisons in one expression */
#define CTRACE_EXPR_DEPTH	16	/* brackets in brackets */
#define CTRACE_EXPR_FIELDS	32	/* most fields of a type */

struct ctrace_field_desc {
	const char *name;
	u8 kind;		/* enum ctrace_field_kind */
	u8 display;		/* enum ctrace_field_display */
	u8 size;		/* bytes, see CTRACE_A_FIELD_SIZE */
};

struct ctrace_expr;		/* immutable once made; the maker frees it */

/* The owner of the event, for the $words. */
struct ctrace_expr_ctx {
	const char *comm;	/* at most CTRACE_COMM_LEN bytes with the NUL; "": no task's */
	s32 tid, vtid, pid;	/* in the initial pid namespace, except vtid; 0: no task's */
	u32 uid, gid;		/* in the initial user namespace; CTRACE_EXPR_NO_ID: no task's */
	u32 cid, cpu;
	u32 missing;		/* bit i: the event has field i, but it is not what it should be */
	bool *undecided;	/* set to true if a field that is missing was compared; or NULL */
};
#define CTRACE_EXPR_NO_ID	0xffffffffu

/*
 * Compiles text for an event type with these fields (none: the text can use only $words). Keeps no
 * pointer to either. 0 and *out; or -EINVAL, and why names the bad word and its column; or -ENOMEM.
 * Process context.
 */
int ctrace_expr_new(const char *text, const struct ctrace_field_desc *fields, u32 nfields,
		    struct ctrace_expr **out, char *why, size_t why_size);
void ctrace_expr_free(struct ctrace_expr *e);

/* How many of the first fields it asks for; 0: for words alone. */
u32 ctrace_expr_nfields(const struct ctrace_expr *e);
/* What field, an unsigned number, has at least if the expression holds; 0: nothing is known of it. */
u64 ctrace_expr_least(const struct ctrace_expr *e, u32 field);
/*
 * Does it ask for $tid, $vtid, $pid and $cid alone? Then its answer is the same for all events of a task,
 * until one of these changes.
 */
bool ctrace_expr_of_task(const struct ctrace_expr *e);
/* Do two such ask the same, in the same order? */
bool ctrace_expr_same(const struct ctrace_expr *a, const struct ctrace_expr *b);

/*
 * Any context incl. NMI. payload: len bytes, as a record of that type holds them (aligned to 8, without
 * padding at the end). A comparison is false, even with != or !~, if its operand is missing: a field that
 * the payload is too short for or ctx->missing has, or $uid and $gid if the event is no task's.
 */
bool ctrace_expr_match(const struct ctrace_expr *e, const void *payload, u32 len,
		       const struct ctrace_expr_ctx *ctx);

#endif
