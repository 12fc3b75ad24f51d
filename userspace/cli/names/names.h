/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Container names, from the files that podman, docker, containerd, CRI-O, crun and runc keep on disk.
 * No daemon is asked. Files that cannot be read are skipped.
 *
 * A name chooses targets, so no container may pass for another. The id in a cgroup's name proves nothing,
 * because users can make such a cgroup, too. So a store names only containers that its owner made
 * (names_doubt()).
 */
#ifndef CTRACE_NAMES_H
#define CTRACE_NAMES_H

#include <libctrace.h>
#include "base/util.h"
#include "names/record.h"

/* If several sources name the same container, the highest rank wins. */
enum name_rank {
	NAME_POD,	/* no name, but the pod that the container is in: podman */
	NAME_RUNTIME,	/* the low-level runtime's id: crun, runc, containerd task */
	NAME_MANAGER,	/* the name that the user chose: podman, docker, nerdctl */
	NAME_CRI,	/* that of a pod's container */
	NAME_GIVEN,	/* names.d: that is what it is for */
};

/* The owner of a store. */
enum name_owner {
	NAME_OF_SYSTEM,		/* only root can write there */
	NAME_OF_USER,		/* in a home, or in /run/user */
	NAME_OF_CONTAINER,	/* in a container's own file system: docker in docker */
};

/* The keys by which an entry is found: names_index.c */
enum names_by { NAMES_BY_ID, NAMES_BY_UNIT, NAMES_BY_CGROUP, NAMES_BY_PID, NAMES_BY_POD, NAMES_BYS };

struct name_entry {
	char *id;		/* the runtime's id, "" if there is none */
	char *name;
	char *runtime;		/* podman, docker, ...: for ps, if the path does not show it */
	char *cgroup;		/* path as in /proc/PID/cgroup, or NULL */
	char *unit;		/* the systemd unit that it is the payload of, or NULL */
	struct name_record r;
	char *file;		/* that it was read from */
	uint32_t pid;		/* of the container's init, or 0 */
	enum name_rank rank;
	bool loose;		/* users other than root may write the file of a system's store */
	enum name_owner owner;	/* names_add() sets it, and the next */
	uint32_t whose;		/* the user's uid, or the container's cid */
	uint32_t next[NAMES_BYS];	/* names_index.c */
};

/* Entries by their places in names.v. last: only if there is a first */
struct names_list {
	uint32_t first, last;
};

/* Where names_next() continues. */
struct names_walk {
	uint32_t at[NAMES_BYS];
};

/* Why an entry does not name a container. */
enum name_doubt {
	NAME_BELIEVED,
	NAME_INSIDE,		/* the store is the system's or a user's; its container was made in another */
	NAME_USER_SLICE,	/* the store is the system's, the container a user's */
	NAME_NOT_ROOTS,		/* the store is the system's; users other than root may make cgroups there */
	NAME_NOT_THEIRS,	/* the store is a user's; the container is not below that user's slice */
	NAME_NOT_INSIDE,	/* the store is a container's; the container was not made in that one */
	NAME_LOOSE,		/* users other than root may write the file */
};

/* A container whose own file system has stores. */
struct name_inside {
	uint32_t cid, pid, pidns;
};

struct pattern;
struct far;
struct names_store;

struct names {
	char *root;		/* put before every path; "" except in tests, and in a container's store */
	bool test;		/* root was given: what is below it may be anyone's */
	struct name_entry *v;
	size_t n, cap;		/* cap: a power of two, or 0 */
	struct names_list *lists;	/* NAMES_BYS times cap of them */
	enum name_owner owner;	/* of the store that is being read */
	uint32_t whose;
	int in;			/* -1; or that store's root directory: nothing outside it is read */
	bool owners;		/* a file in a user's store counts only if it is that user's */
	struct far *far;	/* reads the stores of users and containers; NULL: not yet */
	struct far *teller;	/* set in that process: entries are sent to ours, not kept */
	unsigned int told;	/* entries of the store that is being read */
	size_t far_bytes;	/* received since names_refresh() */
	struct names_store *stores;	/* names_far.c */
	size_t nstores, store_at;
	struct name_inside *inside;
	size_t ninside;
	char **daemons;		/* the data directories that running dockerds were given */
	size_t ndaemons;
	uint64_t daemons_read;	/* CLOCK_MONOTONIC, ns */
	/* Finds the container that another is nested in; NULL: not known. */
	const struct ctrace_container *(*find)(void *arg, uint32_t cid);
	void *arg;
	/* Could only root make this container's cgroup? Tests have their own answer. */
	bool (*roots)(const struct ctrace_container *c);
	/* Could only root make or change this file, which is no link? */
	bool (*safe)(const char *path);
	/* Called once for each thing that is wrong with a file; may be NULL. */
	void (*warn)(const char *text);
	char **warned;
	size_t nwarned;
	struct pattern *patterns;	/* patterns.c */
	size_t npatterns;
};

/* root NULL: the environment's CTRACE_ROOT, or "" if that is not set. */
struct names *names_new(const char *root);
void names_free(struct names *n);
/* Reads all sources again. Entries that were returned before are freed. */
void names_refresh(struct names *n);
/* The entry that names container c, or NULL. */
const struct name_entry *names_lookup(const struct names *n, const struct ctrace_container *c);
/*
 * The record of c, which e names. Other entries fill in what e's file lacks: the pod of a podman container,
 * and the number of restarts if they mean the same container of the same pod. The entries own the words.
 */
struct name_record names_record(const struct names *n, const struct name_entry *e,
				const struct ctrace_container *c);
/* Does e match c? Whether it may name c is another question: names_doubt(). */
bool names_match(const struct name_entry *e, const struct ctrace_container *c);
/* Follows the unit's name in the path of a cgroup that systemd-nspawn makes for the payload. */
#define NAMES_PAYLOAD	"/payload"
/*
 * names_index.c: names_walk() finds the entries that may match c, in the order in which they were added.
 * names_next_match() returns those entries that names_match() accepts, then NULL. names_walk_pod() finds
 * podman's infra containers of a pod, names_walk_id() entries with a runtime's id, for names_next(); other
 * entries may be among them.
 */
struct names_walk names_walk(const struct names *n, const struct ctrace_container *c);
struct names_walk names_walk_pod(const struct names *n, const char *uid);
struct names_walk names_walk_id(const struct names *n, const char *id);
const struct name_entry *names_next(const struct names *n, struct names_walk *w);
const struct name_entry *names_next_match(const struct names *n, struct names_walk *w,
					  const struct ctrace_container *c);
/* For names.c: all entries have moved; or the last one is new. */
void names_index(struct names *n);
void names_index_last(struct names *n);
/* trust.c: may e name c? Judges by who could have made c, never by c's name. */
enum name_doubt names_doubt(const struct names *n, const struct name_entry *e,
			    const struct ctrace_container *c);
/* Says why e names c, or does not. The caller frees it. */
char *names_why(const struct name_entry *e, enum name_doubt doubt);
/* Could only root make c, by its path and its cgroup? */
bool names_system_made(const struct names *n, const struct ctrace_container *c);

/*
 * For the sources (names_*.c): adds a copy of e. id may be "" or NULL. name NULL: the record's pod and
 * container are the name, else the id. An entry whose name is "" then is ignored.
 */
void names_add(struct names *n, const struct name_entry *e);
/* Adds a copy of e as it is, with its name and its whole path. */
void names_keep(struct names *n, const struct name_entry *e);
void names_read_storage(struct names *n, const char *dir);	/* dir: the root of a podman storage */
void names_from_managers(struct names *n);	/* names_manager.c: podman, CRI-O, homes */
void names_from_docker(struct names *n);	/* names_docker.c */
void names_docker_root(struct names *n, const char *dir);	/* dir: a data-root */
void names_from_machines(struct names *n);	/* names_machines.c: systemd-machined's list */
void names_from_logs(struct names *n);		/* names_logs.c: links to the kubelet's logs */
void names_from_given(struct names *n);	/* names_given.c: names.d */
void names_from_inside(struct names *n);	/* names_inside.c: containers' own file systems */
/*
 * names_far.c: names_ask() adds the entries that a separate process reads, for "home UID PATH", "run UID
 * PATH" or "in CID PID PIDNS". That process runs the functions names_of_*() and sends entries by
 * names_tell().
 */
void names_ask(struct names *n, enum name_owner owner, uint32_t whose, const char *request);
void names_tell(struct names *n, const struct name_entry *e);
void names_far_free(struct names *n);
void names_of_home(struct names *n, const char *home);
void names_of_managers_run(struct names *n, const char *path);	/* path: /run/user/UID */
void names_of_runtimes_run(struct names *n, const char *path);
void names_of_inside(struct names *n, const struct name_inside *i);
void names_system_runtimes(struct names *n);	/* names_runtime.c: root's crun, runc, containerd */
/* Container c has containers in it: its own stores are read, too, from now on. false: they are already. */
bool names_inside(struct names *n, const struct ctrace_container *c);
/* Passes the text to n->warn(), once. */
void names_warn(struct names *n, const char *text);
/* Stores that are read from now on belong to the user uid; 0: to the system. */
void names_of(struct names *n, uint32_t uid);

/* Calls fn for each entry of directory root/dir whose name does not begin with a dot. */
void names_each(struct names *n, const char *dir,
		void (*fn)(struct names *n, const char *path, const char *entry));
/* The text of root/path, which the caller frees; NULL if there is no such file. */
char *names_text(struct names *n, const char *path, size_t *len);
/* Parses root/path; NULL if there is no such file or it is not JSON. */
struct json_object *names_json(struct names *n, const char *path);
/* The string at obj[key], or NULL. obj may be NULL. */
const char *names_str(struct json_object *obj, const char *key);
/* The number at obj[key], or 0. obj may be NULL. */
int64_t names_number(struct json_object *obj, const char *key);
struct json_object *names_get(struct json_object *obj, const char *key);

#endif
