// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running expressions. Any context incl. NMI. The time is bounded by the number of comparisons and
 * fields, by CTRACE_STR_MAX for each string, and by a quarter of its square for each glob.
 */
#include "lang/expr_internal.h"

/* AF_INET and AF_INET6 of Linux: this compiles without its headers */
#define CTRACE_AF_INET	2
#define CTRACE_AF_INET6	10

/* --- globs ------------------------------------------------------------------- */

static bool glob_one(const struct ctrace_expr *e, u16 element, u8 c)
{
	if (element >= CTRACE_GLOB_SET)
		return e->sets[element - CTRACE_GLOB_SET][c / 8] >> (c % 8) & 1;
	return element == CTRACE_GLOB_ONE || element == c;
}

static bool glob_run(const struct ctrace_expr *e, const u16 *g, u32 n, const char *s)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (!glob_one(e, g[i], s[i]))
			return false;
	return true;
}

/*
 * A run of elements between two stars is matched at the first place where it fits: a later one would
 * leave less for the rest. A run of n elements is tried at no more than len - n + 1 places, so all runs
 * together take at most len * len / 4 steps.
 */
static bool glob(const struct ctrace_expr *e, const u16 *g, u32 n, struct ctrace_bytes b)
{
	u32 run;

	for (; n && *g != CTRACE_GLOB_STAR; g++, n--, b.s++, b.n--)
		if (!b.n || !glob_one(e, *g, *b.s))
			return false;
	if (!n)
		return !b.n;
	for (; g[n - 1] != CTRACE_GLOB_STAR; n--, b.n--)
		if (!b.n || !glob_one(e, g[n - 1], b.s[b.n - 1]))
			return false;
	for (; n; g += run, n -= run) {
		for (; n && *g == CTRACE_GLOB_STAR; g++)
			n--;
		for (run = 0; run < n && g[run] != CTRACE_GLOB_STAR; run++)
			;
		for (; b.n >= run && !glob_run(e, g, run, b.s); b.s++)
			b.n--;
		if (b.n < run)
			return false;
		b.s += run;
		b.n -= run;
	}
	return true;
}

/*
 * A number of the socket's address at p, a sequence of bytes that all are in the payload. False: it has none.
 */
bool ctrace_expr_address(u8 part, const char *p, u64 *v)
{
	const u8 *port = (const u8 *)p + 2;
	u16 family;
	u32 n;

	memcpy(&n, p - 4, 4);
	if (n < 2)
		return false;
	memcpy(&family, p, 2);
	*v = family;
	if (part == CTRACE_PART_FAMILY)
		return true;
	if (n < 4 || (family != CTRACE_AF_INET && family != CTRACE_AF_INET6))
		return false;
	*v = port[0] << 8 | port[1];
	return true;
}

/* --- comparisons --------------------------------------------------------------- */

/* False: the event has no such number. */
bool ctrace_expr_word_number(u8 what, const struct ctrace_expr_ctx *x, u64 *v)
{
	switch (what) {
	case CTRACE_WORD_TID:
		*v = (u64)x->tid;
		return true;
	case CTRACE_WORD_VTID:
		*v = (u64)x->vtid;
		return true;
	case CTRACE_WORD_PID:
		*v = (u64)x->pid;
		return true;
	case CTRACE_WORD_UID:
		*v = x->uid;
		return x->uid != CTRACE_EXPR_NO_ID;
	case CTRACE_WORD_GID:
		*v = x->gid;
		return x->gid != CTRACE_EXPR_NO_ID;
	case CTRACE_WORD_CID:
		*v = x->cid;
		return true;
	default:
		*v = x->cpu;
		return true;
	}
}

static bool ask_number(const struct ctrace_expr_term *t, u64 v)
{
	bool less = t->sign ? (s64)v < (s64)t->num : v < t->num;

	switch (t->op) {
	case CTRACE_OP_EQ:
		return v == t->num;
	case CTRACE_OP_NE:
		return v != t->num;
	case CTRACE_OP_LT:
		return less;
	case CTRACE_OP_LE:
		return less || v == t->num;
	case CTRACE_OP_GT:
		return !less && v != t->num;
	case CTRACE_OP_GE:
		return !less;
	default:
		return v & t->num;
	}
}

static bool ask_string(const struct ctrace_expr *e, const struct ctrace_expr_term *t,
		       struct ctrace_bytes b)
{
	switch (t->op) {
	case CTRACE_OP_EQ:
		return b.n == t->n && !memcmp(b.s, e->bytes + t->from, t->n);
	case CTRACE_OP_NE:
		return b.n != t->n || memcmp(b.s, e->bytes + t->from, t->n);
	case CTRACE_OP_GLOB:
		return glob(e, e->globs + t->from, t->n, b);
	default:
		return !glob(e, e->globs + t->from, t->n, b);
	}
}

static bool ask(const struct ctrace_expr *e, const struct ctrace_expr_term *t, struct ctrace_walk *w,
		const struct ctrace_expr_ctx *x)
{
	struct ctrace_bytes comm = { .s = x->comm };
	u64 v;
	u32 at;

	if (t->what == CTRACE_WORD_COMM) {
		comm.n = strnlen(x->comm, CTRACE_COMM_LEN);
		return ask_string(e, t, comm);
	}
	if (t->what > CTRACE_WORD_COMM)
		return ctrace_expr_word_number(t->what, x, &v) && ask_number(t, v);
	if (x->missing >> t->what & 1) {
		if (x->undecided)
			*x->undecided = true;
		return false;
	}
	at = ctrace_field_locate(w, t->what);
	if (at == CTRACE_NOWHERE)
		return false;
	if (t->string)
		return ask_string(e, t, ctrace_field_string(w, t->what, at));
	if (t->part)
		return ctrace_expr_address(t->part, w->payload + at, &v) && ask_number(t, v);
	return ask_number(t, ctrace_field_number(w, t->what, at));
}

bool ctrace_expr_match(const struct ctrace_expr *e, const void *payload, u32 len,
		       const struct ctrace_expr_ctx *ctx)
{
	const struct ctrace_expr_term *t;
	struct ctrace_walk w CTRACE_UNSET;
	u32 i = 0;

	ctrace_walk_begin(&w, &e->fields, payload, len);
	while (i < e->nterms) {
		t = &e->terms[i];
		i = ask(e, t, &w, ctx) ? t->yes : t->no;
	}
	return i == CTRACE_EXPR_PASS;
}

u32 ctrace_expr_nfields(const struct ctrace_expr *e)
{
	u32 i, n = 0;

	for (i = 0; i < e->nterms; i++)
		if (e->terms[i].what < CTRACE_WORD_COMM && e->terms[i].what >= n)
			n = e->terms[i].what + 1;
	return n;
}

/*
 * As long as comparisons lead to FAIL, all of them must hold. Stops at the first string
 * comparison: a missing string must still be reported.
 */
u64 ctrace_expr_least(const struct ctrace_expr *e, u32 field)
{
	const struct ctrace_expr_term *t;
	u32 i;

	for (i = 0; i < e->nterms; i = t->yes) {
		t = &e->terms[i];
		if (t->no != CTRACE_EXPR_FAIL || t->string)
			break;
		if (t->what == field && !t->sign && !t->part && (t->op == CTRACE_OP_GE || t->op == CTRACE_OP_GT))
			return t->num;
	}
	return 0;
}

bool ctrace_expr_of_task(const struct ctrace_expr *e)
{
	u32 i;

	for (i = 0; i < e->nterms; i++)
		switch (e->terms[i].what) {
		case CTRACE_WORD_TID:
		case CTRACE_WORD_VTID:
		case CTRACE_WORD_PID:
		case CTRACE_WORD_CID:
			break;
		default:
			return false;
		}
	return true;
}

bool ctrace_expr_same(const struct ctrace_expr *a, const struct ctrace_expr *b)
{
	const struct ctrace_expr_term *t = a->terms, *u = b->terms;
	u32 i;

	for (i = 0; i < a->nterms && i < b->nterms; i++, t++, u++)
		if (t->op != u->op || t->what != u->what || t->sign != u->sign || t->yes != u->yes || t->no != u->no ||
		    t->num != u->num)
			return false;
	return a->nterms == b->nterms;
}

void ctrace_expr_free(struct ctrace_expr *e)
{
	ctrace_free(e);
}
