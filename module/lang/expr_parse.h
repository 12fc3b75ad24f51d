/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parsing an expression: words in expr_lex.c, comparisons in expr_term.c, the whole in expr_parse.c.
 * Compiles on a host, too.
 */
#ifndef CTRACE_EXPR_PARSE_H
#define CTRACE_EXPR_PARSE_H

#include "lang/expr_internal.h"

/* OPEN, OR, AND: in the order of how closely they bind, loosest first. */
enum ctrace_expr_kind {
	CTRACE_T_END, CTRACE_T_NAME, CTRACE_T_NUMBER, CTRACE_T_STRING, CTRACE_T_OP, CTRACE_T_CLOSE,
	CTRACE_T_OPEN, CTRACE_T_OR, CTRACE_T_AND, CTRACE_T_NOT, CTRACE_T_COMMA, CTRACE_T_SLASH,
};

struct ctrace_expr_token {
	u8 kind;		/* enum ctrace_expr_kind */
	u8 op;			/* OP: enum ctrace_expr_op */
	bool minus;		/* NUMBER */
	u16 at, n;		/* where in the text */
	u64 num;		/* NUMBER, without its sign */
};

/* A field or a $word. */
struct ctrace_expr_operand {
	const char *name;
	u8 kind, size, what, part;	/* as struct ctrace_expr_term has it */
};

/* A comparison (END), or two joined by AND or OR. */
struct ctrace_expr_node {
	u8 kind;
	u8 left, right;		/* indices of nodes[], made before this one */
	u8 first;		/* the term that it begins with */
	u8 yes, no;		/* where to continue */
	bool negated;
};

/* Four for each open bracket: a ! before it, the bracket itself, and an || and an && that wait inside. */
#define CTRACE_EXPR_OPS		(4 * (CTRACE_EXPR_DEPTH + 1))

struct ctrace_expr_parse {
	const char *subject;	/* "filter", for messages */
	bool lists;		/* the language has , and / */
	const char *text;
	u32 pos;		/* where the text behind t begins */
	struct ctrace_expr_token t;
	const struct ctrace_field_desc *fields;
	u32 nfields;
	struct ctrace_expr *e;
	u32 nbytes, nglobs, nsets;	/* how much of e's is used */
	u32 depth;
	u32 nnodes, nopen, nops;
	struct ctrace_expr_node nodes[2 * CTRACE_EXPR_TERMS - 1];
	u8 open[CTRACE_EXPR_TERMS];	/* nodes that have no parent yet */
	struct { u8 kind; u16 at; } ops[CTRACE_EXPR_OPS];
	char *why;
	size_t why_size;
	char word[32];
};

/* Reads the next token into p->t. 0, or -EINVAL. */
int ctrace_expr_next(struct ctrace_expr_parse *p);
/* Parses FIELD OP VALUE into e->terms[nterms]. p->t is FIELD at first, then what follows. 0, or -EINVAL. */
int ctrace_expr_comparison(struct ctrace_expr_parse *p);

/* Fills *to for p->fields. 0, or -EINVAL: it has a field that nothing can be made of. */
int ctrace_expr_layout(struct ctrace_expr_parse *p, struct ctrace_field_places *to);
/* What p->t names: a $word, a field, a part of a field. 0, or -EINVAL: not a number or a string. */
int ctrace_expr_resolve(struct ctrace_expr_parse *p, struct ctrace_expr_operand *o);
/* The same, where a $word may stand without its $ if no field has that name. */
int ctrace_expr_operand(struct ctrace_expr_parse *p, struct ctrace_expr_operand *o);

/* Puts "SUBJECT, column N: " and fmt into p->why; N is at + 1. Always returns -EINVAL. */
int __printf(3, 4) ctrace_expr_bad(struct ctrace_expr_parse *p, u32 at, const char *fmt, ...);
/* Says in p->why that something else, what, is expected in place of p->t. Always returns -EINVAL. */
int ctrace_expr_expect(struct ctrace_expr_parse *p, const char *what);
/* Appends fmt to p->why. */
void __printf(2, 3) ctrace_expr_say(struct ctrace_expr_parse *p, const char *fmt, ...);
/*
 * p->t for people: shortened, with ? for what a terminal should not see. seen: in quotes, and "the end" for
 * no token. Both are valid until the next call.
 */
const char *ctrace_expr_word(struct ctrace_expr_parse *p);
const char *ctrace_expr_seen(struct ctrace_expr_parse *p);

#endif
