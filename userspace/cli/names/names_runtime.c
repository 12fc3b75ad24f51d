// SPDX-License-Identifier: GPL-2.0-only
/* Reads the files that low-level runtimes keep below /run while a container lives. */
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

	if (!o) {
		free(file);
		return;
	}
	cgroup = plain_path(names_str(o, "cgroup-path"));
	names_add(n, &(struct name_entry){
		.id = (char *)id, .runtime = "crun", .cgroup = cgroup, .file = file,
		.pid = get_pid(o, "pid"), .rank = NAME_RUNTIME,
	});
	free(file);
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

	if (!o) {
		free(file);
		return;
	}
	cgroup = runc_cgroup(o);
	names_add(n, &(struct name_entry){
		.id = (char *)id, .runtime = "runc", .cgroup = cgroup, .file = file,
		.pid = get_pid(o, "init_process_pid"), .rank = NAME_RUNTIME,
	});
	free(file);
	free(cgroup);
	json_object_put(o);
}

/* The labels that other runtimes give a pod's containers, made of containerd's annotations. */
static struct json_object *pod_labels(struct json_object *annotations)
{
	static const char *const words[][2] = {
		{ "io.kubernetes.cri.sandbox-namespace", "io.kubernetes.pod.namespace" },
		{ "io.kubernetes.cri.sandbox-name", "io.kubernetes.pod.name" },
		{ "io.kubernetes.cri.sandbox-uid", "io.kubernetes.pod.uid" },
		{ "io.kubernetes.cri.container-name", "io.kubernetes.container.name" },
		{ "io.kubernetes.container.restartCount", "io.kubernetes.container.restartCount" },
	};
	struct json_object *o = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *v = names_str(annotations, words[i][0]);

		if (!v)
			continue;
		if (!o)
			o = json_object_new_object();
		json_object_object_add(o, words[i][1], json_object_new_string(v));
	}
	return o;
}

/* containerd: NS/ID is the bundle. The annotations in its config.json name pod and container. */
static void containerd_container(struct names *n, const char *path, const char *id)
{
	char *file = xasprintf("%s/config.json", path), *pid;
	struct json_object *o = names_json(n, file), *a = names_get(o, "annotations");
	struct json_object *labels = pod_labels(a);
	struct name_entry e = { .id = (char *)id, .runtime = "containerd", .rank = NAME_RUNTIME, .file = file };
	char *text;

	if (!o) {
		json_object_put(labels);
		free(file);
		return;
	}
	record_from_labels(&e.r, labels);
	e.r.image = (char *)names_str(a, "io.kubernetes.cri.image-name");
	e.r.labels = labels;
	e.name = e.r.pod || e.r.container ? NULL : (char *)names_str(a, "nerdctl/name");
	if (e.r.pod || e.r.container)
		e.rank = NAME_CRI;
	else if (e.name)
		e.rank = NAME_MANAGER;
	pid = xasprintf("%s/init.pid", path);
	text = names_text(n, pid, NULL);
	free(pid);
	e.cgroup = plain_path(names_str(names_get(o, "linux"), "cgroupsPath"));
	e.pid = text ? (uint32_t)strtoul(text, NULL, 10) : 0;
	names_add(n, &e);
	json_object_put(labels);
	free(e.cgroup);
	free(text);
	free(file);
	json_object_put(o);
}

static void containerd_namespace(struct names *n, const char *path, const char *entry)
{
	(void)entry;
	names_each(n, path, containerd_container);
}

void names_of_runtimes_run(struct names *n, const char *path)
{
	char *p = xasprintf("%s/crun", path);

	names_each(n, p, crun_container);
	free(p);
	p = xasprintf("%s/runc", path);
	names_each(n, p, runc_container);
	free(p);
}

void names_system_runtimes(struct names *n)
{
	static const char *const containerd[] = {
		"/run/containerd", "/run/k3s/containerd", "/run/k0s/containerd",
		"/var/snap/microk8s/common/run/containerd",
	};

	names_each(n, "/run/crun", crun_container);
	names_each(n, "/run/runc", runc_container);
	for (size_t i = 0; i < ARRAY_SIZE(containerd); i++) {
		char *p = xasprintf("%s/io.containerd.runtime.v2.task", containerd[i]);

		names_each(n, p, containerd_namespace);
		free(p);
	}
}
