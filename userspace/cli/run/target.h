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
	size_t n;
	bool endless;		/* all or host is among the targets: these never end */
};

/*
 * Adds the targets that the words mean to ts. If all of them are left out and there is no command,
 * adds all. Returns CLI_OK, or the exit status after a message.
 */
int targets_parse(struct targets *ts, struct ctable *t, char **words, int n, bool command);
void targets_free(struct targets *ts);
/* Adds the targets to the session. */
int targets_apply(const struct targets *ts, struct ctrace *ct, struct ctrace_session *s);
/* Have all targets ended? Targets to leave out do not count. */
bool targets_ended(struct targets *ts, struct ctable *t);

#define TARGET_HELP \
"TARGET is one of\n" \
"  NAME         a container's name, as 'ctrace ps' shows it; all, if several have it\n" \
"  ID           the first 3 or more digits of a container's 64-digit id\n" \
"  N, cid:N     its number in the CID column\n" \
"  cgroup:PATH  everything in a cgroup and below it: PATH is its directory, or its\n" \
"               path below the hierarchy's root\n" \
"  pid:N        a process, its threads, and what it forks\n" \
"  host         every process that is in no container\n" \
"  all          everything\n" \
"  not:TARGET   leaves that target out, even if another contains it (also '!TARGET'); if\n" \
"               there are no others, everything else is traced\n"

#endif
