/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the fields of an event's type lie in a payload. The fields up to the first of variable length have a
 * fixed place; a walk finds the others, each once. Compiles on a host, too.
 */
#ifndef CTRACE_FIELDS_H
#define CTRACE_FIELDS_H

#include "lang/expr.h"

#define CTRACE_NOWHERE	(~0u)

struct ctrace_field_place {
	u8 kind, size;		/* as struct ctrace_field_desc has it */
	u16 at;			/* offset; only the first nfixed places have one */
};

struct ctrace_field_places {
	u32 nfixed;		/* places up to and including the first of variable length */
	struct ctrace_field_place places[CTRACE_EXPR_FIELDS];
};

/* How far one run has located the fields that have no fixed offset. */
struct ctrace_walk {
	const struct ctrace_field_places *fields;
	const char *payload;
	u32 len;
	u32 n;			/* fields located so far, 0 none: nfixed to n - 1 are in at[] */
	u32 pos;		/* where field n - 1 ends; CTRACE_NOWHERE: past the payload's end */
	u32 at[CTRACE_EXPR_FIELDS];
};

struct ctrace_bytes {
	const char *s;
	u32 n;
};

/* Process context. NULL, or the first field that is of a kind that is not known. n <= CTRACE_EXPR_FIELDS. */
const struct ctrace_field_desc *ctrace_field_layout(struct ctrace_field_places *to, const struct ctrace_field_desc *f,
						    u32 n);

/* --- any context incl. NMI --------------------------------------------------- */

/* payload: len bytes, aligned to 8, without padding at the end. It stays as it is until the walk ends. */
static inline void ctrace_walk_begin(struct ctrace_walk *w, const struct ctrace_field_places *fields, const void *payload,
				     u32 len)
{
	/* at[] and pos are written before they are read */
	w->fields = fields;
	w->payload = payload;
	w->len = len;
	w->n = 0;
}

/*
 * Where field i starts, or CTRACE_NOWHERE. All of it is in the payload, except perhaps the NUL of a STRING.
 */
u32 ctrace_field_locate(struct ctrace_walk *w, u32 i);

/* The string, or the number, that is field i, located at `at`. A signed number is extended. */
struct ctrace_bytes ctrace_field_string(const struct ctrace_walk *w, u32 i, u32 at);
u64 ctrace_field_number(const struct ctrace_walk *w, u32 i, u32 at);

static inline bool ctrace_expr_is_number(u8 kind)
{
	return kind == CTRACE_FK_UINT || kind == CTRACE_FK_INT;
}

static inline bool ctrace_expr_is_string(u8 kind)
{
	return kind == CTRACE_FK_TEXT || kind == CTRACE_FK_STRING;
}

#endif
