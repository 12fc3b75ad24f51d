// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/far.h"
#include "base/foreign.h"
#include "names/cgroupfs.h"
#include "names/names.h"
#include "names/patterns.h"

/*
 * A store that users other than root may write can have very many files: this many of a directory are read.
 */
#define OTHERS_MAX	4096
#define WARNED_MAX	100

/* A link in a directory of others could lead to any file of root's. */
static bool only_roots(const char *path)
{
	char *real = realpath(path, NULL);
	bool yes = real && !strcmp(real, path) && path_only_roots(path);

	free(real);
	return yes;
}

static bool in_test(const char *path)
{
	(void)path;
	return true;
}

struct names *names_new(const char *root)
{
	struct names *n = xcalloc(1, sizeof(*n));

	if (!root)
		root = secure_getenv("CTRACE_ROOT");
	n->root = xstrdup(root ? root : "");
	n->test = *n->root;
	n->in = -1;
	n->roots = cgroup_only_roots;
	n->safe = n->test ? in_test : only_roots;
	n->owners = !n->test;
	return n;
}

static void clear(struct names *n)
{
	for (size_t i = 0; i < n->n; i++) {
		free(n->v[i].id);
		free(n->v[i].name);
		free(n->v[i].runtime);
		free(n->v[i].cgroup);
		free(n->v[i].unit);
		record_clear(&n->v[i].r);
		free(n->v[i].file);
	}
	n->n = 0;
}

void names_free(struct names *n)
{
	if (!n)
		return;
	clear(n);
	free(n->v);
	free(n->lists);
	free(n->inside);
	for (size_t i = 0; i < n->ndaemons; i++)
		free(n->daemons[i]);
	free(n->daemons);
	for (size_t i = 0; i < n->nwarned; i++)
		free(n->warned[i]);
	free(n->warned);
	patterns_free(n);
	names_far_free(n);
	free(n->root);
	free(n);
}

void names_refresh(struct names *n)
{
	clear(n);
	names_index(n);
	n->far_bytes = 0;
	names_of(n, 0);
	names_from_managers(n);
	names_from_docker(n);
	names_system_runtimes(n);
	names_from_machines(n);
	names_from_logs(n);
	names_from_given(n);
	names_from_inside(n);
}

void names_warn(struct names *n, const char *text)
{
	if (!n->warn || n->nwarned == WARNED_MAX)
		return;
	for (size_t i = 0; i < n->nwarned; i++)
		if (!strcmp(n->warned[i], text))
			return;
	n->warned = xrealloc(n->warned, (n->nwarned + 1) * sizeof(n->warned[0]));
	n->warned[n->nwarned++] = xstrdup(text);
	n->warn(text);
}

void names_of(struct names *n, uint32_t uid)
{
	n->owner = uid ? NAME_OF_USER : NAME_OF_SYSTEM;
	n->whose = uid;
}

void names_keep(struct names *n, const struct name_entry *e)
{
	struct name_entry *new;

	if (n->n == n->cap) {
		n->cap = n->cap ? 2 * n->cap : 32;
		n->v = xrealloc(n->v, n->cap * sizeof(n->v[0]));
		names_index(n);
	}
	new = &n->v[n->n++];
	*new = (struct name_entry){
		.id = xstrdup(e->id), .name = xstrdup(e->name), .runtime = xstrdup(e->runtime ? e->runtime : ""),
		.cgroup = e->cgroup ? xstrdup(e->cgroup) : NULL, .unit = e->unit ? xstrdup(e->unit) : NULL,
		.file = xstrdup(e->file), .pid = e->pid, .rank = e->rank, .loose = e->loose,
		.owner = n->owner, .whose = n->whose,
	};
	record_copy(&new->r, &e->r);
	/* a container numbers processes and cgroups its own way */
	if (n->owner == NAME_OF_CONTAINER) {
		free(new->cgroup);
		new->cgroup = NULL;
		new->pid = 0;
	}
	names_index_last(n);
}

void names_add(struct names *n, const struct name_entry *e)
{
	char *file = xasprintf("%s%s", n->root, e->file ? e->file : ""), *name = NULL;
	struct name_entry whole = *e;

	whole.id = e->id ? e->id : "";
	whole.file = file;
	if (!e->name)
		whole.name = name = record_name(&e->r, false);
	if (!whole.name)
		whole.name = whole.id;
	if (!*whole.name)
		;
	else if (n->teller)
		names_tell(n, &whole);
	else
		names_keep(n, &whole);
	free(name);
	free(file);
}

/* Is path that of unit's cgroup, or of the payload that systemd-nspawn puts below it? */
static bool is_payload(const char *path, const char *unit)
{
	size_t n = strlen(path), m = strlen(unit), p = sizeof(NAMES_PAYLOAD) - 1;

	if (n > p && !strcmp(path + n - p, NAMES_PAYLOAD))
		n -= p;
	return n > m && path[n - m - 1] == '/' && !strncmp(path + n - m, unit, m);
}

bool names_match(const struct name_entry *e, const struct ctrace_container *c)
{
	if (c->runtime_id[0])
		return !strcmp(e->id, c->runtime_id);
	/*
	 * The path has no id (a bare bundle): compare the cgroup, or init's pid if the entry has no cgroup. A
	 * pid comes last because an old state file may hold one that the kernel has reused.
	 */
	if (e->unit && is_payload(c->path, e->unit))
		return true;
	if (e->cgroup)
		return c->path[0] && strcmp(c->path, "/") && !strcmp(e->cgroup, c->path);
	return e->pid && e->pid == c->init_pid;
}

static bool same_word(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_owner(const struct name_entry *a, const struct name_entry *b)
{
	return a->owner == b->owner && a->whose == b->whose;
}

/*
 * A container without a cgroup of its own (podman run --cgroups=disabled) is found by its init, which a
 * runtime's file has with the runtime's id. Another file, of the same owner, may have a name for that id.
 */
static const struct name_entry *better_by_id(const struct names *n, const struct name_entry *e,
					     const struct ctrace_container *c)
{
	struct names_walk w = names_walk_id(n, e->id);
	const struct name_entry *best = e, *x;

	while ((x = names_next(n, &w)))
		if (x->rank > best->rank && same_owner(x, e) && same_word(x->id, e->id) &&
		    names_doubt(n, x, c) == NAME_BELIEVED)
			best = x;
	return best;
}

const struct name_entry *names_lookup(const struct names *n, const struct ctrace_container *c)
{
	const struct name_entry *best = NULL, *e;
	struct names_walk w = names_walk(n, c);

	if (c->cid == CTRACE_CID_HOST)
		return NULL;
	while ((e = names_next_match(n, &w, c)))
		if (e->rank > (best ? best->rank : NAME_POD) && names_doubt(n, e, c) == NAME_BELIEVED)
			best = e;
	return best && *best->id && !c->runtime_id[0] ? better_by_id(n, best, c) : best;
}

/* The name of podman's pod that x is in, which its infra container has; its id, if there is none. */
static char *pod_name(const struct names *n, const struct name_entry *x)
{
	struct names_walk w = names_walk_pod(n, x->r.pod_uid);
	const struct name_entry *e;

	while ((e = names_next(n, &w)))
		if (same_owner(e, x) && same_word(e->r.pod_uid, x->r.pod_uid))
			return e->r.pod;
	return x->r.pod_uid;
}

struct name_record names_record(const struct names *n, const struct name_entry *e,
				const struct ctrace_container *c)
{
	struct names_walk w = names_walk(n, c);
	struct name_record r = e->r;
	const struct name_entry *x;

	while ((x = names_next_match(n, &w, c))) {
		bool pod = x->rank == NAME_POD && same_owner(x, e) && !r.pod;
		bool restarts = x->r.restarts && !r.restarts && r.pod && same_word(x->r.ns, r.ns) &&
				same_word(x->r.pod, r.pod) && same_word(x->r.container, r.container);

		if ((!pod && !restarts) || names_doubt(n, x, c) != NAME_BELIEVED)
			continue;
		if (restarts) {
			r.restarts = x->r.restarts;
		} else {
			r.pod_uid = x->r.pod_uid;
			r.pod = pod_name(n, x);
		}
	}
	return r;
}

/* The whole path; or below n->in, if that is a directory. */
static char *reach(struct names *n, const char *path)
{
	char *full = xasprintf("%s%s", n->root, path);

	far_at(full);
	if (n->in < 0)
		return full;
	free(full);
	return xstrdup(path);
}

void names_each(struct names *n, const char *dir,
		void (*fn)(struct names *n, const char *path, const char *entry))
{
	unsigned int seen = 0;
	struct dirent *e;
	char *path;
	DIR *d;

	path = reach(n, dir);
	d = foreign_dir(n->in, path);
	free(path);
	if (!d)
		return;
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		if (n->owner != NAME_OF_SYSTEM && ++seen > OTHERS_MAX)
			break;
		path = xasprintf("%s/%s", dir, e->d_name);
		fn(n, path, e->d_name);
		free(path);
	}
	closedir(d);
}

char *names_text(struct names *n, const char *path, size_t *len)
{
	const uint32_t *owner = n->owners && n->owner == NAME_OF_USER ? &n->whose : NULL;
	char *full = reach(n, path), *text = foreign_text(n->in, full, owner, READ_MAX, len);

	free(full);
	return text;
}

struct json_object *names_json(struct names *n, const char *path)
{
	char *text = names_text(n, path, NULL);
	struct json_object *o = text ? json_tokener_parse(text) : NULL;

	free(text);
	return o;
}

struct json_object *names_get(struct json_object *obj, const char *key)
{
	struct json_object *v;

	if (!obj || !json_object_is_type(obj, json_type_object) ||
	    !json_object_object_get_ex(obj, key, &v))
		return NULL;
	return v;
}

int64_t names_number(struct json_object *obj, const char *key)
{
	struct json_object *v = names_get(obj, key);

	return v ? json_object_get_int64(v) : 0;
}

const char *names_str(struct json_object *obj, const char *key)
{
	struct json_object *v = names_get(obj, key);

	return v && json_object_is_type(v, json_type_string) ? json_object_get_string(v) : NULL;
}
