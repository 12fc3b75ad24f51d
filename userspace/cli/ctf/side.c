// SPDX-License-Identifier: GPL-2.0-only
/* schema.json and containers.json: what `ctrace report` needs besides the records. */
#include <endian.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include "base/json_read.h"
#include "names/names.h"
#include "ctf/sink_ctf.h"

#define FORMAT	2

static const char *const kinds[] = {
	[CTRACE_FK_UINT] = "uint", [CTRACE_FK_INT] = "int", [CTRACE_FK_TEXT] = "text",
	[CTRACE_FK_STRING] = "string", [CTRACE_FK_SEQ] = "seq", [CTRACE_FK_SEQ_INT] = "seq_int",
};

/* The default has no name: it is left out. */
static const char *const displays[] = { [CTRACE_FD_HEX] = "hex", [CTRACE_FD_SOCKADDR] = "sockaddr",
					[CTRACE_FD_RWBS] = "rwbs" };

/* The number of name in names[n]; 0: it is none of them. */
static uint32_t named(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 1; name && i < n; i++)
		if (!strcmp(names[i], name))
			return (uint32_t)i;
	return 0;
}

static void put_field(struct json *j, const struct ctrace_field *f)
{
	json_open(j, NULL, '{');
	json_str(j, "name", f->name);
	json_str(j, "kind", kinds[f->kind]);
	if (f->display && f->display < ARRAY_SIZE(displays))
		json_str(j, "display", displays[f->display]);
	json_uint(j, "size", f->size);
	json_close(j, '}');
}

void side_schema(struct sbuf *b, const struct ctrace_schema *s, const struct side_info *info)
{
	const struct ctrace_event_type *t;
	struct json j = { .out = b };
	char uuid[33];

	for (int i = 0; i < 16; i++)
		snprintf(uuid + 2 * i, 3, "%02x", info->uuid[i]);
	json_open(&j, NULL, '{');
	json_uint(&j, "ctrace", FORMAT);
	json_str(&j, "byte_order", BYTE_ORDER == LITTLE_ENDIAN ? "le" : "be");
	json_str(&j, "uuid", uuid);
	json_int(&j, "clock_offset", info->clock_offset);
	json_uint(&j, "stacks", info->stacks);
	json_open(&j, "events", '[');
	for (size_t i = 0; (t = ctrace_schema_at(s, i)); i++) {
		if (t->reason)
			continue;
		json_open(&j, NULL, '{');
		json_uint(&j, "id", t->id);
		json_str(&j, "name", t->name);
		json_str(&j, "system", t->system);
		if (t->source)
			json_str(&j, "source", t->source);
		if (t->definition)
			json_str(&j, "definition", t->definition);
		json_open(&j, "fields", '[');
		for (uint32_t k = 0; k < t->nfields; k++)
			put_field(&j, &t->fields[k]);
		json_close(&j, ']');
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	json_line(&j);
}

void side_containers(struct sbuf *b, struct ctable *t)
{
	struct json j = { .out = b };
	struct centry *e;

	json_open(&j, NULL, '{');
	json_open(&j, "containers", '[');
	for (size_t i = 0; (e = ctable_next(t, &i));) {
		if (!e->known)
			continue;
		ctable_get(t, e->c.cid);
		json_open(&j, NULL, '{');
		ctable_json(&j, t, e);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	json_line(&j);
}

struct json_object *side_load(const char *dir, const char *name, int *err)
{
	char *path = xasprintf("%s/%s", dir, name);
	struct json_object *o = json_read(path, err);

	free(path);
	return o;
}

static size_t list_len(struct json_object *o)
{
	return o && json_object_is_type(o, json_type_array) ? json_object_array_length(o) : 0;
}

/* A name that others may have chosen, since they may have made the recording. It is the object's, or NULL. */
static const char *clean_str(struct json_object *o, const char *key)
{
	const char *s = names_str(o, key);
	struct sbuf b = { 0 };

	if (!s)
		return NULL;
	sbuf_clean(&b, s);
	if (b.s && strcmp(b.s, s)) {
		json_object_object_add(o, key, json_object_new_string(b.s));
		s = names_str(o, key);
	}
	sbuf_free(&b);
	return s;
}

static int load_event(struct ctrace_schema *s, struct json_object *o)
{
	struct json_object *list = names_get(o, "fields"), *f;
	struct ctrace_event_type t = { .nfields = (uint32_t)list_len(list) };
	struct ctrace_field *fields;
	bool known = true;
	int err;

	t.id = (uint32_t)names_number(o, "id");
	t.name = clean_str(o, "name");
	t.system = clean_str(o, "system");
	t.source = clean_str(o, "source");
	t.definition = clean_str(o, "definition");
	if (!t.id || !t.system)
		return -EBADMSG;
	fields = xcalloc(t.nfields, sizeof(*fields));
	for (uint32_t i = 0; i < t.nfields; i++) {
		f = json_object_array_get_idx(list, i);
		fields[i].name = clean_str(f, "name");
		fields[i].kind = named(kinds, ARRAY_SIZE(kinds), names_str(f, "kind"));
		fields[i].display = named(displays, ARRAY_SIZE(displays), names_str(f, "display"));
		fields[i].size = (uint32_t)names_number(f, "size");
		/* a newer recorder's field: its event type is left out, as if it came from a newer module */
		known &= fields[i].kind || !names_str(f, "kind");
	}
	t.fields = fields;
	/* this checks the type: the decoder trusts the sizes in a schema */
	err = known ? ctrace_schema_add(s, &t, sizeof(t)) : 0;
	free(fields);
	return err == -EINVAL ? -EBADMSG : err;
}

int side_load_schema(const char *dir, struct ctrace_schema *s, struct side_info *info)
{
	struct json_object *o, *list;
	const char *uuid, *order;
	int err;

	o = side_load(dir, CTF_SIDE_SCHEMA, &err);
	if (!o)
		return err;
	uuid = names_str(o, "uuid");
	order = names_str(o, "byte_order");
	err = -EBADMSG;
	if (names_number(o, "ctrace") != FORMAT || !uuid || strlen(uuid) != 32 || !order)
		goto out;
	err = -EPROTO;
	if (strcmp(order, BYTE_ORDER == LITTLE_ENDIAN ? "le" : "be"))
		goto out;
	err = 0;
	for (int i = 0; i < 16 && !err; i++) {
		unsigned int v;

		err = sscanf(uuid + 2 * i, "%2x", &v) == 1 ? 0 : -EBADMSG;
		if (!err)
			info->uuid[i] = (uint8_t)v;
	}
	info->clock_offset = names_number(o, "clock_offset");
	info->stacks = (uint32_t)names_number(o, "stacks");
	list = names_get(o, "events");
	for (size_t i = 0; i < list_len(list) && !err; i++)
		err = load_event(s, json_object_array_get_idx(list, i));
out:
	json_object_put(o);
	return err;
}

static void add_container(void *arg, const char *key, struct json_object *o)
{
	if (!strcmp(key, "containers"))
		ctable_add_json(arg, o);
}

int side_load_containers(const char *dir, struct ctable *t)
{
	char *path = xasprintf("%s/" CTF_SIDE_CONTAINERS, dir);
	int err = json_read_each(path, add_container, t);

	free(path);
	return err;
}
