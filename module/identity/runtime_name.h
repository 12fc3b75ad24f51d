/* SPDX-License-Identifier: GPL-2.0-only */
/* What a cgroup's name says: a container of some runtime, a container's monitor, or neither. */
#ifndef CTRACE_RUNTIME_NAME_H
#define CTRACE_RUNTIME_NAME_H

#include <linux/types.h>

enum ctrace_boundary_kind {
	CTRACE_BOUNDARY_NONE,
	CTRACE_BOUNDARY_CONTAINER,
	CTRACE_BOUNDARY_MONITOR,	/* a container's monitor, on the host: never a container itself */
	/* the same, but in a cgroup inside the container's own: it belongs where that one lies */
	CTRACE_BOUNDARY_SUPERVISOR,
};

#define CTRACE_RUNTIME_ID_LEN	64	/* hex digits */

struct ctrace_boundary_name {
	const char *runtime;	/* static: "docker", "podman", ... or NULL */
	const char *id;		/* points to 64 hex digits in the name, or NULL */
};

/*
 * Pure; any context. parent: the name of the cgroup above, "" for the root's
 * children. out may be NULL.
 */
enum ctrace_boundary_kind ctrace_boundary_parse(const char *parent, const char *name,
						struct ctrace_boundary_name *out);

#endif /* CTRACE_RUNTIME_NAME_H */
