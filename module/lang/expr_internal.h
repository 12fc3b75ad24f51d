/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A compiled expression: its comparisons in the order of the text. Each says where to continue if it holds
 * (yes) and if it does not (no). Both lie further on, so a run makes each comparison at most once, and needs
 * no stack.
 *
 *	a == 1 && !(b == 2 || c == 3)		a: yes b, no FAIL	b: yes FAIL, no c
 *						c: yes FAIL, no PASS
 *
 * Made by expr_parse.c, expr_term.c and expr_lex.c; run by expr.c. Compiles on a host, too.
 */
#ifndef CTRACE_EXPR_INTERNAL_H
#define CTRACE_EXPR_INTERNAL_H

#include "lang/expr.h"
#include "lang/fields.h"

enum ctrace_expr_op {
	CTRACE_OP_EQ, CTRACE_OP_NE, CTRACE_OP_LT, CTRACE_OP_LE, CTRACE_OP_GT, CTRACE_OP_GE,
	CTRACE_OP_BITS, CTRACE_OP_GLOB, CTRACE_OP_NOT_GLOB,
};

/* Where to continue, if not at another comparison. */
#define CTRACE_EXPR_PASS	0xfe
#define CTRACE_EXPR_FAIL	0xff

/* The left side of a comparison: a field's number, or one of these. */
enum ctrace_expr_word {
	CTRACE_WORD_COMM = 0x80, CTRACE_WORD_TID, CTRACE_WORD_VTID, CTRACE_WORD_PID,
	CTRACE_WORD_UID, CTRACE_WORD_GID, CTRACE_WORD_CID, CTRACE_WORD_CPU,
};

/* Elements of a glob that are not a literal byte. GLOB_SET + i: any byte in sets[i]. */
#define CTRACE_GLOB_ONE		0x100
#define CTRACE_GLOB_STAR	0x101
#define CTRACE_GLOB_SET		0x200

/* A number of a socket's address. */
enum ctrace_expr_part {
	CTRACE_PART_NONE, CTRACE_PART_FAMILY, CTRACE_PART_PORT,
};

struct ctrace_expr_term {
	u8 op;			/* enum ctrace_expr_op */
	u8 what;		/* field or enum ctrace_expr_word */
	u8 string;		/* else a number */
	u8 sign;		/* a signed number */
	u8 part;		/* enum ctrace_expr_part: of the field */
	u8 yes, no;		/* terms[], PASS or FAIL */
	u16 from, n;		/* string: in bytes[]; glob: in globs[] */
	u64 num;
};

struct ctrace_expr {
	u32 nterms;
	struct ctrace_expr_term terms[CTRACE_EXPR_TERMS];
	struct ctrace_field_places fields;
	/* these three lie behind this, in the same piece of memory */
	u16 *globs;
	u8 (*sets)[32];		/* a bit for each byte */
	char *bytes;
};

/* The number that a $word stands for. False: the event has none. */
bool ctrace_expr_word_number(u8 what, const struct ctrace_expr_ctx *x, u64 *v);
/*
 * A number of the socket's address at p, a sequence of bytes that all are in the payload. False: it has none.
 */
bool ctrace_expr_address(u8 part, const char *p, u64 *v);

#endif
