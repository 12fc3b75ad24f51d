// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that came late for a call. A recording may contain anything, also records that the module never
 * makes.
 */
#include "strace/late.h"

void late_reset(struct late *l)
{
	sbuf_reset(&l->bytes);
	l->n = 0;
}

void late_free(struct late *l)
{
	sbuf_free(&l->bytes);
}

static bool is_bytes(const struct ctrace_field *f)
{
	return f->kind == CTRACE_FK_SEQ && f->size == 1;
}

void late_keep(struct late *l, const struct ctrace_value *v, int n)
{
	if (n != 2 || !is_bytes(v[1].field) || l->n == LATE_MAX)
		return;
	l->of[l->n].field = v[0].u;
	l->of[l->n].at = l->bytes.len;
	l->of[l->n++].len = v[1].seq.n;
	sbuf_put(&l->bytes, v[1].seq.v, v[1].seq.n);
}

bool late_put(const struct late *l, const struct ctrace_event_type *entry, struct ctrace_value *v, int n)
{
	bool any = false;

	for (size_t i = 0; i < l->n && n > 0; i++) {
		uint64_t at = l->of[i].field;

		if (at >= (uint64_t)n || at >= entry->nfields || !is_bytes(&entry->fields[at]))
			continue;
		v[at].field = &entry->fields[at];
		v[at].seq.v = l->bytes.s + l->of[i].at;
		v[at].seq.n = l->of[i].len;
		any = true;
	}
	return any;
}
