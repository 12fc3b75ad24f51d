/* SPDX-License-Identifier: GPL-2.0-only */
/* systemd's units, by their cgroups: no bus is asked. */
#ifndef CTRACE_UNITS_H
#define CTRACE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct units {
	char **v;		/* paths of cgroups, as in /proc/PID/cgroup */
	size_t n;
	bool theirs;		/* they are of the manager that was asked for; else of others, or of containers */
};

/*
 * Finds the cgroups called name, or name.service if it has no dot. uid: of the manager of that user; NULL: of the
 * system's. If that manager has such a unit, those of others, who may call theirs as they like, are left out.
 */
void units_find(struct units *u, const char *name, const uint32_t *uid);
void units_free(struct units *u);

#endif
