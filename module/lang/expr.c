// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running expressions. Any context incl. NMI. The time is bounded by the number of comparisons and
 * fields, by CTRACE_STR_MAX for each string, and by a quarter of its square for each glob.
 */
#include "lang/expr_internal.h"

#define NOWHERE		(~0u)
/* AF_INET and AF_INET6 of Linux: this compiles without its headers */
#define CTRACE_AF_INET	2
#define CTRACE_AF_INET6	10

/* How far one run has located the fields that have no fixed offset. */
struct walk {
	const char *payload;
	u32 len;
	u32 n;			/* fields located so far, 0 none: nfixed to n - 1 are in at[] */
	u32 pos;		/* where field n - 1 ends; NOWHERE: past the payload's end */
	u32 at[CTRACE_EXPR_FIELDS];
};

struct bytes {
	const char *s;
	u32 n;
};

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
static bool glob(const struct ctrace_expr *e, const u16 *g, u32 n, struct bytes b)
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

/* --- fields ------------------------------------------------------------------ */

static u32 align(u32 at, u32 to)
{
	return (at + to - 1) & ~(to - 1);
}

static struct bytes string_at(const struct ctrace_expr_place *f, const struct walk *w, u32 at)
{
	u32 max = f->kind == CTRACE_FK_TEXT ? f->size : CTRACE_STR_MAX;
	struct bytes b = { .s = w->payload + at };

	b.n = strnlen(b.s, max < w->len - at ? max : w->len - at);
	return b;
}

/* Where f starts, if the field before it ends at pos; *end: where f ends. Both <= len, or both NOWHERE. */
static u32 step(const struct ctrace_expr_place *f, const struct walk *w, u32 pos, u32 *end)
{
	u32 at = pos, size = f->size, count;

	if (ctrace_expr_is_number(f->kind)) {
		at = align(pos, size);
	} else if (f->kind == CTRACE_FK_STRING) {
		if (pos >= w->len)
			goto nowhere;
		size = string_at(f, w, pos).n;
		if (size < CTRACE_STR_MAX && size < w->len - pos)
			size++;		/* its NUL */
	} else if (f->kind != CTRACE_FK_TEXT) {
		at = align(pos, 4);
		if (at > w->len || w->len - at < 4)
			goto nowhere;
		memcpy(&count, w->payload + at, 4);
		at = align(at + 4, size);
		if (at > w->len || count > (w->len - at) / size)
			goto nowhere;
		size *= count;
	}
	if (at > w->len || w->len - at < size)
		goto nowhere;
	*end = at + size;
	return at;
nowhere:
	*end = NOWHERE;
	return NOWHERE;
}

/* Where field i starts, or NOWHERE. All of it is in the payload, except perhaps the NUL of a STRING. */
static u32 locate(const struct ctrace_expr *e, struct walk *w, u32 i)
{
	const struct ctrace_expr_place *f = &e->places[i];
	u32 end;

	if (i < e->nfixed)
		return step(f, w, f->at, &end);
	if (!w->n) {
		w->n = e->nfixed;
		f = &e->places[w->n - 1];
		step(f, w, f->at, &w->pos);
	}
	for (; w->n <= i; w->n++) {
		w->at[w->n] = NOWHERE;
		if (w->pos != NOWHERE)
			w->at[w->n] = step(&e->places[w->n], w, w->pos, &w->pos);
	}
	return w->at[i];
}

static u64 number_at(const struct ctrace_expr_place *f, const char *p)
{
	bool sign = f->kind == CTRACE_FK_INT;
	u64 n = 0;
	u32 v32;
	u16 v16;

	switch (f->size) {
	case 1:
		return sign ? (u64)(s8)*p : (u8)*p;
	case 2:
		memcpy(&v16, p, 2);
		return sign ? (u64)(s16)v16 : v16;
	case 4:
		memcpy(&v32, p, 4);
		return sign ? (u64)(s32)v32 : v32;
	default:
		memcpy(&n, p, 8);
		return n;
	}
}

/* A number of the socket's address at p, a sequence of bytes that all are in the payload. False: it has none. */
static bool address_number(u8 part, const char *p, u64 *v)
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
	*v = port[0] << 8 | port[1];
	return n >= 4 && (family == CTRACE_AF_INET || family == CTRACE_AF_INET6);
}

/* --- comparisons --------------------------------------------------------------- */

/* False: the event has no such number. */
static bool word_number(u8 what, const struct ctrace_expr_ctx *x, u64 *v)
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
		       struct bytes b)
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

static bool ask(const struct ctrace_expr *e, const struct ctrace_expr_term *t, struct walk *w,
		const struct ctrace_expr_ctx *x)
{
	struct bytes comm = { .s = x->comm };
	u64 v;
	u32 at;

	if (t->what == CTRACE_WORD_COMM) {
		comm.n = strnlen(x->comm, CTRACE_COMM_LEN);
		return ask_string(e, t, comm);
	}
	if (t->what > CTRACE_WORD_COMM)
		return word_number(t->what, x, &v) && ask_number(t, v);
	if (x->missing >> t->what & 1) {
		if (x->undecided)
			*x->undecided = true;
		return false;
	}
	at = locate(e, w, t->what);
	if (at == NOWHERE)
		return false;
	if (t->string)
		return ask_string(e, t, string_at(&e->places[t->what], w, at));
	if (t->part)
		return address_number(t->part, w->payload + at, &v) && ask_number(t, v);
	return ask_number(t, number_at(&e->places[t->what], w->payload + at));
}

bool ctrace_expr_match(const struct ctrace_expr *e, const void *payload, u32 len,
		       const struct ctrace_expr_ctx *ctx)
{
	const struct ctrace_expr_term *t;
	struct walk w;
	u32 i = 0;

	/* at[] and pos are written before they are read */
	w.payload = payload;
	w.len = len;
	w.n = 0;
	while (i < e->nterms) {
		t = &e->terms[i];
		i = ask(e, t, &w, ctx) ? t->yes : t->no;
	}
	return i == CTRACE_EXPR_PASS;
}

void ctrace_expr_free(struct ctrace_expr *e)
{
	ctrace_free(e);
}
