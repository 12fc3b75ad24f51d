// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which source of a name is trusted. A cgroup's name may hold any container's id, and a file in a home may
 * hold any name. Users cannot choose where on its path a cgroup lies, and who owns the directories there.
 */
#include <stdlib.h>
#include <string.h>
#include "names/names.h"

/* Is path that of a directory below dir? */
static bool below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (n && dir[n - 1] == '/')
		n--;
	return !strncmp(path, dir, n) && path[n] == '/';
}

/* The user whose slice is on the path; 0: none, or root's, which counts as the system. */
static uint32_t slice_uid(const char *path)
{
	static const char slice[] = "/user-";

	for (const char *p = path; (p = strstr(p, slice)); p++) {
		char *end;
		unsigned long uid = strtoul(p + sizeof(slice) - 1, &end, 10);

		if (uid && !strncmp(end, ".slice", 6) && (!end[6] || end[6] == '/'))
			return (uint32_t)uid;
	}
	return 0;
}

/*
 * Was c made inside another container? Not if that is its parent only because c joined its pid namespace:
 * then c's cgroup lies elsewhere.
 */
static bool inside(const struct names *n, const struct ctrace_container *c)
{
	const struct ctrace_container *p;

	if (c->parent == CTRACE_CID_HOST)
		return false;
	p = n->find ? n->find(n->arg, c->parent) : NULL;
	return !p || !p->cgroup_id || p->hierarchy != c->hierarchy || below(c->path, p->path);
}

static enum name_doubt system_doubt(const struct names *n, const struct ctrace_container *c)
{
	if (inside(n, c))
		return NAME_INSIDE;
	if (slice_uid(c->path))
		return NAME_USER_SLICE;
	return n->roots(c) ? NAME_BELIEVED : NAME_NOT_ROOTS;
}

static enum name_doubt user_doubt(const struct names *n, uint32_t uid, const struct ctrace_container *c)
{
	char slice[64];

	if (inside(n, c))
		return NAME_INSIDE;
	/* from the root on: an owner of a subtree of cgroups may make a user-UID.slice in it */
	snprintf(slice, sizeof(slice), "/user.slice/user-%u.slice", uid);
	return below(c->path, slice) ? NAME_BELIEVED : NAME_NOT_THEIRS;
}

enum name_doubt names_doubt(const struct names *n, const struct name_entry *e,
			    const struct ctrace_container *c)
{
	if (e->loose)
		return NAME_LOOSE;
	switch (e->owner) {
	case NAME_OF_USER:
		return user_doubt(n, e->whose, c);
	case NAME_OF_CONTAINER:
		return c->parent == e->whose ? NAME_BELIEVED : NAME_NOT_INSIDE;
	default:
		return system_doubt(n, c);
	}
}

char *names_why(const struct name_entry *e, enum name_doubt doubt)
{
	switch (doubt) {
	case NAME_INSIDE:
		return xasprintf("the container was made inside another one, and only that one's files may name it");
	case NAME_USER_SLICE:
		return xasprintf("the file is the system's, and the container is in a user's slice");
	case NAME_NOT_ROOTS:
		return xasprintf("the file is the system's, and others than root may make cgroups where the container's is");
	case NAME_NOT_THEIRS:
		return xasprintf("the file is of user %u, and the container is not below /user.slice/user-%u.slice",
				 e->whose, e->whose);
	case NAME_NOT_INSIDE:
		return xasprintf("the file is in container %u, and this one was not made there", e->whose);
	case NAME_LOOSE:
		return xasprintf("others than root may write or replace the file, or a link leads to it");
	default:
		break;
	}
	switch (e->owner) {
	case NAME_OF_USER:
		return xasprintf("the file is of user %u, and the container is below /user.slice/user-%u.slice",
				 e->whose, e->whose);
	case NAME_OF_CONTAINER:
		return xasprintf("the file is in container %u, where this one was made", e->whose);
	default:
		return xasprintf("the file is the system's, and only root could make the container's cgroup");
	}
}

bool names_system_made(const struct names *n, const struct ctrace_container *c)
{
	return system_doubt(n, c) == NAME_BELIEVED;
}
