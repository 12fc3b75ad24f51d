/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filter expressions: `prev_comm ~ "nginx*" && prev_prio < 100` over an event's fields
 * and over whose event it is. Compiled once, in process context, into a program without loops
 * whose length is bounded; run by probes. The grammar is at CTRACE_A_PROBE_FILTER.
 *
 * Compiles on a host as well: tests and the fuzzer run the very code.
 */
#ifndef CTRACE_EXPR_H
#define CTRACE_EXPR_H

#include "lang/hosted.h"
#include "../uapi/ctrace.h"
#include "../uapi/ctrace_netlink.h"

#define CTRACE_EXPR_TEXT	1024	/* bytes of an expression's text, with its NUL */
#define CTRACE_EXPR_TERMS	32	/* comparisons in one expression */
#define CTRACE_EXPR_DEPTH	16	/* brackets in brackets */
#define CTRACE_EXPR_FIELDS	32	/* most fields of a type */

struct ctrace_field_desc {
	const char *name;
	u8 type;		/* enum ctrace_field_type */
	u8 size;		/* bytes, see there */
};

struct ctrace_expr;		/* immutable once made; the maker frees it */

/* Whose event it is, for the $words. */
struct ctrace_expr_ctx {
	const char *comm;	/* at most CTRACE_COMM_LEN bytes with the NUL; "" when it is no task's */
	s32 tid, vtid, pid;	/* initial pid namespace but for vtid; 0: no task's */
	u32 uid, gid;		/* initial user namespace; CTRACE_EXPR_NO_ID: no task's, see below */
	u32 cid, cpu;
};
#define CTRACE_EXPR_NO_ID	0xffffffffu

/*
 * Process context. Compiles text for an event type with these fields (none: only
 * $words); keeps no pointer to either. 0 and *out, or -EINVAL and a sentence in why that names the
 * word and its column, or -ENOMEM.
 */
int ctrace_expr_new(const char *text, const struct ctrace_field_desc *fields, u32 nfields,
		    struct ctrace_expr **out, char *why, size_t why_size);
void ctrace_expr_free(struct ctrace_expr *e);

/*
 * Any context incl. NMI. payload: len bytes as a record of that type holds them (aligned to 8,
 * without padding at the end). A comparison of what is not there is false, != and !~ too: of a field
 * that the payload is too short for, and of $uid and $gid where no task is.
 */
bool ctrace_expr_match(const struct ctrace_expr *e, const void *payload, u32 len,
		       const struct ctrace_expr_ctx *ctx);

#endif
