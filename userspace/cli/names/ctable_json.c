// SPDX-License-Identifier: GPL-2.0-only
/* Writes a container's entry as JSON, and reads it back. */
#include <json-c/json.h>
#include <string.h>
#include "names/ctable.h"

/*
 * The owner of the files that gave the name, as in targets: user:1000. "": no owner, and not made by the
 * system.
 */
static void json_owner(struct json *j, const struct ctable *t, const struct centry *e)
{
	struct sbuf b = { 0 };

	sbuf_reset(&b);
	if (e->owner != NAME_OF_SYSTEM)
		sbuf_printf(&b, "%s:%u", e->owner == NAME_OF_USER ? "user" : "in", e->whose);
	else if (ctable_runtime_proven(t, e))
		sbuf_puts(&b, "system");
	json_str(j, "named_by", b.s);
	sbuf_free(&b);
}

void ctable_json(struct json *j, const struct ctable *t, const struct centry *e)
{
	const struct ctrace_container *c = &e->c;

	json_uint(j, "cid", c->cid);
	json_str(j, "name", e->label);
	if (ctable_part(t, c->cid))
		json_str(j, "part", ctable_label((struct ctable *)t, c->cid));
	json_flag(j, "named", e->named);
	if (strcmp(e->name, e->label))
		json_str(j, "own_name", e->name);
	json_owner(j, t, e);
	json_str(j, "runtime", e->runtime);
	json_str(j, "id", c->runtime_id);
	record_json(j, &e->r);
	json_uint(j, "parent", c->parent);
	json_uint(j, "init_pid", c->init_pid);
	json_uint(j, "pid_ns", c->pidns);
	json_uint(j, "cgroup_id", c->cgroup_id);
	json_uint(j, "hierarchy", c->hierarchy);
	json_str(j, "cgroup", c->path);
	json_uint(j, "first_seen", c->first_seen);
	json_uint(j, "gone", c->gone);
	json_flag(j, "dead", c->flags & CTRACE_CONTAINER_F_DEAD);
	json_flag(j, "host_pid", c->flags & CTRACE_CONTAINER_F_HOSTPID);
}

static bool flag(struct json_object *o, const char *key)
{
	return json_object_get_boolean(names_get(o, key));
}

static void copy(char *to, size_t size, const char *s)
{
	snprintf(to, size, "%s", s ? s : "");
}

bool ctable_add_json(struct ctable *t, struct json_object *o)
{
	const char *by = names_str(o, "named_by"), *name = names_str(o, "own_name");
	struct centry e = {
		.c = {
			.cid = (uint32_t)names_number(o, "cid"), .parent = (uint32_t)names_number(o, "parent"),
			.init_pid = (uint32_t)names_number(o, "init_pid"), .pidns = (uint32_t)names_number(o, "pid_ns"),
			.cgroup_id = (uint64_t)names_number(o, "cgroup_id"), .hierarchy = (uint32_t)names_number(o, "hierarchy"),
			.first_seen = (uint64_t)names_number(o, "first_seen"), .gone = (uint64_t)names_number(o, "gone"),
			.flags = flag(o, "host_pid") ? CTRACE_CONTAINER_F_HOSTPID : 0,
		},
		.label = (char *)names_str(o, "name"), .runtime = (char *)names_str(o, "runtime"),
		.named = flag(o, "named"), .proven = by && !strcmp(by, "system"),
	};

	if (!e.label || !e.runtime)
		return false;
	e.name = name ? (char *)name : e.label;
	copy(e.c.runtime_id, sizeof(e.c.runtime_id), names_str(o, "id"));
	copy(e.c.path, sizeof(e.c.path), names_str(o, "cgroup"));
	record_from_json(&e.r, o);
	if (by && (!strncmp(by, "user:", 5) || !strncmp(by, "in:", 3))) {
		e.owner = *by == 'u' ? NAME_OF_USER : NAME_OF_CONTAINER;
		parse_u32(strchr(by, ':') + 1, &e.whose);
	}
	ctable_add_read(t, &e);
	if (names_str(o, "part"))
		ctable_add_part(t, e.c.cid, names_str(o, "part"), NULL, 0);
	return true;
}
