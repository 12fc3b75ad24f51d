// SPDX-License-Identifier: GPL-2.0-only
/* schema.json and containers.json: what `ctrace report` needs besides the records. */
#include <endian.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include "names/names.h"
#include "ctf/sink_ctf.h"

#define FORMAT	1

static const char *const type_names[] = {
	[CTRACE_FT_UINT] = "uint", [CTRACE_FT_INT] = "int", [CTRACE_FT_HEX] = "hex",
	[CTRACE_FT_TEXT] = "text", [CTRACE_FT_STRING] = "string", [CTRACE_FT_SEQ] = "seq",
	[CTRACE_FT_SEQ_INT] = "seq_int", [CTRACE_FT_SEQ_HEX] = "seq_hex",
};

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
		json_open(&j, "fields", '[');
		for (uint32_t k = 0; k < t->nfields; k++) {
			json_open(&j, NULL, '{');
			json_str(&j, "name", t->fields[k].name);
			json_str(&j, "type", type_names[t->fields[k].type]);
			json_uint(&j, "size", t->fields[k].size);
			json_close(&j, '}');
		}
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
		ctable_json(&j, e);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	json_line(&j);
}

static struct json_object *load(const char *dir, const char *name, int *err)
{
	char *path = xasprintf("%s/%s", dir, name), *text;
	struct json_object *o = NULL;

	errno = 0;
	text = read_file(path, NULL);
	*err = text ? 0 : errno ? -errno : -EIO;
	if (text) {
		o = json_tokener_parse(text);
		if (!o)
			*err = -EBADMSG;
	}
	free(text);
	free(path);
	return o;
}

static int64_t number(struct json_object *o, const char *key)
{
	struct json_object *v = names_get(o, key);

	return v ? json_object_get_int64(v) : 0;
}

static size_t list_len(struct json_object *o)
{
	return o && json_object_is_type(o, json_type_array) ? json_object_array_length(o) : 0;
}

static int load_event(struct ctrace_schema *s, struct json_object *o)
{
	struct json_object *list = names_get(o, "fields"), *f;
	struct ctrace_event_type t = { .nfields = (uint32_t)list_len(list) };
	struct ctrace_field *fields;
	int err;

	t.id = (uint32_t)number(o, "id");
	t.name = names_str(o, "name");
	t.system = names_str(o, "system");
	if (!t.id || !t.system)
		return -EBADMSG;
	fields = xcalloc(t.nfields, sizeof(*fields));
	for (uint32_t i = 0; i < t.nfields; i++) {
		const char *type;

		f = json_object_array_get_idx(list, i);
		type = names_str(f, "type");
		fields[i].name = names_str(f, "name");
		fields[i].size = (uint32_t)number(f, "size");
		for (size_t k = 1; type && k < ARRAY_SIZE(type_names); k++)
			if (!strcmp(type, type_names[k]))
				fields[i].type = (enum ctrace_field_type)k;
	}
	t.fields = fields;
	/* this checks the type: the decoder trusts the sizes in a schema */
	err = ctrace_schema_add(s, &t, sizeof(t));
	free(fields);
	return err == -EINVAL ? -EBADMSG : err;
}

int side_load_schema(const char *dir, struct ctrace_schema *s, struct side_info *info)
{
	struct json_object *o, *list;
	const char *uuid, *order;
	int err;

	o = load(dir, CTF_SIDE_SCHEMA, &err);
	if (!o)
		return err;
	uuid = names_str(o, "uuid");
	order = names_str(o, "byte_order");
	err = -EBADMSG;
	if (number(o, "ctrace") != FORMAT || !uuid || strlen(uuid) != 32 || !order)
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
	info->clock_offset = number(o, "clock_offset");
	info->stacks = (uint32_t)number(o, "stacks");
	list = names_get(o, "events");
	for (size_t i = 0; i < list_len(list) && !err; i++)
		err = load_event(s, json_object_array_get_idx(list, i));
out:
	json_object_put(o);
	return err;
}

static void copy(char *to, size_t size, const char *s)
{
	snprintf(to, size, "%s", s ? s : "");
}

int side_load_containers(const char *dir, struct ctable *t)
{
	struct json_object *o, *list, *v;
	int err;

	o = load(dir, CTF_SIDE_CONTAINERS, &err);
	if (!o)
		return err;
	list = names_get(o, "containers");
	for (size_t i = 0; i < list_len(list); i++) {
		struct ctrace_container c = { 0 };
		const char *label, *runtime;

		v = json_object_array_get_idx(list, i);
		label = names_str(v, "name");
		runtime = names_str(v, "runtime");
		c.cid = (uint32_t)number(v, "cid");
		c.parent = (uint32_t)number(v, "parent");
		c.init_pid = (uint32_t)number(v, "init_pid");
		c.pidns = (uint32_t)number(v, "pid_ns");
		c.cgroup_id = (uint64_t)number(v, "cgroup_id");
		c.first_seen = (uint64_t)number(v, "first_seen");
		c.gone = (uint64_t)number(v, "gone");
		copy(c.runtime_id, sizeof(c.runtime_id), names_str(v, "id"));
		copy(c.path, sizeof(c.path), names_str(v, "cgroup"));
		if (label)
			ctable_add(t, &c, label, runtime ? runtime : "", true);
	}
	json_object_put(o);
	return 0;
}
