// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "strace/paint.h"

#define NIDS	65536u		/* a record's id is a u16 */

struct paints {
	const struct ctrace_schema *schema;
	bool plain;
	struct paint *at[NIDS];		/* by id; NULL: no record of the type has come */
};

struct paints *paints_new(const struct ctrace_schema *schema, bool plain)
{
	struct paints *p = xcalloc(1, sizeof(*p));

	p->schema = schema;
	p->plain = plain;
	return p;
}

void paints_free(struct paints *p)
{
	for (size_t i = 0; p && i < NIDS; i++)
		free(p->at[i]);
	free(p);
}

static struct paint *make(const struct paints *ps, const struct ctrace_event_type *t, uint16_t id)
{
	const struct ctrace_record rec = { .id = id, .len = sizeof(rec) };
	uint32_t n = t ? t->nfields : 0;
	struct paint *p = xcalloc(1, sizeof(*p) + n * sizeof(p->fields[0]));

	p->type = t;
	syscall_identify(&p->call, t, &rec);
	if (p->call.phase != SYSCALL_NONE) {
		syscall_paint(p, ps->schema, ps->plain);
		return p;
	}
	for (uint32_t i = 0; i < n; i++) {
		p->fields[i].fn = field_paint(t, &t->fields[i]);
		p->fields[i].stack = !strncmp(t->fields[i].name, "callstack", 9);
	}
	return p;
}

const struct paint *paints_get(struct paints *p, uint16_t id)
{
	const struct ctrace_event_type *t = ctrace_schema_by_id(p->schema, id);
	struct paint **at = &p->at[id];

	/* a type that changes is another one, and the old one stays: the schema says so */
	if (!*at || (*at)->type != t) {
		free(*at);
		*at = make(p, t, id);
	}
	return *at;
}
