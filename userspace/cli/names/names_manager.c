// SPDX-License-Identifier: GPL-2.0-only
/* Names that people chose, from podman's and CRI-O's storage, also in users' homes. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include "names/names.h"

#define POD_ID	64	/* digits of the id of podman's pods */

/*
 * podman, buildah and CRI-O share one store: STORAGE/DRIVER-containers/. Its containers.json (and
 * volatile-containers.json, for `run --rm`) is a list of {"id":..., "names":[...]}. CRI-O has better
 * names in the annotations of ID/userdata/config.json; if the file has such names, they win.
 */
static void read_store(struct names *n, const char *path)
{
	struct json_object *list = names_json(n, path), *c, *v, *meta;
	const char *text;

	if (list && json_object_is_type(list, json_type_array)) {
		for (size_t i = 0; i < (size_t)json_object_array_length(list); i++) {
			struct name_entry e = { .runtime = "podman", .rank = NAME_MANAGER,
						.file = (char *)path };

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
			/* the metadata is JSON in a string */
			text = names_str(c, "metadata");
			meta = text ? json_tokener_parse(text) : NULL;
			e.r.image = (char *)names_str(meta, "image-name");
			names_add(n, &e);
			json_object_put(meta);
		}
	}
	json_object_put(list);
}

/*
 * The 64 digits of a pod's id at s, which is followed by after; NULL: there are none. The caller frees them.
 */
static char *pod_id(const char *s, const char *after)
{
	return strspn(s, "0123456789abcdef") == POD_ID && !strncmp(s + POD_ID, after, strlen(after)) ?
		xstrndup(s, POD_ID) : NULL;
}

/*
 * The id of the pod of the container in the directory path, if the pod has no infra container; the caller
 * frees it. The annotation has the pod's id; or if there is an infra container, that one's id, whose
 * directory exists.
 */
static char *pod_alone(struct names *n, const char *path, struct json_object *annotations)
{
	const char *in = names_str(annotations, "io.kubernetes.cri-o.SandboxID");
	char *id = in ? pod_id(in, "") : NULL, *file, *infra;

	if (!id)
		return NULL;
	file = xasprintf("%.*s/%s/userdata/config.json", (int)(strrchr(path, '/') - path), path, id);
	infra = names_text(n, file, NULL);
	if (infra) {
		free(id);
		id = NULL;
	}
	free(infra);
	free(file);
	return id;
}

/*
 * A pod of podman has a cgroup, PARENT/PODID/libpod-ID or, by systemd,
 * machine-libpod_pod_PODID.slice:libpod:ID. podman keeps the names of its pods in a database. Its events, if
 * it keeps them in a file, have the names, too. Else the infra container's host name is the pod's name,
 * unless the user chose another one by --hostname, which no file shows. Only the infra container has no
 * SandboxID. Without an infra container, the pod's id stands for its name.
 */
static void podman_pod(struct names *n, struct name_entry *e, const char *dir, struct json_object *config)
{
	struct json_object *annotations = names_get(config, "annotations");
	const char *path = names_str(names_get(config, "linux"), "cgroupsPath");
	const char *slice = path ? strstr(path, "libpod_pod_") : NULL;
	const char *last = path ? strrchr(path, '/') : NULL;
	char *id = slice ? pod_id(slice + strlen("libpod_pod_"), ".slice") :
		   last && last - path > POD_ID ? pod_id(last - POD_ID, "/libpod-") : NULL;

	if (id && !names_str(annotations, "io.kubernetes.cri-o.SandboxID"))
		e->r.pod = (char *)names_str(config, "hostname");
	if (!id)
		id = pod_alone(n, dir, annotations);
	e->r.pod_uid = id;
	e->name = id;
	e->rank = NAME_POD;
	if (id)
		names_add(n, e);
	free(id);
}

/*
 * podman's events, if it keeps them in a file: one JSON object a line, also of pods that are made. Before the
 * stores.
 */
static void podman_events(struct names *n, const char *path)
{
	char *text = names_text(n, path, NULL), *save = NULL;

	for (char *l = text ? strtok_r(text, "\n", &save) : NULL; l; l = strtok_r(NULL, "\n", &save)) {
		struct name_entry e = { .rank = NAME_POD, .file = (char *)path };
		const char *type, *status;
		struct json_object *o;

		if (!strstr(l, "\"pod\""))
			continue;
		o = json_tokener_parse(l);
		type = names_str(o, "Type");
		status = names_str(o, "Status");
		e.r.pod = (char *)names_str(o, "Name");
		e.r.pod_uid = (char *)names_str(o, "ID");
		e.name = e.r.pod_uid;
		if (type && status && e.r.pod && e.name && !strcmp(type, "pod") && !strcmp(status, "create"))
			names_add(n, &e);
		json_object_put(o);
	}
	free(text);
}

static void store_container(struct names *n, const char *path, const char *id)
{
	char *file = xasprintf("%s/userdata/config.json", path);
	struct json_object *o = names_json(n, file), *a = names_get(o, "annotations");
	struct name_entry e = { .id = (char *)id, .runtime = "cri-o", .rank = NAME_CRI, .file = file };
	const char *text = names_str(a, "io.kubernetes.cri-o.Labels");
	struct json_object *labels = text ? json_tokener_parse(text) : NULL;

	record_from_labels(&e.r, a);
	e.r.image = (char *)names_str(a, "io.kubernetes.cri-o.ImageName");
	e.r.labels = labels ? labels : a;
	if (e.r.pod && names_str(a, "io.kubernetes.container.name")) {
		names_add(n, &e);
	} else {
		e = (struct name_entry){ .id = (char *)id, .runtime = "podman", .file = file };
		podman_pod(n, &e, path, o);
	}
	json_object_put(labels);
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
	names_each(n, path, store_container);
}

void names_read_storage(struct names *n, const char *dir)
{
	names_each(n, dir, store_dir);
}

/* Reads graphroot and runroot of a storage.conf. The file is TOML, but these two are plain lines. */
static void storage_conf(struct names *n, const char *path)
{
	char *text = names_text(n, path, NULL), *save = NULL;

	for (char *l = text ? strtok_r(text, "\n", &save) : NULL; l; l = strtok_r(NULL, "\n", &save)) {
		char dir[512];

		if (sscanf(l, " graphroot = \"%500[^\"]\"", dir) == 1 ||
		    sscanf(l, " runroot = \"%500[^\"]\"", dir) == 1)
			names_read_storage(n, dir);
	}
	free(text);
}

/* Each user may keep containers below the home directory. */
void names_of_home(struct names *n, const char *home)
{
	char *p;

	p = xasprintf("%s/.local/share/containers/storage", home);
	names_read_storage(n, p);
	free(p);
	p = xasprintf("%s/.config/containers/storage.conf", home);
	storage_conf(n, p);
	free(p);
	p = xasprintf("%s/.local/share/docker", home);
	names_docker_root(n, p);
	free(p);
}

static void user_home(struct names *n, const char *home, uint32_t uid)
{
	char *request;

	/* root is the system */
	if (!uid) {
		names_of_home(n, home);
		return;
	}
	request = xasprintf("home %u %s", uid, home);
	names_ask(n, NAME_OF_USER, uid, request);
	free(request);
}

static void users(struct names *n)
{
	/* Read the file: getpwent() would ask a directory service for every user. */
	char *text = names_text(n, "/etc/passwd", NULL), *save = NULL;

	for (char *l = text ? strtok_r(text, "\n", &save) : NULL; l; l = strtok_r(NULL, "\n", &save)) {
		char *f = l, *home = NULL;
		uint32_t uid = 0;

		/* NAME:PASSWORD:UID:GID:COMMENT:HOME:SHELL */
		for (int i = 0; i < 6 && f; i++) {
			char *word = f;

			f = strchr(f, ':');
			if (f)
				*f++ = '\0';
			/* a line without a number would be root's */
			if (i == 2 && parse_u32(word, &uid))
				break;
			if (i == 5)
				home = word;
		}
		if (home && home[0] == '/' && home[1])
			user_home(n, home, uid);
	}
	free(text);
}

void names_of_managers_run(struct names *n, const char *path)
{
	char *p = xasprintf("%s/libpod/tmp/events/events.log", path);

	podman_events(n, p);
	free(p);
	p = xasprintf("%s/containers", path);
	names_read_storage(n, p);
	free(p);
}

/* The user's runtimes keep files there, too. */
static void user_run(struct names *n, const char *path, const char *entry)
{
	char *request;
	uint32_t uid;

	if (parse_u32(entry, &uid))
		return;
	if (!uid) {
		names_of_managers_run(n, path);
		names_of_runtimes_run(n, path);
		return;
	}
	request = xasprintf("run %u %s", uid, path);
	names_ask(n, NAME_OF_USER, uid, request);
	free(request);
}

void names_from_managers(struct names *n)
{
	podman_events(n, "/run/libpod/events/events.log");
	names_read_storage(n, "/var/lib/containers/storage");
	names_read_storage(n, "/run/containers/storage");
	names_each(n, "/run/user", user_run);
	storage_conf(n, "/etc/containers/storage.conf");
	storage_conf(n, "/usr/share/containers/storage.conf");
	users(n);
}
