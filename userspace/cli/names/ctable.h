/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The containers of a run: facts from the kernel, or from the list in a recording, and their names.
 * Dead containers stay in the table with their names, since their records may still be in the rings. Their
 * files may have gone long before a record is shown, so a name is looked up when the birth is noticed.
 */
#ifndef CTRACE_CTABLE_H
#define CTRACE_CTABLE_H

#include <libctrace.h>
#include "base/json.h"
#include "names/labels.h"
#include "names/names.h"

struct centry {
	struct ctrace_container c;
	char *name;		/* its name or a stand-in; raw; others may have it, too */
	char *full;		/* NAMESPACE/POD/CONTAINER; NULL: it is in no namespace */
	char *label;		/* the name; if others have it, full or the name with #CID; raw, for JSON */
	char *shown;		/* the label, safe for a terminal */
	struct name_record r;	/* from the file that gave the name */
	enum name_owner owner;	/* of that file */
	uint32_t whose;
	char *runtime;		/* from the path, or from the source of the name; "" if not known */
	bool known;		/* c came from the kernel; else only c.cid is set */
	bool named;		/* name is a name, not a stand-in such as the id */
	bool filed;		/* a file gave the name: it stays when the file goes */
	bool proven;		/* from a recording: ctable_runtime_proven() */
	enum label_apart apart;	/* the label says more than the name, and will not say less */
	bool counted;		/* t->labels has it among the living */
	bool fresh;		/* it is on t->fresh */
	unsigned char verdict;	/* run/follow.c: is it followed? */
	uint64_t tried;		/* CLOCK_MONOTONIC, ns: when its name was last looked up */
	unsigned int round;	/* number of the last list that it was in */
	enum {
		TOLD_NOTHING,
		TOLD_BIRTH,
		TOLD_DEATH,
	} told;			/* births.c: reported so far; follow.c sets it where it does not follow */
};

struct cids {
	uint32_t *v;
	size_t n, room;
};

/*
 * Of a container, or of the host, only cgroups that were targets: its records in this run are
 * theirs alone. As the kernel gives them the container's number, several of one container are told
 * apart by nothing.
 */
struct ctable_part {
	uint32_t cid;
	char *label, *shown;	/* the targets as they were named, "unit:nginx"; shown: safe for a terminal */
	struct { char *path; uint32_t hierarchy; } *at;	/* as in /proc/PID/cgroup; none: of a recording */
	size_t n;
};

struct ctable {
	struct ctrace *ct;	/* NULL: no module to ask (report, tests) */
	struct names *names;
	struct labels labels;
	struct centry **v;	/* by cid, open addressing, size a power of two */
	size_t n, size;
	/* when names were last read, containers listed, dead ones forgotten */
	uint64_t names_read, listed, tidied;
	uint64_t reading;	/* how long reading the names took, ns */
	unsigned int round;	/* number of lists asked for so far */
	unsigned int lost;	/* how often notices were lost */
	int timer;		/* says when to list all containers, if we may not have notices; else -1 */
	struct cids fresh;	/* containers whose names were perhaps never looked up */
	/* Containers that have become known, if `meets` is set. follow.c sets it, and empties the list. */
	struct cids met;
	bool meets;
	struct ctable_part *parts;
	size_t nparts;
	bool changed;		/* a container came, went or got a name since this was last cleared */
};

struct ctable *ctable_new(struct ctrace *ct);
void ctable_free(struct ctable *t);
/* Asks the kernel for all containers that live now. 0 or -errno. */
int ctable_list(struct ctable *t);
/*
 * Follows births and deaths from now on. Returns the descriptor to poll, or -errno. Without CAP_SYS_ADMIN the
 * kernel sends no notices, and ctable_dispatch() asks for all containers instead.
 */
int ctable_subscribe(struct ctable *t);
int ctable_dispatch(struct ctable *t);
/* NULL: nothing is known of it, not even that it exists. Looks no name up. */
struct centry *ctable_find(const struct ctable *t, uint32_t cid);
#define CTABLE_TIDY	(60 * NSEC_PER_SEC)
/* Frees the entries of containers that died longer ago than that, if their deaths were reported. */
void ctable_tidy(struct ctable *t);
/* Never NULL: a cid that is not known gets an entry with known == false. */
struct centry *ctable_get(struct ctable *t, uint32_t cid);
/* For tests. Adds a container with its label. label NULL: the name is looked up, if the table has names. */
void ctable_add(struct ctable *t, const struct ctrace_container *c, const char *label,
		const char *runtime, bool named);
/* Adds a copy of a recording's entry of a container. */
void ctable_add_read(struct ctable *t, const struct centry *from);
/*
 * ctable_parts.c. One more cgroup of container cid is a target, named label. path NULL: it is of a
 * recording
 */
void ctable_add_part(struct ctable *t, uint32_t cid, const char *label, const char *path, uint32_t hierarchy);
/* NULL: the whole container is meant. */
const struct ctable_part *ctable_part(const struct ctable *t, uint32_t cid);
/* Is the cgroup with this path, of len bytes, one of the part's, or below one? */
bool ctable_in_part(const struct ctable_part *part, const char *path, size_t len, uint32_t hierarchy);
/*
 * What a record's owner is called: the part, or the container; raw, and safe for a terminal.
 * Another party in a record (the waker, the task that had the CPU) is called as its container, by
 * ctable_get().
 */
const char *ctable_label(struct ctable *t, uint32_t cid);
const char *ctable_shown(struct ctable *t, uint32_t cid);
/* The innermost container that has this cgroup, or the host. */
uint32_t ctable_of_cgroup(struct ctable *t, const char *path, uint32_t hierarchy);
void ctable_parts_free(struct ctable *t);
bool ctable_alive(const struct centry *e);
/* Is e's runtime certain? The name of a cgroup alone proves nothing, because users make cgroups, too. */
bool ctable_runtime_proven(const struct ctable *t, const struct centry *e);
/* The next entry, in no order; start with *i == 0. */
struct centry *ctable_next(struct ctable *t, size_t *i);
/* ctable_json.c. Writes the members of a container's JSON object, without the braces. */
void ctable_json(struct json *j, const struct ctable *t, const struct centry *e);
/* Adds the container that ctable_json() wrote. false: o is not such an object. */
bool ctable_add_json(struct ctable *t, struct json_object *o);

#endif
