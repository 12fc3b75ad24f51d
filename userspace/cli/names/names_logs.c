// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kubelet's names of containers, whatever their runtime: each has a log, and a link to it,
 * /var/log/containers/POD_NAMESPACE_CONTAINER-ID.log, which leads to
 * NAMESPACE_POD_UID/CONTAINER/RESTARTS.log.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "names/names.h"

#define LOGS	"/var/log/containers"
#define ID_LEN	64

/* Fills in the fields that only the link's target has; cuts target up. */
static void from_target(struct name_record *r, char *target)
{
	char *log = strrchr(target, '/'), *dir, *uid;

	if (!log)
		return;
	*log++ = '\0';
	log[strcspn(log, ".")] = '\0';
	dir = strrchr(target, '/');
	if (!dir)
		return;
	*dir = '\0';
	uid = strrchr(target, '_');
	if (uid && !strchr(uid, '/') && uid[1]) {
		r->pod_uid = uid + 1;
		r->restarts = log;
	}
}

static void container_log(struct names *n, const char *path, const char *entry)
{
	size_t len = strlen(entry);
	struct name_entry e = { .rank = NAME_CRI, .file = (char *)path };
	char *words, *rest, *link, target[1024];
	ssize_t got;

	if (len < ID_LEN + 6 || strcmp(entry + len - 4, ".log") || entry[len - 5 - ID_LEN] != '-')
		return;
	words = rest = xstrndup(entry, len - 5 - ID_LEN);
	e.r.pod = strsep(&rest, "_");
	e.r.ns = strsep(&rest, "_");
	e.r.container = rest;
	if (rest && !strchr(rest, '_')) {
		e.id = xstrndup(entry + len - 4 - ID_LEN, ID_LEN);
		link = xasprintf("%s%s", n->root, path);
		got = readlink(link, target, sizeof(target) - 1);
		target[got > 0 ? got : 0] = '\0';
		from_target(&e.r, target);
		names_add(n, &e);
		free(link);
		free(e.id);
	}
	free(words);
}

void names_from_logs(struct names *n)
{
	names_each(n, LOGS, container_log);
}
