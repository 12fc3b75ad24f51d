// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running aggregates: the key and the numbers of one event. The time is bounded by the number of columns and
 * fields.
 */
#include "lang/agg.h"
#include "lang/expr_internal.h"

static u64 divide(u64 v, const struct ctrace_agg_column *c)
{
	bool minus = c->is_signed && (s64)v < 0;

	/* towards 0, and without the signed division's trap */
	v = minus ? -v : v;
	v = c->reciprocal ? v >> (c->reciprocal - 1) : v / c->arg;
	return minus ? -v : v;
}

/* The least k such that v <= 2^k; 0 for all below 2. */
static u64 log2_of(const struct ctrace_agg_column *c, u64 v)
{
	if (v < 2 || (c->is_signed && (s64)v < 0))
		return 0;
	return 64 - __builtin_clzll(v - 1);
}

static u64 rounded(const struct ctrace_agg_column *c, u64 v)
{
	switch (c->op) {
	case CTRACE_AGG_DIVIDE:
		return divide(v, c);
	case CTRACE_AGG_MASK:
		return v & c->arg;
	case CTRACE_AGG_LOG2:
		return log2_of(c, v);
	default:
		return v;
	}
}

bool ctrace_agg_field(const struct ctrace_agg_column *c, struct ctrace_walk *w, u64 *v)
{
	u32 at = ctrace_field_locate(w, c->what);

	if (at == CTRACE_NOWHERE)
		return false;
	if (c->part)
		return ctrace_expr_address(c->part, w->payload + at, v);
	*v = ctrace_field_number(w, c->what, at);
	return true;
}

static u64 number(const struct ctrace_agg_column *c, struct ctrace_walk *w, const struct ctrace_expr_ctx *x)
{
	u64 v;

	if (c->what < CTRACE_WORD_COMM)
		return ctrace_agg_value(c, w, &v) ? rounded(c, v) : 0;
	return ctrace_expr_word_number(c->what, x, &v) ? rounded(c, v) : 0;
}

/* A few bytes: a loop is less than the calls of strnlen(), memset() and memcpy(). */
static void comm(const char *from, u64 *to)
{
	char *text = (char *)to;
	u32 i;

	to[0] = 0;
	to[1] = 0;
	for (i = 0; i < CTRACE_COMM_LEN && from[i]; i++)
		text[i] = from[i];
}

static void text(const struct ctrace_agg_column *c, struct ctrace_walk *w, const struct ctrace_expr_ctx *x, u64 *to)
{
	u32 at, room = c->words * sizeof(u64);
	struct ctrace_bytes b;

	if (c->what == CTRACE_WORD_COMM) {
		comm(x->comm, to);
		return;
	}
	memset(to, 0, room);
	at = ctrace_field_locate(w, c->what);
	if (at == CTRACE_NOWHERE)
		return;
	b = ctrace_field_string(w, c->what, at);
	memcpy(to, b.s, b.n < room ? b.n : room);
}

void ctrace_agg_key(const struct ctrace_agg *a, struct ctrace_walk *w, const struct ctrace_expr_ctx *x, u32 id, u64 *key)
{
	const struct ctrace_agg_column *c = a->keys;
	u32 i;
	u64 v;
	s64 ret;

	for (i = 0; i < a->nkeys; i++, c++) {
		switch (c->kind) {
		case CTRACE_TABLE_KEY_TEXT:
			text(c, w, x, key + c->at);
			break;
		case CTRACE_TABLE_KEY_SYSCALL:
			key[c->at] = id;
			break;
		case CTRACE_TABLE_KEY_ERRNO:
			ret = !ctrace_agg_value(c, w, &v) ? 0 : c->size == 4 ? (s32)v : (s64)v;
			key[c->at] = ret < 0 && ret >= -4095 ? -ret : 0;
			break;
		case CTRACE_TABLE_KEY_NUMBER:
			key[c->at] = number(c, w, x);
			break;
		default:
			key[c->at] = 0;
		}
	}
}

void ctrace_agg_free(struct ctrace_agg *a)
{
	ctrace_free(a);
}
