/* SPDX-License-Identifier: GPL-2.0-only */
/* Containers that live nowhere, whose names are in fixtures/names. */
#ifndef CTRACE_NAMES_FIXTURE_H
#define CTRACE_NAMES_FIXTURE_H

#include <stdio.h>
#include "ktap.h"
#include "names/ctable.h"

/* The cgroups of this test do not exist: here a path shows whose they are. */
static inline bool roots(const struct ctrace_container *c)
{
	return !strstr(c->path, "/given/");
}

static inline struct ctrace_container container(char digit, const char *path)
{
	struct ctrace_container c = { .cid = 5, .cgroup_id = 55 };

	memset(c.runtime_id, digit, 64);
	snprintf(c.path, sizeof(c.path), "%s", path);
	return c;
}

/* A table with these names. */
static inline struct ctable *fixture_table(void)
{
	struct ctable *t = ctable_new(NULL);

	t->names = names_new(NAMES);
	t->names->roots = roots;
	return t;
}

static inline void put(struct ctable *t, uint32_t cid, char digit, const char *path)
{
	struct ctrace_container c = digit ? container(digit, path) : (struct ctrace_container){ .cgroup_id = cid };

	c.cid = cid;
	snprintf(c.path, sizeof(c.path), "%s", path);
	ctable_add(t, &c, NULL, "", false);
}

static inline void check_label(struct ctable *t, uint32_t cid, const char *label)
{
	check_str(ctable_get(t, cid)->label, label);
	check_str(ctable_get(t, cid)->shown, label);
}

static inline void check_word(const char *word, const char *want)
{
	check_str(word ? word : "(none)", want);
}

static inline void check_record(struct ctable *t, uint32_t cid, char digit, const char *ns, const char *pod, const char *uid,
			 const char *container, const char *restarts)
{
	const struct centry *e;

	put(t, cid, digit, "/system.slice/its.scope");
	e = ctable_get(t, cid);
	check_word(e->r.ns, ns);
	check_word(e->r.pod, pod);
	check_word(e->r.pod_uid, uid);
	check_word(e->r.container, container);
	check_word(e->r.restarts, restarts);
}

#endif
