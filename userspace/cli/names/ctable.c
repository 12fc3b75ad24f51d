// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "names/ctable.h"

/*
 * Runtimes write their state files at about the time a container starts. So an entry without a name is
 * looked up again while the container is younger than NAME_PATIENCE. The files are read at most once per
 * NAME_INTERVAL.
 */
#define NAME_PATIENCE	(3 * NSEC_PER_SEC)
#define NAME_INTERVAL	(NSEC_PER_SEC / 4)

struct ctable *ctable_new(struct ctrace *ct)
{
	struct ctable *t = xcalloc(1, sizeof(*t));

	t->ct = ct;
	t->size = 64;
	t->v = xcalloc(t->size, sizeof(t->v[0]));
	if (ct)
		t->names = names_new(NULL);
	return t;
}

void ctable_free(struct ctable *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->size; i++) {
		if (!t->v[i])
			continue;
		free(t->v[i]->label);
		free(t->v[i]->shown);
		free(t->v[i]->runtime);
		free(t->v[i]);
	}
	free(t->v);
	names_free(t->names);
	free(t);
}

static struct centry **slot(struct ctable *t, uint32_t cid)
{
	size_t i = (cid * 0x9e3779b1u) & (t->size - 1);

	while (t->v[i] && t->v[i]->c.cid != cid)
		i = (i + 1) & (t->size - 1);
	return &t->v[i];
}

static void grow(struct ctable *t)
{
	struct centry **old = t->v;
	size_t n = t->size;

	t->size *= 2;
	t->v = xcalloc(t->size, sizeof(t->v[0]));
	for (size_t i = 0; i < n; i++)
		if (old[i])
			*slot(t, old[i]->c.cid) = old[i];
	free(old);
}

static struct centry *entry(struct ctable *t, uint32_t cid)
{
	struct centry **s = slot(t, cid);

	if (!*s) {
		if (2 * (t->n + 1) > t->size) {
			grow(t);
			s = slot(t, cid);
		}
		*s = xcalloc(1, sizeof(**s));
		(*s)->c.cid = cid;
		t->n++;
	}
	return *s;
}

static void set_label(struct ctable *t, struct centry *e, const char *label, const char *runtime,
		      bool named)
{
	struct sbuf b = { 0 };

	if (e->label && !strcmp(e->label, label) && e->named == named)
		return;
	t->changed = true;
	free(e->label);
	free(e->shown);
	free(e->runtime);
	e->label = xstrdup(label);
	e->runtime = xstrdup(e->c.runtime[0] ? e->c.runtime : runtime);
	e->named = named;
	sbuf_reset(&b);
	sbuf_clean(&b, label);
	e->shown = b.s;
}

/* A stand-in for a name: the beginning of the id, else the name of the cgroup or of the pid namespace. */
static char *stand_in(const struct ctrace_container *c, bool known)
{
	const char *base = strrchr(c->path, '/');
	size_t n;

	if (c->cid == CTRACE_CID_HOST)
		return xstrdup("host");
	if (c->cid == CTRACE_CID_UNKNOWN)
		return xstrdup("unknown");
	if (c->runtime_id[0])
		return xstrndup(c->runtime_id, 12);
	base = base ? base + 1 : c->path;
	if (known && c->cgroup_id && *base) {
		/* lxc and nspawn have the container's name in the cgroup's name */
		if (!strncmp(base, "lxc.payload.", 12) && base[12])
			return xstrdup(base + 12);
		n = strlen(base);
		if (n > 14 && !strncmp(base, "machine-", 8) && !strcmp(base + n - 6, ".scope"))
			return xstrndup(base + 8, n - 14);
		return xstrdup(base);
	}
	if (c->pidns)
		return xasprintf("pidns-%u", c->pidns);
	return xasprintf("cid-%u", c->cid);
}

static void name_it(struct ctable *t, struct centry *e)
{
	const struct name_entry *found = NULL;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	char *label;

	e->tried = now;
	if (t->names && e->known && e->c.cid != CTRACE_CID_HOST) {
		found = names_lookup(t->names, &e->c);
		/* crun only knows a podman container's id: podman may have written its name by now */
		if ((!found || found->rank == NAME_RUNTIME) && now - t->names_read > NAME_INTERVAL) {
			names_refresh(t->names);
			t->names_read = now;
			found = names_lookup(t->names, &e->c);
		}
		if (found && e->c.runtime_id[0] && !strcmp(found->name, e->c.runtime_id))
			found = NULL;
	}
	if (found) {
		set_label(t, e, found->name, found->runtime, true);
		return;
	}
	label = stand_in(&e->c, e->known);
	set_label(t, e, label, "", e->c.cid == CTRACE_CID_HOST);
	free(label);
}

static int take(const struct ctrace_container *c, void *arg)
{
	struct ctable *t = arg;
	struct centry *e = entry(t, c->cid);
	/* More has become known since (namespace, cgroup): its name may be found now. */
	bool again = e->known && (strcmp(e->c.runtime_id, c->runtime_id) ||
				  strcmp(e->c.path, c->path) || e->c.pidns != c->pidns);

	if (!e->known || again || e->c.gone != c->gone || e->c.flags != c->flags)
		t->changed = true;
	e->c = *c;
	e->round = t->round;
	if ((!e->known || again) && e->label && !e->named)
		e->tried = 0;
	e->known = true;
	return 0;
}

int ctable_list(struct ctable *t)
{
	t->listed = clock_ns(CLOCK_MONOTONIC);
	t->round++;
	return ctrace_container_each(t->ct, take, t);
}

static int noticed(const struct ctrace_container *c, bool born, void *arg)
{
	struct ctable *t = arg;

	take(c, t);
	if (!born)
		entry(t, c->cid)->c.flags |= CTRACE_CONTAINER_F_DEAD;
	return 0;
}

int ctable_subscribe(struct ctable *t)
{
	return ctrace_container_subscribe(t->ct, noticed, t);
}

int ctable_dispatch(struct ctable *t)
{
	struct centry *e;
	int err;

	do
		err = ctrace_container_dispatch(t->ct);
	while (err > 0);
	if (err != -ENOBUFS)
		return err;
	/* Notices were lost. A container that is not in the list has died meanwhile. */
	err = ctable_list(t);
	for (size_t i = 0; !err && (e = ctable_next(t, &i));)
		if (e->known && e->round != t->round && e->c.cid != CTRACE_CID_HOST)
			e->c.flags |= CTRACE_CONTAINER_F_DEAD;
	return err;
}

struct centry *ctable_get(struct ctable *t, uint32_t cid)
{
	struct centry *e = entry(t, cid);
	uint64_t now;

	if (e->label && (!t->ct || e->named))
		return e;
	now = clock_ns(CLOCK_MONOTONIC);
	if (!e->known && t->ct && cid != CTRACE_CID_UNKNOWN && now - t->listed > NAME_INTERVAL)
		ctable_list(t);
	/* No name was found, but the container is young: its runtime may write the name yet. */
	if (!e->label || !e->tried ||
	    (e->known && now - e->tried > NAME_INTERVAL && now - e->c.first_seen < NAME_PATIENCE))
		name_it(t, e);
	return e;
}

void ctable_add(struct ctable *t, const struct ctrace_container *c, const char *label,
		const char *runtime, bool named)
{
	struct centry *e = entry(t, c->cid);

	e->c = *c;
	e->known = true;
	set_label(t, e, label, runtime, named);
}

struct centry *ctable_next(struct ctable *t, size_t *i)
{
	while (*i < t->size)
		if (t->v[(*i)++])
			return t->v[*i - 1];
	return NULL;
}

void ctable_json(struct json *j, const struct centry *e)
{
	const struct ctrace_container *c = &e->c;

	json_uint(j, "cid", c->cid);
	json_str(j, "name", e->label);
	json_flag(j, "named", e->named);
	json_str(j, "runtime", e->runtime);
	json_str(j, "id", c->runtime_id);
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
