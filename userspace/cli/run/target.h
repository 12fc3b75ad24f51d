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
	char *word;		/* the same: what it was called */
	dev_t dev;		/* of that directory: another one that takes its place has others */
	ino_t ino;
	int pidfd;		/* of pid: readable when it has ended; -1 if the kernel has none */
	bool ended;
	bool not;		/* leave the target out, whatever the others say; never set for pid or all */
};

struct targets {
	struct target *v;
	size_t n, room;
	/* that targets_add_cid() has added: open addressing, size a power of two; 0: free, else cid + 1 */
	uint32_t *cids;
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
/*
 * Is the container a target by its cid, or because all are? Targets that are cgroups or processes are not
 * looked at.
 */
bool targets_want(const struct targets *ts, uint32_t cid);
void targets_free(struct targets *ts);
/* Adds the targets to the session. */
int targets_apply(const struct targets *ts, struct ctrace *ct, struct ctrace_session *s);
/*
 * Tells t which cgroups are targets whose container, or host, is none. command: its processes are
 * targets, too.
 */
void targets_name_parts(const struct targets *ts, struct ctable *t, bool command);
/* The container that a cgroup which is a target lies in, or is; or the host. */
uint32_t targets_cid(const struct target *g, struct ctable *t);
/* Have all targets ended? Targets to leave out do not count. */
bool targets_ended(struct targets *ts, struct ctable *t);

#endif
