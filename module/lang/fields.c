// SPDX-License-Identifier: GPL-2.0-only
/* Places of fields in a payload. */
#include "lang/fields.h"

static u32 align(u32 at, u32 to)
{
	return (at + to - 1) & ~(to - 1);
}

static struct ctrace_bytes string_at(const struct ctrace_field_place *f, const struct ctrace_walk *w, u32 at)
{
	u32 max = f->kind == CTRACE_FK_TEXT ? f->size : CTRACE_STR_MAX;
	struct ctrace_bytes b = { .s = w->payload + at };

	b.n = strnlen(b.s, max < w->len - at ? max : w->len - at);
	return b;
}

/*
 * Where f starts, if the field before it ends at pos; *end: where f ends. Both <= len, or both
 * CTRACE_NOWHERE.
 */
static u32 step(const struct ctrace_field_place *f, const struct ctrace_walk *w, u32 pos, u32 *end)
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
	*end = CTRACE_NOWHERE;
	return CTRACE_NOWHERE;
}

u32 ctrace_field_locate(struct ctrace_walk *w, u32 i)
{
	const struct ctrace_field_places *p = w->fields;
	const struct ctrace_field_place *f = &p->places[i];
	u32 end;

	if (i < p->nfixed)
		return step(f, w, f->at, &end);
	if (!w->n) {
		w->n = p->nfixed;
		f = &p->places[w->n - 1];
		step(f, w, f->at, &w->pos);
	}
	for (; w->n <= i; w->n++) {
		w->at[w->n] = CTRACE_NOWHERE;
		if (w->pos != CTRACE_NOWHERE)
			w->at[w->n] = step(&p->places[w->n], w, w->pos, &w->pos);
	}
	return w->at[i];
}

struct ctrace_bytes ctrace_field_string(const struct ctrace_walk *w, u32 i, u32 at)
{
	return string_at(&w->fields->places[i], w, at);
}

u64 ctrace_field_number(const struct ctrace_walk *w, u32 i, u32 at)
{
	const struct ctrace_field_place *f = &w->fields->places[i];
	const char *p = w->payload + at;
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

const struct ctrace_field_desc *ctrace_field_layout(struct ctrace_field_places *to, const struct ctrace_field_desc *f,
						    u32 n)
{
	bool fixed = true, string;
	u32 i, at = 0;

	for (i = 0; i < n; i++, f++) {
		string = ctrace_expr_is_string(f->kind);
		if (!f->kind || f->kind > CTRACE_FK_SEQ_INT ||
		    (!string && f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8))
			return f;
		if (fixed && ctrace_expr_is_number(f->kind))
			at = (at + f->size - 1) & ~(f->size - 1u);
		to->places[i].kind = f->kind;
		to->places[i].size = f->size;
		to->places[i].at = at;
		to->nfixed += fixed;
		fixed &= ctrace_expr_is_number(f->kind) || f->kind == CTRACE_FK_TEXT;
		at += f->size;
	}
	return NULL;
}
