// SPDX-License-Identifier: GPL-2.0-only
/* Docker's containers: their files are below its data directory, which its configuration may move. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "names/cgroupfs.h"
#include "names/names.h"

/* How often to look for daemons among all processes. */
#define DAEMONS_INTERVAL	(5 * NSEC_PER_SEC)

static void docker_container(struct names *n, const char *path, const char *id)
{
	char *file = xasprintf("%s/config.v2.json", path);
	struct json_object *o = names_json(n, file), *pid = names_get(names_get(o, "State"), "Pid");
	struct json_object *config = names_get(o, "Config");
	struct json_object *restarts = names_get(o, "RestartCount");
	struct name_entry e = { .id = (char *)id, .runtime = "docker", .rank = NAME_MANAGER, .file = file };
	const char *given = names_str(o, "Name");
	char *name = given ? xstrdup(given + (*given == '/')) : NULL;

	e.name = name;
	e.pid = pid ? (uint32_t)json_object_get_int(pid) : 0;
	e.r.image = (char *)names_str(config, "Image");
	e.r.labels = names_get(config, "Labels");
	e.r.restarts = restarts ? (char *)json_object_get_string(restarts) : NULL;
	/* labels do not prove that the kubelet made it: an image has labels, too */
	if (name && record_from_k8s_name(&e.r, name)) {
		e.name = NULL;
		e.rank = NAME_CRI;
	}
	if (name)
		names_add(n, &e);
	free(name);
	json_object_put(o);
	free(file);
}

void names_docker_root(struct names *n, const char *dir)
{
	char *p = xasprintf("%s/containers", dir);

	names_each(n, p, docker_container);
	free(p);
}

/* Reads daemon.json; "graph" is what "data-root" was called before 17.05. */
static void daemon_json(struct names *n, const char *path)
{
	struct json_object *o = names_json(n, path);
	const char *dir = names_str(o, "data-root");

	if (!dir)
		dir = names_str(o, "graph");
	if (dir && *dir == '/')
		names_docker_root(n, dir);
	json_object_put(o);
}

/* Is process number pid root's, and does it see the host's file system? A user may call a process dockerd. */
static bool is_hosts(const char *pid)
{
	static const char *const same[] = { "ns/pid", "ns/user", "root" };
	char *p = xasprintf("/proc/%s/status", pid), *text = read_file(p, NULL), *uids;
	unsigned int u[4] = { 1, 1, 1, 1 };
	char exe[256] = "";
	bool yes;

	free(p);
	uids = text ? strstr(text, "\nUid:") : NULL;
	yes = uids && sscanf(uids, "\nUid: %u %u %u %u", &u[0], &u[1], &u[2], &u[3]) == 4 &&
	      !u[0] && !u[1] && !u[2] && !u[3];
	free(text);
	for (size_t i = 0; i < ARRAY_SIZE(same) && yes; i++) {
		struct stat its, ours;
		char *q = xasprintf("/proc/self/%s", same[i]);

		p = xasprintf("/proc/%s/%s", pid, same[i]);
		yes = !stat(p, &its) && !stat(q, &ours) && its.st_dev == ours.st_dev &&
		      its.st_ino == ours.st_ino;
		free(p);
		free(q);
	}
	p = xasprintf("/proc/%s/exe", pid);
	yes = yes && readlink(p, exe, sizeof(exe) - 1) > 0 && strrchr(exe, '/') &&
	      !strncmp(strrchr(exe, '/'), "/dockerd", 8);
	free(p);
	return yes;
}

/*
 * The value of the option arg, called name: NAME=VALUE, or NAME and the next argument. NULL: another option.
 */
static const char *value(const char *arg, const char *next, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(arg, name, n))
		return NULL;
	return arg[n] == '=' ? arg + n + 1 : arg[n] ? NULL : next;
}

static void add_daemon(struct names *n, const char *dir)
{
	/* only root can have made the directory, so the daemon is genuine */
	if (*dir != '/' || (!n->test && !path_only_roots(dir)))
		return;
	n->daemons = xrealloc(n->daemons, (n->ndaemons + 1) * sizeof(n->daemons[0]));
	n->daemons[n->ndaemons++] = xstrdup(dir);
}

static void process(struct names *n, const char *path, const char *pid)
{
	static const char *const names[] = { "--data-root", "--graph", "-g" };
	char *p, *text, *next;
	const char *dir;
	size_t len = 0;

	if (pid[strspn(pid, "0123456789")])
		return;
	p = xasprintf("%s%s/comm", n->root, path);
	text = read_file(p, NULL);
	free(p);
	/* RHEL 7 has dockerd-current */
	if (!text || strncmp(text, "dockerd", 7) || (!n->test && !is_hosts(pid))) {
		free(text);
		return;
	}
	free(text);
	p = xasprintf("%s%s/cmdline", n->root, path);
	text = read_file(p, &len);
	free(p);
	for (char *arg = text; text && arg < text + len; arg = next) {
		next = arg + strlen(arg) + 1;
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			dir = value(arg, next < text + len ? next : "", names[i]);
			if (dir)
				add_daemon(n, dir);
		}
		dir = value(arg, next < text + len ? next : "", "--config-file");
		if (dir && (n->test || path_only_roots(dir)))
			daemon_json(n, dir);
	}
	free(text);
}

void names_from_docker(struct names *n)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	names_docker_root(n, "/var/lib/docker");
	daemon_json(n, "/etc/docker/daemon.json");
	names_docker_root(n, "/var/snap/docker/common/var-lib-docker");
	daemon_json(n, "/var/snap/docker/current/config/daemon.json");
	if (!n->daemons_read || now - n->daemons_read > DAEMONS_INTERVAL) {
		for (size_t i = 0; i < n->ndaemons; i++)
			free(n->daemons[i]);
		n->ndaemons = 0;
		n->daemons_read = now;
		names_each(n, "/proc", process);
	}
	for (size_t i = 0; i < n->ndaemons; i++)
		names_docker_root(n, n->daemons[i]);
}
