// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include "names/names.h"

struct names *names_new(const char *root)
{
	struct names *n = xcalloc(1, sizeof(*n));

	if (!root)
		root = secure_getenv("CTRACE_ROOT");
	n->root = xstrdup(root ? root : "");
	return n;
}

static void clear(struct names *n)
{
	for (size_t i = 0; i < n->n; i++) {
		free(n->v[i].id);
		free(n->v[i].name);
		free(n->v[i].runtime);
		free(n->v[i].cgroup);
	}
	n->n = 0;
}

void names_free(struct names *n)
{
	if (!n)
		return;
	clear(n);
	free(n->v);
	free(n->root);
	free(n);
}

void names_refresh(struct names *n)
{
	clear(n);
	names_from_managers(n);
	names_from_runtimes(n);
}

void names_add(struct names *n, const struct name_entry *e)
{
	const char *id = e->id ? e->id : "";
	const char *name = e->name ? e->name : id;
	struct name_entry *new;

	if (!*name)
		return;
	if (n->n == n->cap) {
		n->cap = n->cap ? 2 * n->cap : 32;
		n->v = xrealloc(n->v, n->cap * sizeof(n->v[0]));
	}
	new = &n->v[n->n++];
	new->id = xstrdup(id);
	new->name = xstrdup(name);
	new->runtime = xstrdup(e->runtime ? e->runtime : "");
	new->cgroup = e->cgroup ? xstrdup(e->cgroup) : NULL;
	new->pid = e->pid;
	new->rank = e->rank;
}

static bool is_container(const struct name_entry *e, const struct ctrace_container *c)
{
	if (c->runtime_id[0])
		return !strcmp(e->id, c->runtime_id);
	/*
	 * The path has no id (a bare bundle): compare the cgroup, or init's pid if the entry has no cgroup. A
	 * pid comes last because an old state file may hold one that the kernel has reused.
	 */
	if (e->cgroup)
		return c->path[0] && strcmp(c->path, "/") && !strcmp(e->cgroup, c->path);
	return e->pid && e->pid == c->init_pid;
}

const struct name_entry *names_lookup(const struct names *n, const struct ctrace_container *c)
{
	const struct name_entry *best = NULL;

	if (c->cid == CTRACE_CID_HOST)
		return NULL;
	for (size_t i = 0; i < n->n; i++)
		if (is_container(&n->v[i], c) && (!best || n->v[i].rank > best->rank))
			best = &n->v[i];
	return best;
}

void names_each(struct names *n, const char *dir,
		void (*fn)(struct names *n, const char *path, const char *entry))
{
	char *path = xasprintf("%s%s", n->root, dir);
	DIR *d = opendir(path);
	struct dirent *e;

	free(path);
	if (!d)
		return;
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		path = xasprintf("%s/%s", dir, e->d_name);
		fn(n, path, e->d_name);
		free(path);
	}
	closedir(d);
}

struct json_object *names_json(struct names *n, const char *path)
{
	char *full = xasprintf("%s%s", n->root, path);
	char *text = read_file(full, NULL);
	struct json_object *o = NULL;

	free(full);
	if (text)
		o = json_tokener_parse(text);
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

const char *names_str(struct json_object *obj, const char *key)
{
	struct json_object *v = names_get(obj, key);

	return v && json_object_is_type(v, json_type_string) ? json_object_get_string(v) : NULL;
}
