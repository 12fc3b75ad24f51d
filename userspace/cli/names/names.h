/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Container names, from the files that podman, docker, containerd, CRI-O, crun and runc keep on disk.
 * No daemon is asked. Files that cannot be read are skipped. The kernel says which container an event
 * belongs to, so a wrong or missing name changes a label and nothing else.
 */
#ifndef CTRACE_NAMES_H
#define CTRACE_NAMES_H

#include <libctrace.h>
#include "base/util.h"

/* Which name counts if several sources name the same container: the one with the highest rank. */
enum name_rank {
	NAME_RUNTIME,	/* the low-level runtime's id: crun, runc, containerd task */
	NAME_MANAGER,	/* the name that the user chose: podman, docker, nerdctl */
	NAME_CRI,	/* pod/container */
};

struct name_entry {
	char *id;		/* the runtime's id, "" if there is none */
	char *name;
	char *runtime;		/* podman, docker, ...: for ps, if the path does not show it */
	char *cgroup;		/* path as in /proc/PID/cgroup, or NULL */
	uint32_t pid;		/* of the container's init, or 0 */
	enum name_rank rank;
};

struct names {
	char *root;		/* put before every path; "" except in tests */
	struct name_entry *v;
	size_t n, cap;
};

/* root NULL: the environment's CTRACE_ROOT, or "" if that is not set. */
struct names *names_new(const char *root);
void names_free(struct names *n);
/* Reads all sources again. Entries that were returned before are freed. */
void names_refresh(struct names *n);
/* The entry of container c, or NULL. */
const struct name_entry *names_lookup(const struct names *n, const struct ctrace_container *c);

/*
 * For the sources (names_*.c): adds a copy of e. id may be "" or NULL. name NULL: the id is the name.
 * An entry whose name is "" then is ignored.
 */
void names_add(struct names *n, const struct name_entry *e);
void names_read_storage(struct names *n, const char *dir);	/* dir: the root of a podman storage */
void names_from_managers(struct names *n);	/* names_manager.c: podman, docker, CRI-O */
void names_from_runtimes(struct names *n);	/* names_runtime.c: crun, runc, containerd */

/* Calls fn for each entry of directory root/dir whose name does not begin with a dot. */
void names_each(struct names *n, const char *dir,
		void (*fn)(struct names *n, const char *path, const char *entry));
struct json_object;
/* Parses root/path; NULL if there is no such file or it is not JSON. */
struct json_object *names_json(struct names *n, const char *path);
/* The string at obj[key], or NULL. obj may be NULL. */
const char *names_str(struct json_object *obj, const char *key);
struct json_object *names_get(struct json_object *obj, const char *key);

#endif
