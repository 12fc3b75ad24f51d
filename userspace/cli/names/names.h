/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Container names, from what podman, docker, containerd, CRI-O, crun and runc
 * keep on disk. No daemon is asked; what cannot be read is passed over. The
 * kernel says which container an event belongs to: a wrong or missing name
 * changes a label and nothing else.
 */
#ifndef CTRACE_NAMES_H
#define CTRACE_NAMES_H

#include <libctrace.h>
#include "base/util.h"

/* How much a source is worth when several name the same container. */
enum name_rank {
	NAME_RUNTIME,	/* the low-level runtime's id: crun, runc, containerd task */
	NAME_MANAGER,	/* what the user called it: podman, docker, nerdctl */
	NAME_CRI,	/* pod/container */
};

struct name_entry {
	char *id;		/* runtime's id, "" if there is none */
	char *name;
	char *runtime;		/* podman, docker, ... for ps where the path does not tell */
	char *cgroup;		/* path as in /proc/PID/cgroup, or NULL */
	uint32_t pid;		/* of init, or 0 */
	enum name_rank rank;
};

struct names {
	char *root;		/* put before every path; "" but in tests */
	struct name_entry *v;
	size_t n, cap;
};

/* root NULL: what the environment's CTRACE_ROOT says, else "". */
struct names *names_new(const char *root);
void names_free(struct names *n);
/* Reads everything anew; entries returned before are gone. */
void names_refresh(struct names *n);
/* What is known of container c, or NULL. */
const struct name_entry *names_lookup(const struct names *n, const struct ctrace_container *c);

/* For the sources (names_*.c): takes copies. id or name may be "" or NULL (ignored then, if both). */
void names_add(struct names *n, const struct name_entry *e);
void names_read_storage(struct names *n, const char *dir);	/* a podman storage, by its root */
void names_from_managers(struct names *n);	/* names_manager.c: podman, docker, CRI-O */
void names_from_runtimes(struct names *n);	/* names_runtime.c: crun, runc, containerd */

/* Calls fn for each directory entry of root/dir (not dot ones). */
void names_each(struct names *n, const char *dir,
		void (*fn)(struct names *n, const char *path, const char *entry));
struct json_object;
/* Parses root/path; NULL if it is not there or no JSON. */
struct json_object *names_json(struct names *n, const char *path);
/* String at obj[key], or NULL. obj may be NULL. */
const char *names_str(struct json_object *obj, const char *key);
struct json_object *names_get(struct json_object *obj, const char *key);

#endif
