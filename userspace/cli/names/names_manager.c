// SPDX-License-Identifier: GPL-2.0-only
/* Names that people chose, from podman's and CRI-O's storage and docker's containers. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include "names/names.h"

/*
 * podman, buildah and CRI-O share one store: STORAGE/DRIVER-containers/. Its containers.json (and
 * volatile-containers.json, for `run --rm`) is a list of {"id":..., "names":[...]}. CRI-O has better
 * names in the annotations of ID/userdata/config.json; these count if they are there.
 */
static void read_store(struct names *n, const char *path)
{
	struct json_object *list = names_json(n, path), *c, *v;

	if (list && json_object_is_type(list, json_type_array)) {
		for (size_t i = 0; i < (size_t)json_object_array_length(list); i++) {
			struct name_entry e = { .runtime = "podman", .rank = NAME_MANAGER };

			c = json_object_array_get_idx(list, i);
			e.id = (char *)names_str(c, "id");
			v = names_get(c, "names");
			if (!e.id || !v || !json_object_is_type(v, json_type_array) ||
			    !json_object_array_length(v))
				continue;
			v = json_object_array_get_idx(v, 0);
			if (!json_object_is_type(v, json_type_string))
				continue;
			e.name = (char *)json_object_get_string(v);
			names_add(n, &e);
		}
	}
	json_object_put(list);
}

static void crio_container(struct names *n, const char *path, const char *id)
{
	char *file = xasprintf("%s/userdata/config.json", path), *label = NULL;
	struct json_object *o = names_json(n, file), *a = names_get(o, "annotations");
	const char *pod = names_str(a, "io.kubernetes.pod.name");
	const char *name = names_str(a, "io.kubernetes.container.name");

	if (pod && name) {
		/* the sandbox ("POD") has the name of its pod */
		label = strcmp(name, "POD") ? xasprintf("%s/%s", pod, name) : xstrdup(pod);
		names_add(n, &(struct name_entry){
			.id = (char *)id, .name = label, .runtime = "cri-o", .rank = NAME_CRI,
		});
	}
	free(label);
	json_object_put(o);
	free(file);
}

static void store_dir(struct names *n, const char *path, const char *entry)
{
	static const char suffix[] = "-containers";
	size_t len = strlen(entry);
	char *file;

	if (len < sizeof(suffix) || strcmp(entry + len - sizeof(suffix) + 1, suffix))
		return;
	file = xasprintf("%s/containers.json", path);
	read_store(n, file);
	free(file);
	file = xasprintf("%s/volatile-containers.json", path);
	read_store(n, file);
	free(file);
	names_each(n, path, crio_container);
}

void names_read_storage(struct names *n, const char *dir)
{
	names_each(n, dir, store_dir);
}

static void docker_container(struct names *n, const char *path, const char *id)
{
	char *file = xasprintf("%s/config.v2.json", path);
	struct json_object *o = names_json(n, file), *pid = names_get(names_get(o, "State"), "Pid");
	const char *name = names_str(o, "Name");

	if (name)
		names_add(n, &(struct name_entry){
			.id = (char *)id, .name = (char *)name + (*name == '/'), .runtime = "docker",
			.pid = pid ? (uint32_t)json_object_get_int(pid) : 0, .rank = NAME_MANAGER,
		});
	json_object_put(o);
	free(file);
}

/* Reads graphroot and runroot of a storage.conf. The file is TOML, but these two are plain lines. */
static void storage_conf(struct names *n, const char *path)
{
	char *full = xasprintf("%s%s", n->root, path);
	char *text = read_file(full, NULL), *save = NULL;

	free(full);
	for (char *l = text ? strtok_r(text, "\n", &save) : NULL; l; l = strtok_r(NULL, "\n", &save)) {
		char dir[512];

		if (sscanf(l, " graphroot = \"%500[^\"]\"", dir) == 1 ||
		    sscanf(l, " runroot = \"%500[^\"]\"", dir) == 1)
			names_read_storage(n, dir);
	}
	free(text);
}

/* Each user may keep containers below the home directory. */
static void user_home(struct names *n, const char *home)
{
	char *p;

	p = xasprintf("%s/.local/share/containers/storage", home);
	names_read_storage(n, p);
	free(p);
	p = xasprintf("%s/.config/containers/storage.conf", home);
	storage_conf(n, p);
	free(p);
	p = xasprintf("%s/.local/share/docker/containers", home);
	names_each(n, p, docker_container);
	free(p);
}

static void users(struct names *n)
{
	char *full = xasprintf("%s/etc/passwd", n->root), *save = NULL;
	char *text = read_file(full, NULL);

	/* Read the file: getpwent() would ask a directory service for every user. */
	free(full);
	for (char *l = text ? strtok_r(text, "\n", &save) : NULL; l; l = strtok_r(NULL, "\n", &save)) {
		char *f = l;

		for (int i = 0; i < 5 && f; i++) {
			f = strchr(f, ':');
			f += f != NULL;
		}
		if (!f)
			continue;
		f[strcspn(f, ":")] = '\0';
		if (f[0] == '/' && f[1])
			user_home(n, f);
	}
	free(text);
}

static void rootless_run(struct names *n, const char *path, const char *entry)
{
	char *p = xasprintf("%s/containers", path);

	(void)entry;
	names_read_storage(n, p);
	free(p);
}

void names_from_managers(struct names *n)
{
	names_read_storage(n, "/var/lib/containers/storage");
	names_read_storage(n, "/run/containers/storage");
	names_each(n, "/run/user", rootless_run);
	storage_conf(n, "/etc/containers/storage.conf");
	storage_conf(n, "/usr/share/containers/storage.conf");
	names_each(n, "/var/lib/docker/containers", docker_container);
	users(n);
}
