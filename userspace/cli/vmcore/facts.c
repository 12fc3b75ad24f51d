// SPDX-License-Identifier: GPL-2.0-only
/* The event types and the containers that the module knew, from its description. */
#include <ctrace/ctrace_netlink.h>
#include <stdlib.h>
#include <string.h>
#include "vmcore/core.h"

/* --- event types -------------------------------------------------------------------- */

/* A text of the part, up to end. Moves *at behind it. NULL: it has no end. */
static const char *take_text(const char **at, const char *end)
{
	const char *text = *at, *nul = memchr(text, 0, (size_t)(end - text));

	if (!nul)
		return NULL;
	*at = nul + 1;
	return text;
}

/* A text that comes from the image, without what a terminal would take for a command. */
static char *clean(const char *text)
{
	struct sbuf b = { 0 };

	sbuf_puts(&b, "");
	sbuf_clean(&b, text);
	return b.s;
}

static bool take_fields(const char *at, const char *end, struct ctrace_field *fields, uint32_t n)
{
	struct ctrace_core_field f;
	const char *name;

	for (uint32_t i = 0; i < n; i++) {
		if ((size_t)(end - at) < sizeof(f))
			return false;
		memcpy(&f, at, sizeof(f));
		at += sizeof(f);
		name = take_text(&at, end);
		if (!name)
			return false;
		fields[i] = (struct ctrace_field){
			.name = clean(name), .kind = f.kind, .display = f.display, .size = f.size,
		};
	}
	return true;
}

/* from has t's texts and fields, up to end. */
static bool take_type(const struct ctrace_core_type *t, const char *from, const char *end,
		      struct ctrace_schema *s)
{
	struct ctrace_field fields[UINT8_MAX] = { 0 };
	struct ctrace_event_type type = { .id = t->id, .nfields = t->nfields, .fields = fields };
	const char *name = take_text(&from, end), *system = name ? take_text(&from, end) : NULL;
	bool ok = system && take_fields(from, end, fields, t->nfields);
	char *clean_name = ok ? clean(name) : NULL, *clean_system = ok ? clean(system) : NULL;

	type.name = clean_name;
	type.system = clean_system;
	/* this checks sizes and kinds: the decoder trusts a schema */
	ok = ok && !ctrace_schema_add(s, &type, sizeof(type));
	for (uint32_t i = 0; i < t->nfields; i++)
		free((char *)fields[i].name);
	free(clean_name);
	free(clean_system);
	return ok;
}

/* Returns false if something in the part makes no sense: its rest is left out. */
static bool take_types(const char *at, uint32_t len, struct ctrace_schema *s, struct core_facts *f)
{
	const char *end = at + len;
	struct ctrace_core_type t;

	while (at < end) {
		if ((size_t)(end - at) < sizeof(t))
			return false;
		memcpy(&t, at, sizeof(t));
		if (t.bytes < sizeof(t) || t.bytes > end - at)
			return false;
		f->types += take_type(&t, at + sizeof(t), at + t.bytes, s);
		at += t.bytes;
	}
	return true;
}

/* there: it is known that there are some. */
static void take_all(struct core *c, uint64_t id, bool there, struct ctrace_schema *s, struct core_facts *f)
{
	const struct core_part *p;
	uint32_t len, expect = 0;
	const void *bytes;
	bool last = false;
	size_t n;

	p = core_parts(c, id, CTRACE_CORE_TYPES, &n);
	for (size_t i = 0; i < n; i++) {
		/* how many there are in between is not known by number, as a number may be made up */
		f->parts_torn += p[i].seq != expect;
		expect = p[i].seq + 1;
		bytes = core_part_read(c, &p[i], &len);
		if (!bytes || !take_types(bytes, len, s, f))
			f->parts_torn++;
		last = bytes && !((const struct ctrace_core_part *)bytes - 1)->next;
	}
	/* the end is missing, or all */
	f->parts_torn += n ? !last : there;
}

void core_types(struct core *c, const struct core_module *m, struct ctrace_schema *s, struct core_facts *f)
{
	take_all(c, m->head.id, m->m.types, s, f);
}

void core_dynamic(struct core *c, const struct core_arena *a, struct ctrace_schema *s, struct core_facts *f)
{
	take_all(c, a->head.id, false, s, f);
}

/* --- containers --------------------------------------------------------------------- */

static void take_container(const struct ctrace_core_container *from, struct ctable *t)
{
	struct ctrace_container c = {
		.cid = from->cid, .parent = from->parent, .hierarchy = from->hierarchy, .flags = from->flags,
		.pidns = from->pidns, .cgroup_id = from->cgroup_id, .first_seen = from->first_seen,
		.gone = from->gone,
		.init_pid = from->init_pid > 0 ? (uint32_t)from->init_pid : 0,
	};
	char *runtime = clean(from->runtime), *id = clean(from->runtime_id), *path = clean(from->path);

	snprintf(c.runtime, sizeof(c.runtime), "%s", runtime);
	snprintf(c.runtime_id, sizeof(c.runtime_id), "%s", id);
	snprintf(c.path, sizeof(c.path), "%s", path);
	ctable_add(t, &c, NULL, c.runtime, false);
	free(runtime);
	free(id);
	free(path);
}

static bool container_ok(const struct ctrace_core_container *c)
{
	return c->sum == ctrace_core_sum(&c->cid, sizeof(*c) - sizeof(c->sum)) &&
		c->cid < CTRACE_CID_UNKNOWN && memchr(c->runtime, 0, sizeof(c->runtime)) &&
		memchr(c->runtime_id, 0, sizeof(c->runtime_id)) && memchr(c->path, 0, sizeof(c->path));
}

void core_containers(struct core *c, const struct core_module *m, struct ctable *t, struct core_facts *f)
{
	struct ctrace_core_container one;
	const struct core_part *p;
	const char *bytes;
	uint32_t len;
	size_t n, there = 0, wanted = 0;

	for (uint32_t i = 0; i < CTRACE_CORE_BUCKETS; i++)
		wanted += m->m.containers[i] != 0;
	p = core_parts(c, m->head.id, CTRACE_CORE_CONTAINERS, &n);
	for (size_t i = 0; i < n; i++) {
		bytes = core_part_read(c, &p[i], &len);
		if (!bytes)
			continue;
		there++;
		for (; len >= sizeof(one); len -= sizeof(one), bytes += sizeof(one)) {
			memcpy(&one, bytes, sizeof(one));
			if (!one.sum && !one.cid)
				continue;
			if (!container_ok(&one)) {
				f->places_torn++;
				continue;
			}
			if (ctable_find(t, one.cid) && ctable_find(t, one.cid)->known)
				continue;
			take_container(&one, t);
			f->containers++;
		}
	}
	f->parts_torn += wanted > there ? wanted - there : 0;
}
