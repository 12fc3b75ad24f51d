/* SPDX-License-Identifier: GPL-2.0-only */
/* systemd's units, by their cgroups; D-Bus is not asked. */
#ifndef CTRACE_UNITS_H
#define CTRACE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct units {
	char **v;		/* paths of cgroups, as in /proc/PID/cgroup */
	size_t n;
	bool theirs;		/* the manager that was asked for made them; else others did */
};

/*
 * Finds the cgroups called name, or name.service if it has no dot. uid: the user whose manager is asked for;
 * NULL: the system's. If that manager has such a unit, units of others are left out, because they may have
 * any name.
 */
void units_find(struct units *u, const char *name, const uint32_t *uid);
void units_free(struct units *u);

#endif
