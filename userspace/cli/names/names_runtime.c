// SPDX-License-Identifier: GPL-2.0-only
/* Reads what the low-level runtimes keep below /run while a container lives. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include "names/names.h"

static uint32_t get_pid(struct json_object *o, const char *key)
{
	struct json_object *v = names_get(o, key);
	int64_t pid = v ? json_object_get_int64(v) : 0;

	return pid > 0 && pid <= INT32_MAX ? (uint32_t)pid : 0;
}

/* A cgroup's path, or NULL for systemd's "slice:prefix:name", which runc and containerd may write instead. */
static char *plain_path(const char *cgroup)
{
	if (!cgroup || !*cgroup || strchr(cgroup, ':'))
		return NULL;
	return xasprintf("%s%s", cgroup[0] == '/' ? "" : "/", cgroup);
}

/*
 * crun: ID/status. The bundle in it leads to the store of a podman that keeps its containers in another
 * place: STORE/DRIVER-containers/ID/userdata.
 */
static void crun_container(struct names *n, const char *path, const char *id)
{
	char *file = xasprintf("%s/status", path), *cgroup;
	struct json_object *o = names_json(n, file);
	const char *bundle = names_str(o, "bundle");

	free(file);
	if (!o)
		return;
	cgroup = plain_path(names_str(o, "cgroup-path"));
	names_add(n, &(struct name_entry){
		.id = (char *)id, .runtime = "crun", .cgroup = cgroup,
		.pid = get_pid(o, "pid"), .rank = NAME_RUNTIME,
	});
	free(cgroup);
	if (bundle && strlen(bundle) > 9 && !strcmp(bundle + strlen(bundle) - 9, "/userdata")) {
		char *store = xstrdup(bundle), *p = NULL;

		for (int i = 0; i < 3; i++) {
			p = strrchr(store, '/');
			if (!p)
				break;
			*p = '\0';
		}
		if (p && *store && strcmp(store, "/var/lib/containers/storage"))
			names_read_storage(n, store);
		free(store);
	}
	json_object_put(o);
}

/* runc: ID/state.json. Its cgroup_paths are absolute; the key is the controller on v1, "" on v2. */
static char *runc_cgroup(struct json_object *o)
{
	struct json_object *paths = names_get(o, "cgroup_paths");
	static const char mount[] = "/sys/fs/cgroup";

	if (!paths || !json_object_is_type(paths, json_type_object))
		return NULL;
	json_object_object_foreach(paths, ctrl, v) {
		const char *p = json_object_get_string(v);

		if (!p || strncmp(p, mount, sizeof(mount) - 1))
			continue;
		p += sizeof(mount) - 1;
		if (*ctrl) {
			p = *p == '/' ? strchr(p + 1, '/') : NULL;
			if (!p)
				continue;
		} else if (!strncmp(p, "/unified/", 9)) {
			p += 8;
		}
		return xstrdup(p);
	}
	return NULL;
}

static void runc_container(struct names *n, const char *path, const char *id)
{
	char *file = xasprintf("%s/state.json", path), *cgroup;
	struct json_object *o = names_json(n, file);

	free(file);
	if (!o)
		return;
	cgroup = runc_cgroup(o);
	names_add(n, &(struct name_entry){
		.id = (char *)id, .runtime = "runc", .cgroup = cgroup,
		.pid = get_pid(o, "init_process_pid"), .rank = NAME_RUNTIME,
	});
	free(cgroup);
	json_object_put(o);
}

/* containerd: NS/ID is the bundle. The annotations in its config.json name pod and container. */
static void containerd_container(struct names *n, const char *path, const char *id)
{
	char *file = xasprintf("%s/config.json", path), *label = NULL, *cgroup;
	struct json_object *o = names_json(n, file), *a = names_get(o, "annotations");
	const char *pod = names_str(a, "io.kubernetes.cri.sandbox-name");
	const char *name = names_str(a, "io.kubernetes.cri.container-name");
	const char *type = names_str(a, "io.kubernetes.cri.container-type");
	enum name_rank rank = NAME_RUNTIME;
	char *text;

	free(file);
	if (!o)
		return;
	if (pod && type && !strcmp(type, "sandbox")) {
		label = xstrdup(pod);
		rank = NAME_CRI;
	} else if (name) {
		label = xasprintf("%s%s%s", pod ? pod : "", pod ? "/" : "", name);
		rank = NAME_CRI;
	} else if (names_str(a, "nerdctl/name")) {
		label = xstrdup(names_str(a, "nerdctl/name"));
		rank = NAME_MANAGER;
	}
	file = xasprintf("%s%s/init.pid", n->root, path);
	text = read_file(file, NULL);
	cgroup = plain_path(names_str(names_get(o, "linux"), "cgroupsPath"));
	names_add(n, &(struct name_entry){
		.id = (char *)id, .name = label, .runtime = "containerd", .cgroup = cgroup,
		.pid = text ? (uint32_t)strtoul(text, NULL, 10) : 0, .rank = rank,
	});
	free(cgroup);
	free(text);
	free(file);
	free(label);
	json_object_put(o);
}

static void containerd_namespace(struct names *n, const char *path, const char *entry)
{
	(void)entry;
	names_each(n, path, containerd_container);
}

static void user_run(struct names *n, const char *path, const char *entry)
{
	char *p;

	(void)entry;
	p = xasprintf("%s/crun", path);
	names_each(n, p, crun_container);
	free(p);
	p = xasprintf("%s/runc", path);
	names_each(n, p, runc_container);
	free(p);
}

void names_from_runtimes(struct names *n)
{
	names_each(n, "/run/crun", crun_container);
	names_each(n, "/run/runc", runc_container);
	names_each(n, "/run/user", user_run);
	names_each(n, "/run/containerd/io.containerd.runtime.v2.task", containerd_namespace);
	names_each(n, "/run/k3s/containerd/io.containerd.runtime.v2.task", containerd_namespace);
}
