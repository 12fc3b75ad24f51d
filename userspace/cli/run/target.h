/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns the TARGET words of the command line into targets of a session. */
#ifndef CTRACE_TARGET_H
#define CTRACE_TARGET_H

#include <sys/types.h>
#include "names/ctable.h"

struct target {
	enum ctrace_target_kind kind;
	uint32_t cid, pid;
	char *path;		/* of a cgroup: its directory */
	dev_t dev;		/* of that directory: tell whether another one has taken its place */
	ino_t ino;
	int pidfd;		/* of pid: readable when it has ended; -1 if the kernel has none */
	bool ended;
	bool not;		/* leave the target out, whatever the others say; never set for pid or all */
};

struct targets {
	struct target *v;
	size_t n, room;
	uint32_t *cids;		/* that targets_add_cid() has added: open addressing, size a power of two; 0: free, else cid + 1 */
	size_t ncids, size;
	bool endless;		/* all or host is among the targets: these never end */
};

/*
 * Adds the targets that the words mean to ts. If all of them are left out and there is no command,
 * adds all. Returns CLI_OK, or the exit status after a message.
 */
int targets_parse(struct targets *ts, struct ctable *t, char **words, int n, bool command);
struct word;

/* Adds all living containers that match. Returns their number. */
size_t targets_add_matching(struct targets *ts, struct ctable *t, const struct word *w);
void targets_add_cid(struct targets *ts, uint32_t cid);
/* Is the container a target by its number, or because all are? Those that a cgroup or a process leads to are not known. */
bool targets_want(const struct targets *ts, uint32_t cid);
void targets_free(struct targets *ts);
/* Adds the targets to the session. */
int targets_apply(const struct targets *ts, struct ctrace *ct, struct ctrace_session *s);
/* Have all targets ended? Targets to leave out do not count. */
bool targets_ended(struct targets *ts, struct ctable *t);

#define TARGET_HELP \
"TARGET is one of\n" \
"  NAME         a container's name, as 'ctrace ps' shows it; if several have it, db#7\n" \
"               or cid:7, for one of them\n" \
"  GLOB         all containers whose names match, as 'web-*'\n" \
"  ID           the first 3 or more digits of a container's 64-digit id\n" \
"  N, cid:N     its number in the CID column\n" \
"  cgroup:PATH  everything in a cgroup and below it: PATH is its directory, or its\n" \
"               path below the hierarchy's root\n" \
"  unit:NAME    the cgroup of a systemd unit of the system, as nginx.service\n" \
"  pod:NAME     the containers of a pod that run now; NAMESPACE/NAME if several namespaces\n" \
"               have one, /NAME for one without a namespace; ns:NAMESPACE: of all its pods\n" \
"  image:GLOB   all containers of these images; label:KEY=VALUE, runtime:NAME: all that\n" \
"               have the label, or are of this runtime ('ctrace ps --wide' shows them)\n" \
"  user:USER:TARGET  what that user's files say: a NAME, GLOB, ID, pod: to runtime:, or unit:\n" \
"               of that user; in:CONTAINER:TARGET: what a container's own files say\n" \
"  pid:N        a process, its threads, and what it forks\n" \
"  host         every process that is in no container\n" \
"  all          everything\n" \
"  not:TARGET   leaves that target out, even if another contains it (also '!TARGET'); if\n" \
"               there are no others, everything else is traced\n"

#endif
