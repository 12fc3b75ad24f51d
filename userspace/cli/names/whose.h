/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose is a process, by its cgroups and its pid namespace in /proc? */
#ifndef CTRACE_WHOSE_H
#define CTRACE_WHOSE_H

#include "names/ctable.h"

/* CTRACE_CID_UNKNOWN: the host's, or it has gone; or it is in none of the cgroups that are targets. */
uint32_t process_owner(struct ctable *t, const char *pid);
/*
 * The same, whatever the targets are. *meant: false if cgroups of the container, or of the host, are targets,
 * and it is in none of them.
 */
uint32_t process_container(struct ctable *t, const char *pid, bool *meant);

#endif
