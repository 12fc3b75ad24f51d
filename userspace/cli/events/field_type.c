// SPDX-License-Identifier: GPL-2.0-only
#include "events/field_type.h"

static const char *type_text(const struct ctrace_field *f, char *buf, size_t size)
{
	char letter = f->kind == CTRACE_FK_INT || f->kind == CTRACE_FK_SEQ_INT ? 's' :
		      f->display == CTRACE_FD_HEX ? 'x' : 'u';

	switch (f->kind) {
	case CTRACE_FK_UINT:
	case CTRACE_FK_INT:
		snprintf(buf, size, "%c%u", letter, 8 * f->size);
		break;
	case CTRACE_FK_TEXT:
		snprintf(buf, size, "char[%u]", f->size);
		break;
	case CTRACE_FK_STRING:
		snprintf(buf, size, "string");
		break;
	case CTRACE_FK_SEQ:
	case CTRACE_FK_SEQ_INT:
		snprintf(buf, size, "%c%u[]", letter, 8 * f->size);
		break;
	}
	return buf;
}

void field_types_put(struct sbuf *b, const struct ctrace_event_type *t)
{
	char type[32];

	for (uint32_t i = 0; i < t->nfields; i++)
		sbuf_printf(b, "%s%s:%s", i ? " " : "", t->fields[i].name,
			    type_text(&t->fields[i], type, sizeof(type)));
}

void field_types_json(struct json *j, const struct ctrace_event_type *t)
{
	char type[32];

	json_open(j, "fields", '[');
	for (uint32_t i = 0; i < t->nfields; i++) {
		json_open(j, NULL, '{');
		json_str(j, "name", t->fields[i].name);
		json_str(j, "type", type_text(&t->fields[i], type, sizeof(type)));
		json_close(j, '}');
	}
	json_close(j, ']');
}
